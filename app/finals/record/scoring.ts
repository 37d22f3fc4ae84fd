import { MIN_SHEETS_TO_DROP } from '#app/cms/schema/final-limits.ts'
import type { Rules } from './record-entries.ts'
import { activeCandidates, type Final, type RoundState, roundRules } from './state.ts'

/** Scoring computes in whole numbers, so that no rounding occurs: scores are tenths of a point, points are thousandths. */

const MIN_SCORE_TENTHS = 10
const MAX_SCORE_TENTHS = 100

/** Returns whether a score, in tenths, may be given. */
export const isScore = (tenths: number, { medios }: Pick<Rules, 'medios'>): boolean =>
  tenths >= MIN_SCORE_TENTHS && tenths <= MAX_SCORE_TENTHS && tenths % (medios ? 5 : 10) === 0

/**
 * Returns a candidate's points from one judge in a round, in thousandths. @param tenths one score per criterion, in their order
 */
export const pointsOf = (tenths: readonly number[], criteria: Rules['rondas'][number]['criterios']): number =>
  criteria.reduce((sum, { peso }, at) => sum + (tenths[at] ?? 0) * peso, 0)

/** Formats thousandths as points: 27350 → «27.350». */
export const formatPoints = (thousandths: number): string =>
  `${Math.floor(thousandths / 1_000)}.${String(thousandths % 1_000).padStart(3, '0')}`

/** `points` are what a judge's sheet gives a candidate, in thousandths; `isDropped` tells that they do not count. */
export interface JudgePoints {
  judge: number
  points: number
  isDropped: boolean
}

const rulesOf = (final: Final, round: RoundState) => roundRules(final.rules, round.number)

/** Returns every sheet's points for a candidate in a round, by judge. */
export function pointsByJudge(final: Final, round: RoundState, candidate: string): JudgePoints[] {
  const { criterios } = rulesOf(final, round)
  const judgePoints = [...round.sheets]
    .sort(([one], [other]) => one - other)
    .map(([judge, { calificaciones }]) => ({
      judge,
      points: pointsOf(calificaciones[candidate] ?? [], criterios),
    }))
  if (!final.rules.descarta || judgePoints.length < MIN_SHEETS_TO_DROP)
    return judgePoints.map((one) => ({ ...one, isDropped: false }))
  const sorted = judgePoints.map((_, at) => at).sort((a, b) => judgePoints[a]!.points - judgePoints[b]!.points || a - b)
  const droppedIndexes = [sorted[0], sorted.at(-1)]
  return judgePoints.map((one, at) => ({ ...one, isDropped: droppedIndexes.includes(at) }))
}

/** Returns a candidate's points in a round, in thousandths. */
export const roundPoints = (final: Final, round: RoundState, candidate: string): number =>
  pointsByJudge(final, round, candidate).reduce((sum, { points, isDropped }) => sum + (isDropped ? 0 : points), 0)

/** Returns a candidate's total after a round, counted from the last round that started from zero. */
function totalAfter(final: Final, round: RoundState, candidate: string): number {
  const rounds = final.rounds.slice(0, round.number)
  const from = rounds.findLastIndex((one) => rulesOf(final, one).desdeCero)
  return rounds.slice(Math.max(from, 0)).reduce((sum, one) => sum + roundPoints(final, one, candidate), 0)
}

/** A tie is broken by a step of the written rule, or by the lot. */
type TieBreak =
  | { kind: 'rule'; roundName: string; criterion?: string; firstScore: number; secondScore: number }
  | { kind: 'lot' }

/** A `Tie` is between two neighbours in the ranking with the same total. */
export interface Tie {
  first: string
  second: string
  total: number
  tieBreak: TieBreak
}

interface Step {
  roundName: string
  criterion?: string
  /** Returns a candidate's points in the round, or tenths of the criterion. */
  scoreOf(candidate: string): number
}

/** Lists the steps of the written rule that apply after a round: those about rounds held so far. */
function tieBreakSteps(final: Final, round: RoundState): Step[] {
  return final.rules.desempate.flatMap(({ ronda: name, criterio }): Step[] => {
    const at = final.rules.rondas.findIndex((one) => one.nombre === name)
    const heldRound = final.rounds.find(({ number }) => number === at + 1)
    if (!heldRound || heldRound.number > round.number) return []
    if (criterio === undefined)
      return [{ roundName: name, scoreOf: (candidate) => roundPoints(final, heldRound, candidate) }]
    const which = rulesOf(final, heldRound).criterios.findIndex((one) => one.nombre === criterio)
    const sumOf = (candidate: string) =>
      [...heldRound.sheets.values()].reduce(
        (sum, { calificaciones }) => sum + (calificaciones[candidate]?.[which] ?? 0),
        0,
      )
    return which < 0 ? [] : [{ roundName: name, criterion: criterio, scoreOf: sumOf }]
  })
}

export interface Standing {
  candidata: string
  total: number
}

/** Returns the ranking after a round, without withdrawn candidates, and how ties were broken. */
export function orderOf(final: Final, round: RoundState): { order: Standing[]; ties: Tie[] } {
  const steps = tieBreakSteps(final, round)
  const lot = (candidate: string) => final.lots.get(candidate) ?? ''
  const order = activeCandidates(final, round)
    .map((candidate) => ({ candidata: candidate, total: totalAfter(final, round, candidate) }))
    .sort((a, b) => {
      if (a.total !== b.total) return b.total - a.total
      for (const { scoreOf } of steps)
        if (scoreOf(a.candidata) !== scoreOf(b.candidata)) return scoreOf(b.candidata) - scoreOf(a.candidata)
      return lot(a.candidata) < lot(b.candidata) ? -1 : 1
    })
  const ties = order.slice(1).flatMap((another, at): Tie[] => {
    const first = order[at]!
    if (first.total !== another.total) return []
    const step = steps.find(({ scoreOf }) => scoreOf(first.candidata) !== scoreOf(another.candidata))
    const by: TieBreak = step
      ? {
          kind: 'rule',
          roundName: step.roundName,
          ...(step.criterion !== undefined && { criterion: step.criterion }),
          firstScore: step.scoreOf(first.candidata),
          secondScore: step.scoreOf(another.candidata),
        }
      : { kind: 'lot' }
    return [{ first: first.candidata, second: another.candidata, total: first.total, tieBreak: by }]
  })
  return { order, ties }
}

/** Returns how many candidates of a round advance: Infinity, for all, where its rules name no number. */
export const advancingCount = (final: Final, round: RoundState): number =>
  rulesOf(final, round).pasan ?? Number.POSITIVE_INFINITY

/**
 * Returns the ids of the candidates whom the lot alone would part for the crown once the last written round is closed; fewer than
 * two never tie. They may have one more round, where the sealed rules say so.
 */
export function crownTie(final: Final): string[] {
  const latest = final.rounds.at(-1)
  if (!final.rules.rondaDeDesempate || !latest?.closing || latest.number !== final.rules.rondas.length) return []
  const { order, ties } = orderOf(final, latest)
  const tied: string[] = []
  for (const { candidata } of order) {
    const isTied = ties.some(
      ({ first, second, tieBreak }) => tieBreak.kind === 'lot' && first === tied.at(-1) && second === candidata,
    )
    if (tied.length > 0 && !isTied) break
    tied.push(candidata)
  }
  return tied.length > 1 ? tied : []
}

/** Returns the ids of the next round's candidates, in the order of the opening entry. */
export function nextRoundCandidates(final: Final): string[] {
  const latest = final.rounds.at(-1)
  const all = final.opening.candidatas.map(({ id }) => id)
  if (!latest) return all.filter((id) => !final.withdrawn.has(id))
  if (latest.number >= final.rules.rondas.length) return all.filter((id) => crownTie(final).includes(id))
  const first = orderOf(final, latest).order.slice(0, advancingCount(final, latest))
  return all.filter((id) => first.some(({ candidata }) => candidata === id))
}

/** Returns the final ranking: the last round's, then the candidates eliminated in earlier rounds, latest round first. */
export function finalOrder(
  final: Final,
): { lugar: number; candidata: string; ronda: number; total: number; titulo?: string }[] {
  const placedIds = new Set<string>()
  return final.rounds.toReversed().flatMap((round) =>
    orderOf(final, round).order.flatMap(({ candidata, total }) => {
      if (placedIds.has(candidata)) return []
      placedIds.add(candidata)
      const title = final.rules.lugares[placedIds.size - 1]
      return [
        { lugar: placedIds.size, candidata, ronda: round.number, total, ...(title !== undefined && { titulo: title }) },
      ]
    }),
  )
}
