import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { plazoDe } from '#app/cms/settings/data.server.ts'
import { CORRIDO } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'

const DAY_MS = 86_400_000
/** How long before its deletion an entry is announced. */
export const ANUNCIO_MS = 3 * DAY_MS
export const BATCH = 100

type Trabajo = Pick<Services, 'db' | 'clock'>

/** From when on the entries of an edition are deleted: its final, and so many days after it. */
export interface Plazo {
  edicion: number
  final: Date
  dias: number
  /** Entries that there are. */
  cuantas: number
  /** When the first of them goes. */
  desde: Date
  /** When the last of them has gone. */
  hasta: Date
}

/** Every edition that has entries, oldest first. */
export async function listPlazos(db: Database): Promise<Plazo[]> {
  const rows = await db
    .selectFrom('inscripciones')
    .select((eb) => [
      'edicion',
      eb.fn.countAll<number>().as('cuantas'),
      eb.fn.min('created_at').as('primera'),
      eb.fn.max('created_at').as('ultima'),
    ])
    .groupBy('edicion')
    .orderBy('edicion')
    .execute()
  return Promise.all(
    rows.map(async ({ edicion, cuantas, primera, ultima }) => {
      const { final, dias } = await plazoDe(db, edicion)
      const goes = (created: Date) => new Date(Math.max(final.getTime(), created.getTime()) + dias * DAY_MS)
      return { edicion, final, dias, cuantas, desde: goes(primera), hasta: goes(ultima) }
    }),
  )
}

/** Entries of an edition whose time has come, but for those that are being deleted. */
const vencidas = (db: Database, { edicion, final, dias }: Pick<Plazo, 'edicion' | 'final' | 'dias'>, now: Date) =>
  db
    .selectFrom('inscripciones')
    .where('edicion', '=', edicion)
    .where((eb) => eb.lit(final.getTime() + dias * DAY_MS <= now.getTime()))
    .where('created_at', '<=', new Date(now.getTime() - dias * DAY_MS))
    .where(sql<boolean>`not exists (select 1 from borrados where inscripcion_id = inscripciones.id)`)

/**
 * How many entries of the current edition would be deleted at once, or within a day, were they kept so many days.
 * @param dias a whole number
 */
export async function countVencidas(
  services: Pick<Services, 'db' | 'clock'>,
  dias: number,
  machineNow = new Date(),
): Promise<number> {
  const { anio: edicion, fechas } = await loadFicha()
  const tomorrow = new Date(earlierOf(services.clock, machineNow).getTime() + DAY_MS)
  const { cuantas } = await vencidas(services.db, { edicion, final: new Date(fechas.coronacion), dias }, tomorrow)
    .select((eb) => eb.fn.countAll<number>().as('cuantas'))
    .executeTakeFirstOrThrow()
  return cuantas
}

/**
 * Announces what will be deleted by time within `ANUNCIO_MS`: an entry goes so long after it was announced, and no earlier.
 * What is not due any more, since somebody set another number of days, is announced anew when its time comes.
 * @returns how many were announced now
 */
export async function announceBorrados({ db, clock }: Trabajo, machineNow = new Date()): Promise<number> {
  const soon = new Date(earlierOf(clock, machineNow).getTime() + ANUNCIO_MS)
  let announced = 0
  for (const plazo of await listPlazos(db)) {
    await db
      .deleteFrom('borrados_anunciados')
      .where('inscripcion_id', 'in', (eb) =>
        eb.selectFrom('inscripciones').select('id').where('edicion', '=', plazo.edicion),
      )
      .where('inscripcion_id', 'not in', vencidas(db, plazo, soon).select('id'))
      .execute()
    const made = await db
      .insertInto('borrados_anunciados')
      .columns(['inscripcion_id', 'anunciado_at', 'corrido_ms'])
      .expression(
        vencidas(db, plazo, soon).select([
          'id',
          sql<Date>`${machineNow}::timestamptz`.as('at'),
          CORRIDO.as('corrido_ms'),
        ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    announced += Number(made.numInsertedOrUpdatedRows ?? 0)
  }
  await db.updateTable('borrados_anunciados').set({ corrido_ms: CORRIDO }).where('corrido_ms', 'is', null).execute()
  return announced
}

/** Entries that may be deleted now: due, announced `ANUNCIO_MS` ago, of which the site has seen all pass, held by nobody. @returns ids of some */
export async function listDebidas({ db, clock }: Trabajo, machineNow = new Date()): Promise<number[]> {
  const now = earlierOf(clock, machineNow)
  const held = await db.selectFrom('plazos_detenidos').select('edicion').execute()
  const found: number[] = []
  for (const plazo of await listPlazos(db)) {
    if (held.some(({ edicion }) => edicion === plazo.edicion)) continue
    const due = await vencidas(db, plazo, now)
      .innerJoin('borrados_anunciados', 'inscripcion_id', 'inscripciones.id')
      .where('anunciado_at', '<=', new Date(machineNow.getTime() - ANUNCIO_MS))
      // By the clock, and by what the site has really seen pass since.
      .where(sql<boolean>`borrados_anunciados.corrido_ms + ${ANUNCIO_MS}::bigint <= ${CORRIDO}`)
      .select('inscripciones.id')
      .orderBy('inscripciones.id')
      .limit(BATCH - found.length)
      .execute()
    found.push(...due.map(({ id }) => id))
    if (found.length === BATCH) break
  }
  return found
}

/** What was announced of an edition and has not gone yet. */
export interface Previsto {
  edicion: number
  cuantas: number
  /** The first moment at which some of them go. */
  desde: Date
  /** When the newest of them were announced. */
  anunciadoAt: Date
  /** Since when somebody holds it; undefined: nobody. */
  detenidoAt: Date | undefined
}

/** What will be deleted by time, by edition, as it was announced. */
export async function listPrevistos(db: Database): Promise<Previsto[]> {
  const plazos = new Map((await listPlazos(db)).map((plazo) => [plazo.edicion, plazo]))
  const rows = await db
    .selectFrom('borrados_anunciados')
    .innerJoin('inscripciones', 'inscripciones.id', 'inscripcion_id')
    .leftJoin('plazos_detenidos', 'plazos_detenidos.edicion', 'inscripciones.edicion')
    .select((eb) => [
      'inscripciones.edicion',
      'detenido_at',
      eb.fn.countAll<number>().as('cuantas'),
      eb.fn.min('anunciado_at').as('primero'),
      eb.fn.max('anunciado_at').as('ultimo'),
    ])
    .groupBy(['inscripciones.edicion', 'detenido_at'])
    .orderBy('inscripciones.edicion')
    .execute()
  return rows.flatMap(({ edicion, cuantas, primero, ultimo, detenido_at }) => {
    const plazo = plazos.get(edicion)
    if (!plazo) return []
    const desde = new Date(Math.max(plazo.desde.getTime(), primero.getTime() + ANUNCIO_MS))
    return [{ edicion, cuantas, desde, anunciadoAt: ultimo, detenidoAt: detenido_at ?? undefined }]
  })
}

/** Holds what goes by time of an edition, entries and voters' accounts, or lets it go on; with a line of the log. */
export async function setDetenido(db: Database, edicion: number, detener: boolean, autor: Autor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const changed = detener
      ? await tx
          .insertInto('plazos_detenidos')
          .values({ edicion, quien: autor.quien })
          .onConflict((conflict) => conflict.doNothing())
          .returning('edicion')
          .execute()
      : await tx.deleteFrom('plazos_detenidos').where('edicion', '=', edicion).returning('edicion').execute()
    if (changed.length > 0) await anotar(tx, autor, { que: detener ? 'borrado.detenido' : 'borrado.seguido', edicion })
  })
}
