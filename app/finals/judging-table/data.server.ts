import { displayedEdition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { isEqual } from '#app/cms/schema/field-path.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTime, formatTime } from '#app/core/time/mexico-dates.ts'
import {
  listJury,
  loadForOpening,
  readFinalRecord,
  readPublishedAt,
  readUnsignedSheets,
} from '#app/finals/record/data.server.ts'
import { recordNotes } from '#app/finals/record/record-notes.ts'
import {
  advancingCount,
  crownTie,
  finalRanking,
  formatPoints,
  neededDecimals,
  pointsByJudge,
  type RankingTie,
  rankingAfter,
  roundPoints,
} from '#app/finals/record/scoring.ts'
import {
  activeCandidateIds,
  candidateNameOf,
  candidateNumberOf,
  type Final,
  judgeNameOf,
  type RoundState,
  rulesOfRound,
} from '#app/finals/record/state.ts'

/** Returns the previous edition's year if its final had the same rules. */
function findYearWithSameRules(): number | undefined {
  const { documents, pastEditions = [] } = displayedEdition() ?? {}
  const [previousEdition] = pastEditions
  return documents &&
    previousEdition &&
    isEqual(previousEdition.displayed.documents['final.yaml'], documents['final.yaml'])
    ? previousEdition.edition.anio
    : undefined
}

/** Reads the data of the judging table. An open round has no scores, only each judge's progress. */
export async function readJudgingTable({ db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>) {
  const { edition, rules: editionRules, candidates } = await loadForOpening()
  const record = await readFinalRecord({ db, keyed }, edition)
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
    sameRulesYear: findYearWithSameRules(),
    candidates: candidates.map(({ numero, nombre }) => ({ number: numero, name: nombre })),
    jury: jury.map(({ account, redeemedAt, ...judge }) => ({
      ...judge,
      redeemedAt: redeemedAt && formatTime(redeemedAt),
    })),
    notes: recordNotes(record.state),
    final: final && {
      openedAt: formatLongDateTime(new Date(final.opening.levantada)),
      signedSheetCount: final.rounds.reduce((count, { sheets }) => count + sheets.size, 0),
      rounds: final.rounds.map((round) =>
        round.closing
          ? describeClosedRound(final, round, neededDecimals)
          : describeOpenRound(final, round, { unsignedSheets, jury }),
      ),
      /** Names of the candidates who may have another round before the lot decides the crown; empty if none. */
      crownTie: crownTie(final).map((id) => candidateNameOf(final, id)),
      candidates: final.opening.candidatas
        .filter(({ id }) => !final.withdrawn.has(id))
        .map(({ id, numero, nombre }) => ({ id, number: numero, name: nombre })),
      /** Names of candidates who are no longer on the site but still in the final. */
      absentNames: final.opening.candidatas
        .filter(({ id }) => !publishedIds.has(id) && !final.withdrawn.has(id))
        .map(({ nombre }) => nombre),
      closing: final.closing
        ? {
            ranking: finalRankingRows(final, neededDecimals),
            seal: record.seal,
            sealedAt: formatLongDateTime(new Date(final.closing.levantada)),
          }
        : null,
      /** Null until the last round in the rules is closed, and while a tiebreak round is open. */
      provisionalRanking:
        final.rounds.length >= rules.rondas.length && !openRound ? finalRankingRows(final, neededDecimals) : null,
    },
    publishedAt: publishedAt ? formatLongDateTime(publishedAt) : null,
  }
}

export type JudgingTable = Awaited<ReturnType<typeof readJudgingTable>>

/** Returns the number of decimals of points that stand together: three in the record, the fewest needed at the judging table. */
type DecimalsOf = (points: readonly number[]) => number
const recordDecimals: DecimalsOf = () => 3

/** Returns the sealed ranking or, before the sealing, the provisional ranking, with names and formatted points. */
export function finalRankingRows(final: Final, decimalsOf = recordDecimals) {
  const ranking = final.closing?.orden ?? finalRanking(final)
  const decimals = decimalsOf(ranking.map(({ total }) => total))
  return ranking.map(({ lugar, candidata, ronda: round, total, titulo }) => ({
    rank: lugar,
    id: candidata,
    number: candidateNumberOf(final, candidata),
    name: candidateNameOf(final, candidata),
    points: formatPoints(total, decimals),
    title: titulo ?? null,
    roundName: rulesOfRound(final.rules, round).nombre,
  }))
}

function describeOpenRound(
  final: Final,
  round: RoundState,
  {
    unsignedSheets,
    jury,
  }: {
    unsignedSheets: Awaited<ReturnType<typeof readUnsignedSheets>> | undefined
    jury: readonly { number: number; name: string }[]
  },
) {
  const rules = rulesOfRound(final.rules, round.number)
  const activeIds = activeCandidateIds(final, round)
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
        judge,
        // The record may keep the names out; the table needs them, to call a judge.
        judgeName: jury.find(({ number }) => number === judge)?.name ?? judgeNameOf(final, judge),
        signedAt: signedSheet ? formatTime(new Date(signedSheet.levantada)) : null,
        /** Number of candidates who have all their scores. */
        scoredCount: signedSheet ? activeIds.length : scoredCount,
      }
    }),
  }
}

/** Returns a closed round for the judging table and the published record. */
export function describeClosedRound(final: Final, round: RoundState, decimalsOf = recordDecimals) {
  const { nombre, desdeCero } = rulesOfRound(final.rules, round.number)
  const { order, ties } = rankingAfter(final, round)
  const nextRound = final.rounds.find(({ number }) => number === round.number + 1)
  const isLast = round.number >= final.rules.rondas.length
  const judges = [...round.sheets.keys()].sort((a, b) => a - b)
  const pointsByRank = order.map(({ candidata, total }) => ({
    total,
    ofJudges: pointsByJudge(final, round, candidata),
    ofRound: roundPoints(final, round, candidata),
  }))
  const decimals = decimalsOf(
    pointsByRank.flatMap(({ total, ofJudges, ofRound }) => [total, ofRound, ...ofJudges.map(({ points }) => points)]),
  )
  return {
    number: round.number,
    name: nombre,
    startsFromZero: desdeCero,
    status: 'closed' as const,
    judgeNames: judges.map((judge) => judgeNameOf(final, judge)),
    rows: order.map(({ candidata, total }, index) => ({
      rank: index + 1,
      id: candidata,
      number: candidateNumberOf(final, candidata),
      name: candidateNameOf(final, candidata),
      judgePoints: pointsByRank[index]!.ofJudges.map(({ points, isDropped }) => ({
        points: formatPoints(points, decimals),
        isDropped,
      })),
      roundPoints: formatPoints(pointsByRank[index]!.ofRound, decimals),
      total: formatPoints(total, decimals),
      /** Whether the candidate is in the next round, or would be; null after the last round in the rules. */
      advances: isLast
        ? null
        : nextRound
          ? nextRound.candidateIds.includes(candidata)
          : index < advancingCount(final, round),
    })),
    tieSentences: ties.map((tie) => describeTie(final, tie, decimalsOf)),
    missingSheets: (round.closing?.sin ?? []).map(({ juez, motivo }) => ({
      judgeName: judgeNameOf(final, juez),
      reason: motivo,
    })),
  }
}

function describeTie(
  final: Final,
  { first: firstId, second, total, tieBreak }: RankingTie,
  decimalsOf: DecimalsOf,
): string {
  const [firstName, secondName] = [candidateNameOf(final, firstId), candidateNameOf(final, second)]
  const tie = `${firstName} y ${secondName} empatan con ${formatPoints(total, decimalsOf([total]))} puntos.`
  if (tieBreak.kind === 'lot')
    return `${tie} Nada de la regla las distingue: va antes ${firstName} por el sorteo del acta.`
  const placeText =
    tieBreak.criterion === undefined
      ? `en la ronda «${tieBreak.roundName}»`
      : `en «${tieBreak.criterion}» de «${tieBreak.roundName}»`
  const decimals = decimalsOf([tieBreak.firstScore, tieBreak.secondScore])
  const formatScore = (score: number) =>
    tieBreak.criterion === undefined ? formatPoints(score, decimals) : String(score / 10)
  return `${tie} Va antes ${firstName}: ${placeText} tuvo ${formatScore(tieBreak.firstScore)}, y ${secondName} ${formatScore(tieBreak.secondScore)}.`
}
