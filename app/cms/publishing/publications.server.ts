import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { withEventIds } from '#app/cms/schema/programme.ts'
import type { Falla, Values } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { keepRedirects } from './redirects.server.ts'

/** All of an edition at one moment, as it was written. */
export interface Publication {
  id: number
  edicion: number
  /** sha256 of values and files, whatever their order. */
  huella: string
  valores: Values
  /** Path of a file in the edition → sha256 of its bytes. */
  archivos: Record<string, string>
}

const COLUMNS = ['id', 'edicion', 'huella', 'valores', 'archivos'] as const

/** The channel on which every process hears that there is something to prepare or to show. */
export const CANAL = 'edicion'

/** sha256 of what an edition says and shows, hex. */
export const fingerprintOf = (values: Values, files: Record<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify([inOrder(values), inOrder(files)]))
    .digest('hex')

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, inOrder(item)]),
  )
}

/** Number of the publication that the site shows; undefined before the first. */
export async function readCurrentPublicationId(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('ediciones').select('publicacion').where('actual', 'is', true).executeTakeFirst()
  return row?.publicacion ?? undefined
}

/** The publication that the site shows, with where it comes from; undefined before the first. */
export const readCurrentPublication = (db: Database) =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select([...COLUMNS.map((column) => `publicaciones.${column}` as const), 'publicaciones.origen'])
    .where('ediciones.actual', 'is', true)
    .executeTakeFirst()

export const readPublication = (db: Database, id: number): Promise<Publication | undefined> =>
  db.selectFrom('publicaciones').select(COLUMNS).where('id', '=', id).executeTakeFirst()

/** The newest publication of an edition, whether the site shows that edition or not. */
export const readUltima = (db: Database, year: number): Promise<Publication | undefined> =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select(COLUMNS.map((column) => `publicaciones.${column}` as const))
    .where('ediciones.anio', '=', year)
    .executeTakeFirst()

/** The same as a draft is of it: each event of the programme with its id. */
export async function readDraftBase(db: Database, year: number): Promise<Publication | undefined> {
  const row = await readUltima(db, year)
  return row && { ...row, valores: withEventIds(row.valores) }
}

/** The publication that waits to be prepared. */
export const readPublicationInPreparation = (db: Database) =>
  db
    .selectFrom('publicaciones')
    .select([...COLUMNS, 'borrador', 'quien', 'created_at', 'origen', 'de'])
    .where('estado', '=', 'preparando')
    .executeTakeFirst()

/** Whether some process prepares or renders a publication at this moment. */
export async function isBeingPrepared(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1 and classid = 0
      and objid = ${ADVISORY_LOCKS.preparar} and database = (select oid from pg_database where datname = current_database())
    `.execute(db)
  return rows.length > 0
}

export interface NewPublication {
  edicion: number
  valores: Values
  archivos: Record<string, string>
  origen: 'carpeta' | 'importada' | 'panel' | 'regreso'
  de?: number | undefined
  /** The draft's version that it is made of. */
  borrador?: number | undefined
  quien?: string | undefined
  nota?: string | undefined
  /** JSON of the act that is in force together with it. */
  acta?: string | undefined
}

/**
 * Writes a publication down, to be prepared and shown.
 * @param state publicada: it needs no preparation, since the build has rendered it
 */
export async function insertPublication(
  db: Database,
  { valores, archivos, ...rest }: NewPublication,
  state: 'preparando' | 'publicada',
  now: Date,
): Promise<number> {
  const { id } = await db
    .insertInto('publicaciones')
    .values({
      ...rest,
      nota: rest.nota ?? '',
      huella: fingerprintOf(valores, archivos),
      valores: JSON.stringify(valores),
      archivos: JSON.stringify(archivos),
      estado: state,
      created_at: now,
      publicada_at: state === 'publicada' ? now : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Names a publication the one that the site shows, leads old addresses to people's new ones, and tells every process once
 * the transaction is through.
 */
export async function setCurrentPublication(tx: Database, { id, edicion }: { id: number; edicion: number }, now: Date) {
  const [previous, next] = [await readCurrentPublication(tx), await readPublication(tx, id)]
  if (next) await keepRedirects(tx, previous?.valores, next.valores, now)
  await tx
    .updateTable('ediciones')
    .set({ actual: false })
    .where('actual', 'is', true)
    .where('anio', '<>', edicion)
    .execute()
  await tx
    .insertInto('ediciones')
    .values({ anio: edicion, publicacion: id, actual: true, abierta_at: now })
    .onConflict((conflict) =>
      conflict.column('anio').doUpdateSet({
        publicacion: id,
        actual: true,
        abierta_at: sql`coalesce(ediciones.abierta_at, excluded.abierta_at)`,
      }),
    )
    .execute()
  await notifyProcesses(tx)
}

/** Wakes every process that looks after publications. */
export async function notifyProcesses(db: Database): Promise<void> {
  await sql`select pg_notify(${CANAL}, '')`.execute(db)
}

/** What came of a preparation that could not be finished. */
export async function markAsFailed(db: Database, id: number, faults: Falla[]): Promise<void> {
  await db
    .updateTable('publicaciones')
    .set({ estado: 'fallida', fallas: JSON.stringify(faults) })
    .where('id', '=', id)
    .where('estado', '=', 'preparando')
    .execute()
  await notifyProcesses(db)
}

/** Pages of a publication as one build rendered them; none until they are. */
export const readPages = (db: Database, publication: number, buildId: string) =>
  db
    .selectFrom('paginas')
    .select(['ruta', 'cabeceras', 'cuerpo'])
    .where('publicacion', '=', publication)
    .where('construccion', '=', buildId)
    .execute()

export type RenderedPage = Awaited<ReturnType<typeof readPages>>[number]

export async function savePages(tx: Database, publication: number, buildId: string, renderedPages: RenderedPage[]) {
  for (const { ruta, cabeceras, cuerpo } of renderedPages)
    await tx
      .insertInto('paginas')
      .values({ publicacion: publication, construccion: buildId, ruta, cabeceras: JSON.stringify(cabeceras), cuerpo })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** Files of editions, by sha256, as far as they are described. */
export async function readFiles(db: Database, sums: string[]) {
  if (sums.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('archivos_de_edicion')
    .select(['sha256', 'tipo', 'ancho', 'alto', 'vista', 'guardado'])
    .where('sha256', 'in', [...new Set(sums)])
    .execute()
  return new Map(rows.map((row) => [row.sha256, row]))
}

/** How many earlier publications answer for their pictures, and stand by where the newest cannot be shown. */
const MAX_EARLIER_PUBLICATIONS = 30

/** Publications of an edition before one, newest first. */
export const listEarlierPublications = (db: Database, { id, edicion }: Publication) =>
  db
    .selectFrom('publicaciones')
    .select(['id', 'huella'])
    .where('edicion', '=', edicion)
    .where('id', '<', id)
    .where('estado', '=', 'publicada')
    .orderBy('id', 'desc')
    .limit(MAX_EARLIER_PUBLICATIONS)
    .execute()

/** Address of somebody with another name now → where it leads. */
export const readRedirects = async (db: Database): Promise<Map<string, string>> =>
  new Map((await db.selectFrom('redirecciones').selectAll().execute()).map(({ desde, hacia }) => [desde, hacia]))

/** The last publication of every edition that the site showed before this one, the newest first. */
export const readPastPublications = (db: Database, actual: number): Promise<Publication[]> =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select(COLUMNS.map((column) => `publicaciones.${column}` as const))
    .where('ediciones.anio', '<', actual)
    .where('ediciones.abierta_at', 'is not', null)
    .orderBy('ediciones.anio', 'desc')
    .execute()
