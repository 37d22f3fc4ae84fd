import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { FinalServices } from './append-record-entry.server.ts'
import { readFinalRecord } from './data.server.ts'
import type { RecordEntryRefusal } from './record-entry-rules.ts'
import type { SheetScores, Tap } from './schema.ts'
import { isAllowedScore } from './scoring.ts'
import { activeCandidateIds, openRoundOf, rulesOfRound } from './state.ts'

/** Replaces the whole unsigned sheet of a judge in a round. */
export async function writeUnsignedSheet(
  tx: Database,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  sheet: SheetScores,
  at: Date,
): Promise<void> {
  const columns = { calificaciones: JSON.stringify(sheet), at }
  await tx
    .insertInto('hojas_sin_firmar')
    .values({ edicion, ronda, juez, ...columns })
    .onConflict((conflict) => conflict.columns(['edicion', 'ronda', 'juez']).doUpdateSet(columns))
    .execute()
}

/**
 * Saves a judge's taps into the unsigned sheet.
 * @returns why the taps are refused, `alterada` if the final's record was altered; undefined if they were saved
 */
export function saveTaps(
  { db, clock, keyed }: FinalServices,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  taps: readonly Tap[],
): Promise<RecordEntryRefusal | 'alterada' | undefined> {
  return db.transaction().execute(async (tx) => {
    // The shared lock lets judges save concurrently, but blocks an append to the final's record.
    await sql`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.appendFinalRecord}, ${edicion}::int)`.execute(tx)
    const { state, firstAltered } = await readFinalRecord({ db: tx, keyed }, edicion)
    if (firstAltered !== undefined) return 'alterada'
    const { final } = state
    const openRound = final && openRoundOf(final)
    if (!final || openRound?.number !== ronda) return 'ronda-cerrada'
    if (!final.opening.jurado.some(({ numero }) => numero === juez)) return 'juez'
    if (openRound.sheets.has(juez)) return 'firmada'
    const { criterios } = rulesOfRound(final.rules, ronda)
    const activeIds = activeCandidateIds(final, openRound)
    // The row is inserted first, so that there is one to lock.
    await tx
      .insertInto('hojas_sin_firmar')
      .values({ edicion, ronda, juez, calificaciones: '{}', at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = await tx
      .selectFrom('hojas_sin_firmar')
      .select('calificaciones')
      .where('edicion', '=', edicion)
      .where('ronda', '=', ronda)
      .where('juez', '=', juez)
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
    await writeUnsignedSheet(tx, { edicion, ronda, juez }, sheet, clock.now())
    return undefined
  })
}
