import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { FinalServices } from './append-record-entry.server.ts'
import { readFinalRecord } from './data.server.ts'
import type { RecordEntryRefusal } from './record-entry-rules.ts'
import type { SheetScores, Tap } from './schema.ts'
import { isAllowedScore } from './scoring.ts'
import { activeCandidateIds, openRoundOf, rulesOfRound } from './state.ts'

interface SheetKey {
  edition: number
  roundNumber: number
  judgeNumber: number
}

/** Replaces the whole unsigned sheet of a judge in a round. */
export async function writeUnsignedSheet(
  tx: Database,
  { edition, roundNumber, judgeNumber }: SheetKey,
  sheet: SheetScores,
  at: Date,
): Promise<void> {
  const columns = { calificaciones: JSON.stringify(sheet), at }
  await tx
    .insertInto('hojas_sin_firmar')
    .values({ edicion: edition, ronda: roundNumber, juez: judgeNumber, ...columns })
    .onConflict((conflict) => conflict.columns(['edicion', 'ronda', 'juez']).doUpdateSet(columns))
    .execute()
}

/**
 * Saves a judge's taps into the unsigned sheet.
 * @returns why the taps are refused, `alterada` if the final's record was altered; undefined if they were saved
 */
export function saveTaps(
  { db, clock, keyed }: FinalServices,
  { edition, roundNumber, judgeNumber }: SheetKey,
  taps: readonly Tap[],
): Promise<RecordEntryRefusal | 'alterada' | undefined> {
  return db.transaction().execute(async (tx) => {
    // The shared lock lets judges save concurrently, but blocks an append to the final's record.
    await sql`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.appendFinalRecord}, ${edition}::int)`.execute(tx)
    const { state, firstAltered } = await readFinalRecord({ db: tx, keyed }, edition)
    if (firstAltered !== undefined) return 'alterada'
    const { final } = state
    const openRound = final && openRoundOf(final)
    if (!final || openRound?.number !== roundNumber) return 'ronda-cerrada'
    if (!final.opening.jurado.some(({ numero }) => numero === judgeNumber)) return 'juez'
    if (openRound.sheets.has(judgeNumber)) return 'firmada'
    const { criterios } = rulesOfRound(final.rules, roundNumber)
    const activeIds = activeCandidateIds(final, openRound)
    // The row is inserted first, so that there is one to lock.
    await tx
      .insertInto('hojas_sin_firmar')
      .values({ edicion: edition, ronda: roundNumber, juez: judgeNumber, calificaciones: '{}', at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = await tx
      .selectFrom('hojas_sin_firmar')
      .select('calificaciones')
      .where('edicion', '=', edition)
      .where('ronda', '=', roundNumber)
      .where('juez', '=', judgeNumber)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const sheet: SheetScores = { ...row.calificaciones }
    for (const { candidata, criterio, decimas } of taps) {
      // A tap for a candidate withdrawn meanwhile, or for a criterion that the round lacks, is skipped; other taps are saved.
      if (!activeIds.includes(candidata) || !criterios[criterio]) continue
      if (!isAllowedScore(decimas, final.rules)) return 'escala'
      const scores = sheet[candidata] ?? criterios.map(() => null)
      sheet[candidata] = scores.with(criterio, decimas)
    }
    await writeUnsignedSheet(tx, { edition, roundNumber, judgeNumber }, sheet, clock.now())
    return undefined
  })
}
