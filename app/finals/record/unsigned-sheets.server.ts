import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Site } from './append-record-entry.server.ts'
import { readRecord } from './data.server.ts'
import type { RecordEntryRefusal } from './record-entry-rules.ts'
import type { SheetScores, Tap } from './schema.ts'
import { isScore } from './scoring.ts'
import { activeCandidates, roundInProgress, roundRules } from './state.ts'

/** Replaces the whole unsigned sheet of a judge in a round. */
export async function writeUnsignedSheet(
  tx: Database,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  sheet: SheetScores,
  at: Date,
): Promise<void> {
  const fields = { calificaciones: JSON.stringify(sheet), at }
  await tx
    .insertInto('hojas_sin_firmar')
    .values({ edicion, ronda, juez, ...fields })
    .onConflict((conflict) => conflict.columns(['edicion', 'ronda', 'juez']).doUpdateSet(fields))
    .execute()
}

/**
 * Saves a judge's taps into the unsigned sheet.
 * @returns why the taps are refused, `alterada` where an entry of the final's record was altered; undefined where they are saved
 */
export function saveTaps(
  { db, clock, keyed }: Site,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  taps: readonly Tap[],
): Promise<RecordEntryRefusal | 'alterada' | undefined> {
  return db.transaction().execute(async (tx) => {
    // The shared lock lets judges save at once, but holds off an append to the final's record.
    await sql`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.appendFinalRecord}, ${edicion}::int)`.execute(tx)
    const { state, firstAltered } = await readRecord({ db: tx, keyed }, edicion)
    if (firstAltered !== undefined) return 'alterada'
    const { final } = state
    const openRound = final && roundInProgress(final)
    if (!final || openRound?.number !== ronda) return 'ronda-cerrada'
    if (!final.opening.jurado.some(({ numero }) => numero === juez)) return 'juez'
    if (openRound.sheets.has(juez)) return 'firmada'
    const { criterios } = roundRules(final.rules, ronda)
    const activeIds = activeCandidates(final, openRound)
    // The row is made first, so that there is a row to lock.
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
      // A tap for a candidate withdrawn meanwhile, or for a criterion that the round lacks, is skipped; the rest is saved.
      if (!activeIds.includes(candidata) || !criterios[criterio]) continue
      if (!isScore(decimas, final.rules)) return 'escala'
      const scores = sheet[candidata] ?? criterios.map(() => null)
      sheet[candidata] = scores.with(criterio, decimas)
    }
    await writeUnsignedSheet(tx, { edicion, ronda, juez }, sheet, clock.now())
    return undefined
  })
}
