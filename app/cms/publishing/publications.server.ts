import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { withEventIds } from '#app/cms/programme.ts'
import type { ContentFault, EditionValues } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { storeRedirects } from './redirects.server.ts'
import { openingOf } from './rules.ts'

/** The documents, as written, and files of a whole edition at one moment. */
export interface Publication {
  id: number
  edicion: number
  /** Fingerprint of documents and files (`publicationFingerprint`). */
  huella: string
  valores: EditionValues
  /** SHA-256 of the files by path in the edition. */
  archivos: Record<string, string>
}

const PUBLICATION_COLUMNS = ['id', 'edicion', 'huella', 'valores', 'archivos'] as const

/** Channel of PostgreSQL's NOTIFY that tells every process of a publication to prepare or to display. */
export const PUBLICATION_CHANNEL = 'edicion'

/** Returns the SHA-256, in hex, of an edition's documents and files; the order of keys does not matter. */
export const publicationFingerprint = (values: EditionValues, files: Record<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify([withSortedKeys(values), withSortedKeys(files)]))
    .digest('hex')

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, withSortedKeys(item)]),
  )
}

/** Returns the id of the publication that the site shows; undefined before the first publication. */
export async function readCurrentPublicationId(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('ediciones').select('publicacion').where('actual', 'is', true).executeTakeFirst()
  return row?.publicacion ?? undefined
}

/** Returns the year of the edition that the site shows; undefined before the first publication. */
export async function readCurrentYear(db: Database): Promise<number | undefined> {
  return (await db.selectFrom('ediciones').select('anio').where('actual', 'is', true).executeTakeFirst())?.anio
}

/** Reads the publication that the site shows, with its source (`origen`); undefined before the first publication. */
export const readCurrentPublication = (db: Database) =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select([...PUBLICATION_COLUMNS.map((column) => `publicaciones.${column}` as const), 'publicaciones.origen'])
    .where('ediciones.actual', 'is', true)
    .executeTakeFirst()

export const readPublication = (db: Database, id: number): Promise<Publication | undefined> =>
  db.selectFrom('publicaciones').select(PUBLICATION_COLUMNS).where('id', '=', id).executeTakeFirst()

/**
 * Reads the publication in force of an edition, which need not be the displayed edition; undefined before its first publication.
 */
export const readLatestPublication = (db: Database, year: number): Promise<Publication | undefined> =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select(PUBLICATION_COLUMNS.map((column) => `publicaciones.${column}` as const))
    .where('ediciones.anio', '=', year)
    .executeTakeFirst()

/**
 * Reads the publication in force as the base of a draft, in which each event of the programme has its id; undefined before the
 * first publication.
 */
export async function readDraftBase(db: Database, year: number): Promise<Publication | undefined> {
  const row = await readLatestPublication(db, year)
  return row && { ...row, valores: withEventIds(row.valores) }
}

/** Reads the publication that waits to be prepared or is being prepared, of which there is at most one; undefined without one. */
export const readPublicationInPreparation = (db: Database) =>
  db
    .selectFrom('publicaciones')
    .select([...PUBLICATION_COLUMNS, 'borrador', 'quien', 'created_at', 'origen', 'de'])
    .where('estado', '=', 'preparando')
    .executeTakeFirst()

/** Returns whether any process holds the advisory lock for preparing and rendering a publication (view pg_locks). */
export async function isBeingPrepared(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1 and classid = 0
      and objid = ${ADVISORY_LOCKS.preparePublication} and database = (select oid from pg_database where datname = current_database())
    `.execute(db)
  return rows.length > 0
}

export interface NewPublication {
  edicion: number
  valores: EditionValues
  archivos: Record<string, string>
  origen: 'carpeta' | 'importada' | 'panel' | 'regreso'
  /** Id of the earlier publication whose content a `regreso` repeats. */
  de?: number | undefined
  /** Version of the published draft. */
  borrador?: number | undefined
  /** Id of the organiser's account; undefined for a publication from content/ or the terminal. */
  quien?: string | undefined
  nota?: string | undefined
  /** JSON of the record that takes effect with the publication. */
  acta?: string | undefined
}

/**
 * Inserts a publication and returns its id.
 * @param state `preparando`: a process has to prepare and display it; `publicada`: it needs no preparation
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
      huella: publicationFingerprint(valores, archivos),
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
 * Makes a publication current, redirects the old paths of renamed teachers, and notifies all processes on commit. From then on the
 * database refuses votes before the opening that the publication states.
 */
export async function setCurrentPublication(tx: Database, { id, edicion }: { id: number; edicion: number }, now: Date) {
  const [previousPublication, newPublication] = [await readCurrentPublication(tx), await readPublication(tx, id)]
  if (newPublication) await storeRedirects(tx, previousPublication?.valores, newPublication.valores, now)
  const opening = newPublication && openingOf(newPublication.valores)
  const voteOpening = opening === undefined ? null : new Date(opening)
  await tx
    .updateTable('ediciones')
    .set({ actual: false })
    .where('actual', 'is', true)
    .where('anio', '<>', edicion)
    .execute()
  await tx
    .insertInto('ediciones')
    .values({ anio: edicion, publicacion: id, actual: true, abierta_at: now, abre_votacion: voteOpening })
    .onConflict((conflict) =>
      conflict.column('anio').doUpdateSet({
        publicacion: id,
        abre_votacion: voteOpening,
        actual: true,
        abierta_at: sql`coalesce(ediciones.abierta_at, excluded.abierta_at)`,
      }),
    )
    .execute()
  await notifyProcesses(tx)
}

/** Notifies every process of a change of publications when the transaction commits. */
export async function notifyProcesses(db: Database): Promise<void> {
  await sql`select pg_notify(${PUBLICATION_CHANNEL}, '')`.execute(db)
}

export async function markPublicationAsFailed(db: Database, id: number, faults: ContentFault[]): Promise<void> {
  await db
    .updateTable('publicaciones')
    .set({ estado: 'fallida', fallas: JSON.stringify(faults) })
    .where('id', '=', id)
    .where('estado', '=', 'preparando')
    .execute()
  await notifyProcesses(db)
}

/** Reads the pages of a publication as one build has rendered them; empty before the rendering. */
export const readRenderedPages = (db: Database, publicationId: number, buildId: string) =>
  db
    .selectFrom('paginas')
    .select(['ruta', 'cabeceras', 'cuerpo'])
    .where('publicacion', '=', publicationId)
    .where('construccion', '=', buildId)
    .execute()

export type RenderedPage = Awaited<ReturnType<typeof readRenderedPages>>[number]

export async function saveRenderedPages(
  tx: Database,
  publicationId: number,
  buildId: string,
  renderedPages: RenderedPage[],
) {
  for (const { ruta, cabeceras, cuerpo } of renderedPages)
    await tx
      .insertInto('paginas')
      .values({ publicacion: publicationId, construccion: buildId, ruta, cabeceras: JSON.stringify(cabeceras), cuerpo })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** Reads the rows of files by their SHA-256; leaves out unknown files. */
export async function readFileRows(db: Database, hashes: string[]) {
  if (hashes.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('archivos_de_edicion')
    .select(['sha256', 'tipo', 'bytes', 'ancho', 'alto', 'vista', 'guardado'])
    .where('sha256', 'in', [...new Set(hashes)])
    .execute()
  return new Map(rows.map((row) => [row.sha256, row]))
}

/** Number of earlier publications whose pictures are still served, and that can replace a publication that cannot be displayed. */
const MAX_EARLIER_PUBLICATIONS = 30

/** Lists the last MAX_EARLIER_PUBLICATIONS of an edition's publications before the given publication, newest first. */
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

/** Reads the redirects: old path of a renamed teacher → new path. */
export const readRedirects = async (db: Database): Promise<Map<string, string>> =>
  new Map((await db.selectFrom('redirecciones').selectAll().execute()).map(({ desde, hacia }) => [desde, hacia]))

/** Reads the publication in force of each earlier year's edition that the site has displayed, newest edition first. */
export const readPastPublications = (db: Database, currentYear: number): Promise<Publication[]> =>
  db
    .selectFrom('ediciones')
    .innerJoin('publicaciones', 'publicaciones.id', 'ediciones.publicacion')
    .select(PUBLICATION_COLUMNS.map((column) => `publicaciones.${column}` as const))
    .where('ediciones.anio', '<', currentYear)
    .where('ediciones.abierta_at', 'is not', null)
    .orderBy('ediciones.anio', 'desc')
    .execute()
