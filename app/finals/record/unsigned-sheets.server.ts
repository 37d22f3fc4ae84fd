import { sql } from 'kysely'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Sitio } from './append-record-entry.server.ts'
import { readActa } from './data.server.ts'
import type { MotivoDeFinal } from './record-entry-rules.ts'
import type { Marcas, Toque } from './schema.ts'
import { isCalificacion } from './scoring.ts'
import { activas, rondaAbierta } from './state.ts'

/** Keeps a sheet that is not signed. */
export async function writeSinFirmar(
  tx: Database,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  calificaciones: Marcas,
  at: Date,
): Promise<void> {
  const fields = { calificaciones: JSON.stringify(calificaciones), at }
  await tx
    .insertInto('hojas_sin_firmar')
    .values({ edicion, ronda, juez, ...fields })
    .onConflict((conflict) => conflict.columns(['edicion', 'ronda', 'juez']).doUpdateSet(fields))
    .execute()
}

/** Keeps what a judge has typed and not signed. @returns why not; undefined when it is kept */
export function guardarToques(
  { db, clock, keyed }: Sitio,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  toques: readonly Toque[],
): Promise<MotivoDeFinal | 'alterada' | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock_shared(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    const { estado, alterado } = await readActa({ db: tx, keyed }, edicion)
    if (alterado !== undefined) return 'alterada'
    const { final } = estado
    const abierta = final && rondaAbierta(final)
    if (!final || abierta?.numero !== ronda) return 'ronda-cerrada'
    if (!final.apertura.jurado.some(({ numero }) => numero === juez)) return 'juez'
    if (abierta.hojas.has(juez)) return 'firmada'
    const { criterios } = final.reglas.rondas[ronda - 1]!
    const present = activas(final, abierta)
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
    const hoja: Marcas = { ...row.calificaciones }
    for (const { candidata, criterio, decimas } of toques) {
      // Whoever was withdrawn meanwhile is left out; the rest is kept.
      if (!present.includes(candidata) || !criterios[criterio]) continue
      if (!isCalificacion(decimas, final.reglas)) return 'escala'
      const marks = hoja[candidata] ?? criterios.map(() => null)
      hoja[candidata] = marks.with(criterio, decimas)
    }
    await writeSinFirmar(tx, { edicion, ronda, juez }, hoja, clock.now())
    return undefined
  })
}
