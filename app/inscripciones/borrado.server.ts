import { sql } from 'kysely'
import { plazoDe } from '#app/ajustes/data.server.ts'
import { type Autor, anotar } from '#app/bitacora/mutations.server.ts'
import { forgetCorreosDe } from '#app/correo/mutations.server.ts'
import { loadFicha } from '#app/edicion/contenido.server.ts'
import { earlierOf } from '#app/platform/clock.server.ts'
import { inGroups, LETRAS_CLARAS, makeCode } from '#app/platform/codigos.ts'
import type { Database } from '#app/platform/database.server.ts'
import { forgetMail, outboxOf } from '#app/platform/mail-folder.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { llevaSupresiones, noteSupresion } from '#app/platform/supresiones.server.ts'
import { readFila } from './data.server.ts'
import { FORMAS } from './formas.ts'
import { huellaDeInscripcion } from './objetos.server.ts'

const DAY_MS = 86_400_000
const SWEEP_MS = 15 * 60_000
const BATCH = 100

/** The site itself, when an entry's time has come. */
const SITIO: Autor = { quien: null, desde: 'sitio' }

type Trabajo = Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>

export type ResultadoDeBorrado =
  /** The receipt's number; with `pendiente`, what is left of it is finished by itself. */
  { ok: true; acuse: string; documentos: number; pendiente: boolean } | { ok: false; reason: 'desconocida' }

/**
 * Deletes an entry and everything that belongs to it: objects of its documents (also of those that were replaced) and its
 * metadata, its rows, its mail. What stays is one line of the log, without a name. Written down before the first object
 * goes: what fails halfway is finished later.
 */
export async function deleteInscripcion(
  services: Trabajo,
  id: number,
  motivo: 'solicitud' | 'plazo',
  autor: Autor,
): Promise<ResultadoDeBorrado> {
  const { db, log } = services
  const begun = await db.transaction().execute(async (tx) => {
    const entry = await tx
      .selectFrom('inscripciones')
      .select('tipo')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!entry) return undefined
    const forma = FORMAS[entry.tipo]
    const { carpeta } = await readFila(tx, forma, id)
    // Two who ask at once get one deletion, and one receipt.
    await tx
      .insertInto('borrados')
      .values({
        inscripcion_id: id,
        acuse: newAcuse(),
        bucket: forma.bucket,
        carpeta,
        motivo,
        quien: autor.quien,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { acuse } = await tx
      .selectFrom('borrados')
      .select('acuse')
      .where('inscripcion_id', '=', id)
      .executeTakeFirstOrThrow()
    const { documentos } = await tx
      .selectFrom('documentos')
      .select((eb) => eb.fn.countAll<number>().as('documentos'))
      .where('inscripcion_id', '=', id)
      .executeTakeFirstOrThrow()
    return { acuse, documentos }
  })
  if (!begun) return { ok: false, reason: 'desconocida' }
  try {
    await finish(services, id, autor.desde)
    return { ok: true, ...begun, pendiente: false }
  } catch (error) {
    log.error({ err: error, inscripcion: id }, 'a deletion is left for later')
    return { ok: true, ...begun, pendiente: true }
  }
}

/** Takes a deletion that is written down to its end; again from the beginning if need be. */
async function finish({ db, storage, settings }: Trabajo, id: number, desde: string): Promise<void> {
  const journal = await db.selectFrom('borrados').selectAll().where('inscripcion_id', '=', id).executeTakeFirst()
  if (!journal) return
  const { bucket, carpeta, acuse, motivo, quien } = journal
  const removeObjects = async () => {
    const paths: string[] = []
    for await (const path of storage.list(bucket, `${carpeta}/`)) paths.push(path)
    // Also what is known of an object that is not there any more.
    const named = await db.selectFrom('documentos').select('path').where('inscripcion_id', '=', id).execute()
    for (const path of new Set([...paths, ...named.map((one) => one.path)])) await storage.remove(bucket, path)
  }
  // Whoever asked to be gone is in the ledger before anything goes: a restore in between would bring the entry back.
  if (motivo === 'solicitud') await noteInscripcion({ db, settings }, id)
  // The objects first: while there is one, the rows that name it are there.
  await removeObjects()
  await db.transaction().execute(async (tx) => {
    const entry = await tx.selectFrom('inscripciones').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
    if (!entry) return
    const mails = await forgetCorreosDe(tx, id)
    // With it go its rows, its history, and the prints of what was typed in the journal of submissions.
    await tx.deleteFrom('inscripciones').where('id', '=', id).execute()
    await forgetMail(outboxOf(settings.dataDir), mails)
  })
  // A document that was on its way meanwhile has no row to belong to any more.
  await removeObjects()
  // Until the ledger beside the backups says it, too, the deletion is not at its end.
  if (motivo === 'solicitud') await llevaSupresiones(settings)
  await db.transaction().execute(async (tx) => {
    const done = await tx.deleteFrom('borrados').where('inscripcion_id', '=', id).executeTakeFirst()
    // Another process may have got there first.
    if (done.numDeletedRows === 1n)
      await anotar(tx, { quien, desde }, { que: `borrado.${motivo}`, acuse, inscripcion: id })
  })
}

/** Writes an entry into the ledger of deletions, while its row is there. */
async function noteInscripcion({ db, settings }: Pick<Trabajo, 'db' | 'settings'>, id: number): Promise<void> {
  const entry = await db
    .selectFrom('inscripciones')
    .select(['id', 'folio', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  const { clave } = await db.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
  if (entry) await noteSupresion(settings.dataDir, huellaDeInscripcion(clave, entry), new Date())
}

/** To be read out and written down. */
const newAcuse = () => `B-${inGroups(makeCode(10, LETRAS_CLARAS), 5)}`

/** Finishes the deletions that were interrupted; those that fail again are left for the next time. */
export async function recoverBorrados(services: Trabajo): Promise<void> {
  const open = await services.db.selectFrom('borrados').select('inscripcion_id').orderBy('at').execute()
  for (const { inscripcion_id: id } of open)
    await finish(services, id, SITIO.desde).catch((error: unknown) =>
      services.log.error({ err: error, inscripcion: id }, 'a deletion could not be finished yet'),
    )
}

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

/** Entries of an edition whose time has come. */
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
 * Deletes the entries whose time has come. One that arrived after the final is kept as long as the others, from its
 * arrival on. A clock that a rehearsal has moved ahead deletes nothing: the machine's must agree.
 * @param isStopping asked before each: the site is about to end
 * @returns how many
 */
export async function deleteVencidas(
  services: Trabajo,
  machineNow = new Date(),
  isStopping: () => boolean = () => false,
): Promise<number> {
  const { db } = services
  const now = earlierOf(services.clock, machineNow)
  let deleted = 0
  for (const plazo of await listPlazos(db)) {
    for (;;) {
      const due = await vencidas(db, plazo, now).select('id').orderBy('id').limit(BATCH).execute()
      for (const { id } of due) {
        if (isStopping()) return deleted
        if ((await deleteInscripcion(services, id, 'plazo', SITIO)).ok) deleted++
      }
      if (due.length < BATCH) break
    }
  }
  return deleted
}

/** Finishes what was interrupted, and deletes what is due, now and then for as long as the site runs. @returns ends it */
export function startBorrados(services: Trabajo): () => Promise<void> {
  let running = Promise.resolve()
  let stopping = false
  const sweep = () => {
    running = running
      .then(async () => {
        await recoverBorrados(services)
        const deleted = await deleteVencidas(services, new Date(), () => stopping)
        if (deleted > 0) services.log.info({ deleted }, 'entries whose time had come were deleted')
      })
      .catch((error: unknown) => services.log.error({ err: error }, 'the sweep of deletions failed'))
  }
  sweep()
  const timer = setInterval(sweep, SWEEP_MS).unref()
  return async () => {
    stopping = true
    clearInterval(timer)
    await running
  }
}
