import { displayedEdition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { isEqual } from '#app/cms/schema/field-path.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTime, formatTime } from '#app/core/time/mexico-dates.ts'
import {
  listJury,
  loadForOpening,
  readPublishedAt,
  readRecord,
  readUnsignedSheets,
} from '#app/finals/record/data.server.ts'
import { notesOf } from '#app/finals/record/notes.ts'
import {
  advancingCount,
  crownTie,
  finalOrder,
  formatPoints,
  orderOf,
  pointsByJudge,
  roundPoints,
  type Tie,
} from '#app/finals/record/scoring.ts'
import {
  activeCandidates,
  type Final,
  judgeOf,
  nameOf,
  numberOf,
  type RoundState,
  roundRules,
} from '#app/finals/record/state.ts'

function yearOfSameRules(): number | undefined {
  const { documents, pastEditions = [] } = displayedEdition() ?? {}
  const [previous] = pastEditions
  return documents && previous && isEqual(previous.displayed.documents['final.yaml'], documents['final.yaml'])
    ? previous.edition.anio
    : undefined
}

/** Reads all that the notary's table shows: of an open round no scores, only each judge's progress. */
export async function readJudgingTable({ db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>) {
  const { edition, rules: editionRules, candidates } = await loadForOpening()
  const record = await readRecord({ db, keyed }, edition)
  const { final } = record.state
  const rules = final?.rules ?? editionRules
  const publishedAt = await readPublishedAt(db, edition)
  const jury = await listJury(db, edition, Math.max(rules.jueces, editionRules.jueces), clock.now())
  const { nombre, candidatas: publishedCandidates } = await loadEdition()
  const publishedIds = new Set(publishedCandidates.map(({ id }) => id))
  const openRound = final?.rounds.find(({ closing }) => !closing)
  const unsignedSheets = openRound && (await readUnsignedSheets(db, edition, openRound.number))
  return {
    edition,
    pageantName: nombre,
    firstAlteredEntry: record.firstAltered ?? null,
    rules,
    /** The year before, if its edition has these very rules. */
    sameRulesAs: yearOfSameRules(),
    candidates: candidates.map(({ numero, nombre }) => ({ number: numero, name: nombre })),
    jury: jury.map(({ account, redeemedAt, ...judge }) => ({
      ...judge,
      redeemedAt: redeemedAt && formatTime(redeemedAt),
    })),
    /** What the record tells beside the rounds. */
    notes: notesOf(record.state),
    final: final && {
      openedAt: formatLongDateTime(new Date(final.opening.levantada)),
      rounds: final.rounds.map((round) =>
        round.closing ? describeClosedRound(final, round) : describeOpenRound(final, round, unsignedSheets),
      ),
      /** Names those who may have another round before the lot decides the crown; else none. */
      crownTie: crownTie(final).map((id) => nameOf(final, id)),
      candidates: final.opening.candidatas
        .filter(({ id }) => !final.withdrawn.has(id))
        .map(({ id, numero, nombre }) => ({ id, number: numero, name: nombre })),
      /** Names candidates who are no longer on the site and still in the final. */
      absentNames: final.opening.candidatas
        .filter(({ id }) => !publishedIds.has(id) && !final.withdrawn.has(id))
        .map(({ nombre }) => nombre),
      closing: final.closing
        ? {
            order: finalOrderRows(final),
            seal: record.seal,
            sealedAt: formatLongDateTime(new Date(final.closing.levantada)),
          }
        : null,
      provisionalOrder: final.rounds.length >= rules.rondas.length && !openRound ? finalOrderRows(final) : null,
    },
    publishedAt: publishedAt ? formatLongDateTime(publishedAt) : null,
  }
}

export type JudgingTable = Awaited<ReturnType<typeof readJudgingTable>>

/** Returns the final ranking, with names and formatted points. */
export const finalOrderRows = (final: Final) =>
  (final.closing?.orden ?? finalOrder(final)).map(({ lugar, candidata, ronda: round, total, titulo }) => ({
    rank: lugar,
    id: candidata,
    number: numberOf(final, candidata),
    name: nameOf(final, candidata),
    points: formatPoints(total),
    title: titulo ?? null,
    roundName: roundRules(final.rules, round).nombre,
  }))

function describeOpenRound(
  final: Final,
  round: RoundState,
  unsignedSheets: Awaited<ReturnType<typeof readUnsignedSheets>> | undefined,
) {
  const rules = roundRules(final.rules, round.number)
  const activeIds = activeCandidates(final, round)
  return {
    number: round.number,
    name: rules.nombre,
    status: 'open' as const,
    candidateCount: activeIds.length,
    sheets: final.opening.jurado.map(({ numero: judge }) => {
      const signedSheet = round.sheets.get(judge)
      const unsignedScores = unsignedSheets?.get(judge)?.calificaciones ?? {}
      const scoredCount = activeIds.filter((id) => {
        const scores = (unsignedScores[id] ?? []).filter((score) => score !== null)
        return scores.length === rules.criterios.length
      }).length
      return {
        ...{ judge, judgeName: judgeOf(final, judge) },
        signedAt: signedSheet ? formatTime(new Date(signedSheet.levantada)) : null,
        /** Counts the candidates who have all their scores. */
        scoredCount: signedSheet ? activeIds.length : scoredCount,
      }
    }),
  }
}

/** Returns a closed round as the notary's table and the published record show it. */
export function describeClosedRound(final: Final, round: RoundState) {
  const { nombre, desdeCero } = roundRules(final.rules, round.number)
  const { order, ties } = orderOf(final, round)
  const nextRound = final.rounds.find(({ number }) => number === round.number + 1)
  const isLast = round.number >= final.rules.rondas.length
  const judges = [...round.sheets.keys()].sort((one, other) => one - other)
  return {
    number: round.number,
    name: nombre,
    startsFromZero: desdeCero,
    status: 'closed' as const,
    judgeNames: judges.map((judge) => judgeOf(final, judge)),
    rows: order.map(({ candidata, total }, at) => ({
      rank: at + 1,
      id: candidata,
      number: numberOf(final, candidata),
      name: nameOf(final, candidata),
      judgePoints: pointsByJudge(final, round, candidata).map(({ points, isDropped }) => ({
        points: formatPoints(points),
        isDropped,
      })),
      roundPoints: formatPoints(roundPoints(final, round, candidata)),
      total: formatPoints(total),
      advances: isLast
        ? null
        : nextRound
          ? nextRound.candidateIds.includes(candidata)
          : at < advancingCount(final, round),
    })),
    tieSentences: ties.map((tie) => describeTie(final, tie)),
    missingSheets: (round.closing?.sin ?? []).map(({ juez, motivo }) => ({
      judgeName: judgeOf(final, juez),
      reason: motivo,
    })),
  }
}

/** Writes a Spanish sentence that says how a tie was broken. */
function describeTie(final: Final, { first: antes, second, total, tieBreak }: Tie): string {
  const [first, another] = [nameOf(final, antes), nameOf(final, second)]
  const tie = `${first} y ${another} empatan con ${formatPoints(total)} puntos.`
  if (tieBreak.kind === 'lot') return `${tie} Nada de la regla las distingue: va antes ${first} por el sorteo del acta.`
  const where =
    tieBreak.criterion === undefined
      ? `en la ronda «${tieBreak.roundName}»`
      : `en «${tieBreak.criterion}» de «${tieBreak.roundName}»`
  const formatScore = tieBreak.criterion === undefined ? formatPoints : (tenths: number) => String(tenths / 10)
  return `${tie} Va antes ${first}: ${where} tuvo ${formatScore(tieBreak.firstScore)}, y ${another} ${formatScore(tieBreak.secondScore)}.`
}
