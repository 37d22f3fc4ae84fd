import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Evento } from '#app/audit/schema.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { sha256 } from '#app/voting/record/block-seal.ts'
import { type Acta, readActa, signAsiento } from './data.server.ts'
import type { Asiento, Hecho } from './record-entries.ts'
import { type MotivoDeFinal, objeta } from './record-entry-rules.ts'

export type Sitio = Pick<Services, 'db' | 'clock' | 'keyed' | 'log'>

export type HechoDeFinal =
  | { ok: true; asiento: Asiento }
  /** `alterada`: the act is no longer what the site sealed. */
  | { ok: false; reason: MotivoDeFinal | 'alterada' }

/** What is to follow: an entry, or why there is none. */
type Propuesta = { hecho: Hecho; evento: Evento } | { reason: MotivoDeFinal }

/** The events of a final, by the kind of their entry. */
const EVENTO = {
  'final-abierta': 'final.abierta',
  'ronda-abierta': 'final.ronda-abierta',
  hoja: 'final.hoja',
  'hoja-reabierta': 'final.hoja-reabierta',
  telefono: 'final.enlace',
  retiro: 'final.retiro',
  'ronda-cerrada': 'final.ronda-cerrada',
  'final-anulada': 'final.anulada',
  cierre: 'final.sellada',
} as const

/**
 * Adds an entry to the act, if it may follow. Entries of an edition are written one at a time.
 * @param propone what is to follow the act as it stands
 * @param clave the request, where it may come again: the entry that it made is answered then
 */
export async function asentar(
  { db, clock, keyed, log }: Sitio,
  edicion: number,
  propone: (acta: Acta, tx: Database) => Promise<Propuesta> | Propuesta,
  autor: Autor,
  { clave, after }: { clave?: string; after?: (tx: Database, now: Date) => Promise<void> } = {},
): Promise<HechoDeFinal> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    if (clave !== undefined) {
      const made = await tx
        .selectFrom('asientos_de_final')
        .select('contenido')
        .where('edicion', '=', edicion)
        .where('clave', '=', clave)
        .executeTakeFirst()
      if (made) return { ok: true, asiento: JSON.parse(made.contenido) as Asiento }
    }
    const acta = await readActa({ db: tx, keyed }, edicion)
    if (acta.alterado !== undefined) return { ok: false, reason: 'alterada' }
    const propuesta = await propone(acta, tx)
    if ('reason' in propuesta) return { ok: false, reason: propuesta.reason }
    const reason = objeta(acta.estado, propuesta.hecho)
    if (reason) return { ok: false, reason }
    const asiento = await appendEntry({ db: tx, clock, keyed, log }, edicion, acta, propuesta.hecho, { autor, clave })
    await after?.(tx, new Date(asiento.levantada))
    await anotar(tx, autor, propuesta.evento)
    return { ok: true, asiento }
  })
}

/** Adds an entry that may follow, in a transaction that holds the lock of the edition's entries. */
export async function appendEntry(
  { db, clock, keyed, log }: Sitio,
  edicion: number,
  acta: Acta,
  hecho: Hecho,
  { autor, clave }: { autor: Autor; clave?: string | undefined },
): Promise<Asiento> {
  const now = clock.now()
  const { clase, ...dicho } = hecho
  const numero = acta.asientos.length + 1
  const asiento = {
    ...{ clase, edicion, numero, anterior: acta.sello, levantada: now.toISOString() },
    ...dicho,
  } as Asiento
  const contenido = JSON.stringify(asiento)
  const sello = await sha256(contenido)
  const firma = signAsiento({ keyed }, edicion, numero, sello)
  await db
    .insertInto('asientos_de_final')
    .values({ edicion, numero, contenido, sello, firma, clave: clave ?? null, quien: autor.quien, at: now })
    .execute()
  // A witness outside the database: entries that are cut off its end would be valid without it.
  log.info({ edicion, asiento: numero, sello }, 'the final has another entry')
  return asiento
}

/** An entry with its line of the log. @param sobre what the line is about, in words */
export const con = (edicion: number, hecho: Hecho, sobre?: string): Propuesta => ({
  hecho,
  evento: { que: EVENTO[hecho.clase], edicion, ...(sobre !== undefined && { sobre }) },
})
