import { lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { sql } from 'kysely'
import { type ImageManifest, imageManifest, typeOf } from '#app/cms/media/image-manifest.server.ts'
import {
  ACTA,
  type Archivos,
  anunciada,
  CONTENT_FOLDER,
  type Falla,
  readEdicion,
  type Valores,
} from '#app/cms/schema/read-content.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { huellaDe, insertPublicacion, ponVigente, readVigente } from './publications.server.ts'

/** The edition that lies in content/, as it could be published; or what keeps it from that. */
export type Carpeta =
  | {
      ok: true
      edicion: number
      valores: Valores
      documentos: Archivos
      /** Path in the edition → sha256. */
      archivos: Record<string, string>
      huella: string
      manifest: ImageManifest
    }
  | { ok: false; fallas: Falla[] }

/** Where the build says what kept it from rendering content/, from the project's root. */
export const FALLAS_DE_CONTENIDO = 'build/pages/fallas.json'

/** @param root the project's folder, which has been built */
export async function readCarpeta(root = '.'): Promise<Carpeta> {
  const said = await readFile(join(root, FALLAS_DE_CONTENIDO), 'utf8').catch(() => undefined)
  if (said !== undefined) return { ok: false, fallas: JSON.parse(said) as Falla[] }
  const { name, valores, archivos: documentos, fallas } = anunciada(await readEdicion(root))
  if (fallas.length > 0 || name === undefined) return { ok: false, fallas }
  const manifest = await imageManifest(root)
  const archivos = Object.fromEntries(
    [...Object.entries(manifest.photos), ...Object.entries(manifest.files)].map(
      ([path, { sha256 }]) => [path, sha256] as const,
    ),
  )
  return {
    ok: true,
    edicion: name,
    valores,
    documentos: documentos as Archivos,
    archivos,
    huella: huellaDe(valores, archivos),
    manifest,
  }
}

/**
 * The sealed act that comes with an edition in content/.
 * @returns path of the published file, as /misspopularidad/acta.json has it; undefined where none comes with it
 */
export const actaDeMuestra = (edicion: number, root = '.'): string | undefined => {
  const file = join(root, CONTENT_FOLDER, String(edicion), ACTA)
  // What it links to is nothing of the edition.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * Publishes content/ where nothing else has been published yet, or where content/ itself was what was published last
 * and has changed since. The build has rendered it already.
 */
export async function publishCarpeta(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { edicion, valores, archivos, huella, manifest }: Extract<Carpeta, { ok: true }>,
): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.editar})`.execute(tx)
    const vigente = await readVigente(tx)
    if (vigente && (vigente.origen !== 'carpeta' || vigente.huella === huella)) return
    await tx
      .insertInto('archivos_de_edicion')
      .values(filesOf(manifest))
      .onConflict((one) => one.doNothing())
      .execute()
    const id = await insertPublicacion(tx, { edicion, valores, archivos, origen: 'carpeta' }, 'publicada', now)
    await ponVigente(tx, { id, edicion }, now)
  })
}

/** The files of content/ as rows; their bytes come into the storage behind the start. */
const filesOf = ({ photos, files }: ImageManifest) => [
  ...new Map(
    [
      ...Object.entries(files).map(([path, { sha256 }]) => ({ sha256, tipo: typeOf(path), bytes: 0 })),
      ...Object.entries(photos).map(([path, { sha256, width, height, preview }]) => ({
        ...{ sha256, bytes: 0, ancho: width, alto: height, vista: preview },
        tipo: extname(path) === '.png' ? 'image/png' : 'image/jpeg',
      })),
    ].map((row) => [row.sha256, row] as const),
  ).values(),
]
