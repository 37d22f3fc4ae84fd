import { MIN_SHEETS_TO_DROP } from '#app/cms/schema/final-limits.ts'
import type { FinalRules } from './record-entries.ts'
import { activeCandidateIds, type Final, type RoundState, rulesOfRound } from './state.ts'

/** Scores are whole tenths of a point and points whole thousandths, so that nothing is rounded. */
const MIN_SCORE_TENTHS = 10
const MAX_SCORE_TENTHS = 100

/** Returns whether a score, in tenths, may be given. */
export const isAllowedScore = (tenths: number, { medios }: Pick<FinalRules, 'medios'>): boolean =>
  tenths >= MIN_SCORE_TENTHS && tenths <= MAX_SCORE_TENTHS && tenths % (medios ? 5 : 10) === 0

/** Returns a candidate's points from one judge in a round, in thousandths. @param tenths scores in the criteria's order */
export const pointsOf = (tenths: readonly number[], criteria: FinalRules['rondas'][number]['criterios']): number =>
  criteria.reduce((sum, { peso }, index) => sum + (tenths[index] ?? 0) * peso, 0)

/** Formats thousandths as points: 27350 → «27.350». @param decimals shown; the others must be zeros */
export const formatPoints = (thousandths: number, decimals = 3): string => {
  const decimalText = String(thousandths % 1_000)
    .padStart(3, '0')
    .slice(0, decimals)
  return `${Math.floor(thousandths / 1_000)}${decimalText && `.${decimalText}`}`
}

/** Returns the fewest decimals that show all of these points, in thousandths, exactly. */
export const neededDecimals = (points: readonly number[]): number =>
  [0, 1, 2].find((decimals) => points.every((value) => value % 10 ** (3 - decimals) === 0)) ?? 3

/** A candidate's points from one judge's sheet, in thousandths. Dropped points do not count. */
export interface JudgePoints {
  judge: number
  points: number
  isDropped: boolean
}

const rulesOf = (final: Final, round: RoundState) => rulesOfRound(final.rules, round.number)

/** Returns a candidate's points from every sheet of a round, by judge. */
export function pointsByJudge(final: Final, round: RoundState, candidate: string): JudgePoints[] {
  const { criterios } = rulesOf(final, round)
  const judgePoints = [...round.sheets]
    .sort(([judgeA], [judgeB]) => judgeA - judgeB)
    .map(([judge, { calificaciones }]) => ({
      judge,
      points: pointsOf(calificaciones[candidate] ?? [], criterios),
    }))
  if (!final.rules.descarta || judgePoints.length < MIN_SHEETS_TO_DROP)
    return judgePoints.map((judgePoint) => ({ ...judgePoint, isDropped: false }))
  const indexesByPoints = judgePoints
    .map((_, index) => index)
    .sort((a, b) => judgePoints[a]!.points - judgePoints[b]!.points || a - b)
  const droppedIndexes = [indexesByPoints[0], indexesByPoints.at(-1)]
  return judgePoints.map((judgePoint, index) => ({ ...judgePoint, isDropped: droppedIndexes.includes(index) }))
}

/** Returns a candidate's points in a round, in thousandths. */
export const roundPoints = (final: Final, round: RoundState, candidate: string): number =>
  pointsByJudge(final, round, candidate).reduce((sum, { points, isDropped }) => sum + (isDropped ? 0 : points), 0)

/** Returns a candidate's total after a round: the points since the last round that started from zero. */
function totalAfter(final: Final, round: RoundState, candidate: string): number {
  const rounds = final.rounds.slice(0, round.number)
  const startIndex = rounds.findLastIndex((earlierRound) => rulesOf(final, earlierRound).desdeCero)
  return rounds
    .slice(Math.max(startIndex, 0))
    .reduce((sum, countedRound) => sum + roundPoints(final, countedRound, candidate), 0)
}

/**
 * Way in which a tie was broken: by a step of the tie rule, or by the lot. The scores are thousandths of a point for a round, and
 * tenths for a criterion.
 */
type TieBreak =
  | { kind: 'rule'; roundName: string; criterion?: string; firstScore: number; secondScore: number }
  | { kind: 'lot' }

/** A tie between two neighbours in the ranking, given by their ids. */
export interface RankingTie {
  first: string
  second: string
  /** Total of both, in thousandths of a point. */
  total: number
  tieBreak: TieBreak
}

interface TieBreakStep {
  roundName: string
  criterion?: string
  /** Returns a candidate's points in the round, in thousandths, or the sum of her scores in the criterion, in tenths. */
  scoreOf(candidate: string): number
}

/** Lists the steps of the tie rule that apply after a round: the steps about rounds that were held by then. */
function tieBreakSteps(final: Final, round: RoundState): TieBreakStep[] {
  return final.rules.desempate.flatMap(({ ronda: name, criterio }): TieBreakStep[] => {
    const roundIndex = final.rules.rondas.findIndex((rules) => rules.nombre === name)
    const heldRound = final.rounds.find(({ number }) => number === roundIndex + 1)
    if (!heldRound || heldRound.number > round.number) return []
    if (criterio === undefined)
      return [{ roundName: name, scoreOf: (candidate) => roundPoints(final, heldRound, candidate) }]
    const criterionIndex = rulesOf(final, heldRound).criterios.findIndex((criterion) => criterion.nombre === criterio)
    const sumOf = (candidate: string) =>
      [...heldRound.sheets.values()].reduce(
        (sum, { calificaciones }) => sum + (calificaciones[candidate]?.[criterionIndex] ?? 0),
        0,
      )
    return criterionIndex < 0 ? [] : [{ roundName: name, criterion: criterio, scoreOf: sumOf }]
  })
}

export interface Standing {
  candidata: string
  /** In thousandths of a point. */
  total: number
}

/** Returns the ranking after a round, without withdrawn candidates, and how ties were broken. */
export function rankingAfter(final: Final, round: RoundState): { order: Standing[]; ties: RankingTie[] } {
  const steps = tieBreakSteps(final, round)
  const lotOf = (candidate: string) => final.lots.get(candidate) ?? ''
  const order = activeCandidateIds(final, round)
    .map((candidate) => ({ candidata: candidate, total: totalAfter(final, round, candidate) }))
    .sort((a, b) => {
      if (a.total !== b.total) return b.total - a.total
      for (const { scoreOf } of steps)
        if (scoreOf(a.candidata) !== scoreOf(b.candidata)) return scoreOf(b.candidata) - scoreOf(a.candidata)
      return lotOf(a.candidata) < lotOf(b.candidata) ? -1 : 1
    })
  const ties = order.slice(1).flatMap(({ candidata: second, total }, index): RankingTie[] => {
    const { candidata: first, total: firstTotal } = order[index]!
    if (firstTotal !== total) return []
    const step = steps.find(({ scoreOf }) => scoreOf(first) !== scoreOf(second))
    const tieBreak: TieBreak = step
      ? {
          kind: 'rule',
          roundName: step.roundName,
          ...(step.criterion !== undefined && { criterion: step.criterion }),
          firstScore: step.scoreOf(first),
          secondScore: step.scoreOf(second),
        }
      : { kind: 'lot' }
    return [{ first, second, total, tieBreak }]
  })
  return { order, ties }
}

/** Returns how many candidates of a round may advance; Infinity if its rules let all advance. */
export const advancingCount = (final: Final, round: RoundState): number =>
  rulesOf(final, round).pasan ?? Number.POSITIVE_INFINITY

/**
 * Returns the ids of the candidates among whom only the lot would decide the crown once the last round in the rules is closed, and
 * who may have one more round. Empty without such a tie, if the sealed rules allow no such round, and once it was opened.
 */
export function crownTie(final: Final): string[] {
  const latestRound = final.rounds.at(-1)
  if (!final.rules.rondaDeDesempate || !latestRound?.closing || latestRound.number !== final.rules.rondas.length)
    return []
  const { order, ties } = rankingAfter(final, latestRound)
  const tiedIds: string[] = []
  for (const { candidata } of order) {
    const isTied = ties.some(
      ({ first, second, tieBreak }) => tieBreak.kind === 'lot' && first === tiedIds.at(-1) && second === candidata,
    )
    if (tiedIds.length > 0 && !isTied) break
    tiedIds.push(candidata)
  }
  return tiedIds.length > 1 ? tiedIds : []
}

/**
 * Returns the ids of the next round's candidates, in the order of the opening entry. After the last round in the rules, these are
 * the candidates who are tied for the crown.
 */
export function nextRoundCandidates(final: Final): string[] {
  const latestRound = final.rounds.at(-1)
  const allIds = final.opening.candidatas.map(({ id }) => id)
  if (!latestRound) return allIds.filter((id) => !final.withdrawn.has(id))
  if (latestRound.number >= final.rules.rondas.length) return allIds.filter((id) => crownTie(final).includes(id))
  const advancingStandings = rankingAfter(final, latestRound).order.slice(0, advancingCount(final, latestRound))
  return allIds.filter((id) => advancingStandings.some(({ candidata }) => candidata === id))
}

/** Returns the final ranking: the ranking of the last round, then the candidates eliminated in earlier rounds, latest first. */
export function finalRanking(
  final: Final,
): { lugar: number; candidata: string; ronda: number; total: number; titulo?: string }[] {
  const placedIds = new Set<string>()
  return final.rounds.toReversed().flatMap((round) =>
    rankingAfter(final, round).order.flatMap(({ candidata, total }) => {
      if (placedIds.has(candidata)) return []
      placedIds.add(candidata)
      const title = final.rules.lugares[placedIds.size - 1]
      return [
        { lugar: placedIds.size, candidata, ronda: round.number, total, ...(title !== undefined && { titulo: title }) },
      ]
    }),
  )
}
