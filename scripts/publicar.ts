// Prepares a publication apart from the site, which starts this and sends one message: what to do, and with which
// database and storage. It ends with EXIT_BUSY when another process is at it already.
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import sharp from 'sharp'
import { describe, localFile, objetoDeTamano } from '#app/edicion/acervo.server.ts'
import { BUCKET, saveArchivo } from '#app/edicion/archivos.server.ts'
import type { TipoDeArchivo } from '#app/edicion/archivos.ts'
import {
  IMAGES_FOLDER,
  imageManifest,
  manifestOf,
  pngsOf,
  type Variant,
  variantsOfAll,
} from '#app/edicion/imagenes.server.ts'
import { type Archivos, checkValores, type Falla } from '#app/edicion/lectura.server.ts'
import { makePng } from '#app/edicion/png.server.ts'
import {
  fallo,
  type Publicacion,
  ponVigente,
  readArchivos,
  readPaginas,
  readPreparando,
  readPublicacion,
  savePaginas,
} from '#app/edicion/publicaciones.server.ts'
import { putMovido } from '#app/escrutinio/cierre-movido.server.ts'
import { CANDADOS } from '#app/platform/candados.ts'
import { type Database, openDatabase, openPool } from '#app/platform/database.server.ts'
import { openStorage } from '#app/platform/open-storage.server.ts'
import { claim } from '#app/platform/site-lock.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/platform/storage.server.ts'
import { EXIT_BUSY, type Tarea } from '../server/ediciones.ts'
import { readEdicionesPasadas } from '../server/pasadas.ts'
import { cardsOf, makeMissing } from './images.ts'
import { loadBundle, renderAll } from './pages.ts'

/** Sizes of a new picture without which a publication is not shown: what phones and desktops ask for first. */
const FIRST_WIDTHS = [480, 960, 1600]

interface Taller {
  root: string
  construccion: string
  /** Moment of the site's clock. */
  now: Date
  db: Database
  storage: ObjectStorage
}

/** One preparation at a time, over all processes: the lock is a transaction's, so that it goes with this process. */
async function underLock(taller: Taller, { connection, que, publicacion }: Tarea): Promise<number> {
  const client = new pg.Client(typeof connection === 'string' ? { connectionString: connection } : connection)
  await client.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as mine', [CANDADOS.preparar])
    if (!rows[0].mine) return EXIT_BUSY
    return await (que === 'preparar' ? prepare(taller) : renderOnly(taller, publicacion))
  } finally {
    await client.query('rollback').catch(() => {})
    await client.end()
  }
}

/** Everything that is known of a publication's files and words before anything is rendered. */
async function read({ db, root }: Taller, { valores, archivos }: Publicacion) {
  const filas = await readArchivos(db, Object.values(archivos))
  const { archivos: documentos, fallas } = checkValores(valores, (ruta) => filas.has(archivos[ruta] ?? ''))
  const muestra = await imageManifest(root).catch(() => undefined)
  const described = manifestOf(describe(archivos, filas, muestra), documentos, fallas.length === 0)
  return { ...described, documentos, fallas }
}

type Leida = Awaited<ReturnType<typeof read>>

async function render({ root, db, now }: Taller, { documentos, manifest }: Leida, id: number, edicion: number) {
  const bundle = await loadBundle(root)
  const pasadas = await readEdicionesPasadas({ db, clock: { now: () => now } }, edicion, root)
  const puesta = bundle.puestaDe(documentos as Archivos, manifest, id, pasadas)
  return bundle.conEdicion(puesta, () => renderAll(bundle))
}

/** Prepares the publication that waits, and names it the one that the site shows. */
async function prepare(taller: Taller): Promise<number> {
  const { db, construccion } = taller
  const waiting = await readPreparando(db)
  if (!waiting) return 0
  const { id, edicion, borrador } = waiting
  const fail = async (fallas: Falla[]) => {
    await fallo(db, id, fallas)
    return 0
  }
  const leida = await read(taller, waiting)
  if (leida.fallas.length > 0) return fail(leida.fallas)
  await firstSizes(taller, leida)
  const same = await sameAsBefore(db, waiting, construccion)
  const paginas = same ?? (await render(taller, leida, id, edicion))
  const held = await db.transaction().execute(async (tx) => {
    const why = await putMovido(tx, waiting)
    if (why !== undefined) return why
    await savePaginas(tx, id, construccion, paginas)
    const { numUpdatedRows } = await tx
      .updateTable('publicaciones')
      .set({ estado: 'publicada', publicada_at: taller.now })
      .where('id', '=', id)
      .where('estado', '=', 'preparando')
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Error('The publication was settled by somebody else meanwhile')
    await ponVigente(tx, waiting, taller.now)
    // What somebody has written since stays a draft.
    if (borrador !== null)
      await tx.deleteFrom('borradores').where('edicion', '=', edicion).where('version', '<=', borrador).execute()
    await dropOldPages(tx)
    return undefined
  })
  if (held !== undefined) return fail([{ archivo: 'edicion.yaml', campo: 'fechas.cierreVotacion', remedio: held }])
  return 0
}

/** Pages of an older publication that says the same, as this very build rendered them. */
async function sameAsBefore(db: Database, { id, huella, edicion }: Publicacion, construccion: string) {
  const older = await db
    .selectFrom('publicaciones')
    .select('id')
    .where('huella', '=', huella)
    .where('edicion', '=', edicion)
    .where('id', '<>', id)
    .where('estado', '=', 'publicada')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const paginas = older ? await readPaginas(db, older.id, construccion) : []
  return paginas.length > 0 ? paginas : undefined
}

/** How many publications keep their pages, so that going back to one is at once. */
const KEPT_PAGES = 5

const dropOldPages = (tx: Database) =>
  tx
    .deleteFrom('paginas')
    .where('publicacion', 'not in', (eb) =>
      eb
        .selectFrom('publicaciones')
        .select('id')
        .where('estado', '=', 'publicada')
        .orderBy('id', 'desc')
        .limit(KEPT_PAGES),
    )
    .where('publicacion', 'not in', (eb) =>
      eb
        .selectFrom('ediciones')
        .select('publicacion')
        .where('publicacion', 'is not', null)
        .$castTo<{ publicacion: number }>(),
    )
    .execute()

/** Renders a publication that another build has rendered already. */
async function renderOnly(taller: Taller, id: number | undefined): Promise<number> {
  const publicacion = id === undefined ? undefined : await readPublicacion(taller.db, id)
  if (!publicacion) return 0
  const leida = await read(taller, publicacion)
  if (leida.fallas.length > 0) {
    console.error(leida.fallas.map(({ archivo, campo, remedio }) => `${archivo} › ${campo}: ${remedio}`).join('\n'))
    return 1
  }
  await savePaginas(
    taller.db,
    publicacion.id,
    taller.construccion,
    await render(taller, leida, publicacion.id, publicacion.edicion),
  )
  return 0
}

/** Whether a picture was sent from the panel, or imported: what lies in content/ is made behind the site. */
const isStored = ({ source }: { source: string }) => source.startsWith(IMAGES_FOLDER)

async function firstSizes(taller: Taller, { manifest }: Leida): Promise<void> {
  const wanted = variantsOfAll(manifest).filter(
    (variant) => isStored(variant) && (variant.format === 'jpg' || isFirst(variant)),
  )
  await make(taller, wanted, manifest)
}

const isFirst = ({ format, width }: Variant) => format === 'avif' && FIRST_WIDTHS.includes(width)

/** Makes sizes that are neither here nor in the storage, and leaves them in both. */
async function make({ storage, root }: Taller, wanted: Variant[], { photos }: Leida['manifest']): Promise<void> {
  await mkdir(join(root, IMAGES_FOLDER), { recursive: true })
  for (const variant of wanted.filter(({ file }) => !existsSync(join(root, file)))) {
    await localFile(storage, photos[variant.path]!, root)
    await makeMissing([variant])
    await keep(storage, variant.file)
  }
}

/** Leaves what was made in the storage, for the other processes and for the next machine. */
async function keep(storage: ObjectStorage, file: string): Promise<void> {
  const contentType = `image/${file.endsWith('.jpg') ? 'jpeg' : file.slice(file.lastIndexOf('.') + 1)}`
  const metadata = { contentType, cacheControlSeconds: 31_536_000 }
  await storage.putBytes(BUCKET, objetoDeTamano(file), await readFile(file), metadata).catch((error: unknown) => {
    if (!(error instanceof ObjectExistsError)) throw error
  })
}

const PATIENCE_MS = 60 * 60_000

/** Makes what is missing of a publication's pictures behind the site, and brings the sample's files into the storage. */
async function makeSizes(taller: Taller, id: number | undefined): Promise<number> {
  if (process.pid) setPriority(process.pid, constants.priority.PRIORITY_LOW)
  sharp.concurrency(1)
  const { db, storage, root } = taller
  const publicacion = id === undefined ? undefined : await readPublicacion(db, id)
  if (!publicacion) return 0
  const release = await claim(`${IMAGES_FOLDER}.pid`, '', PATIENCE_MS)
  if (typeof release !== 'function') return EXIT_BUSY
  try {
    const leida = await read(taller, publicacion)
    const { manifest, documentos } = leida
    const cards = cardsOf(leida)
    for (const { source } of cards) await bring(taller, manifest, source)
    // Cards first: they are few, and networks keep the first answer that they get.
    await makeMissing(cards)
    await makeMissing(variantsOfAll(manifest).filter((variant) => !isStored(variant)))
    await make(taller, variantsOfAll(manifest).filter(isStored), manifest)
    for (const { source, file } of pngsOf(manifest, documentos)) {
      await bring(taller, manifest, source)
      await makePng(source, file)
    }
    const filas = await readArchivos(db, Object.values(publicacion.archivos))
    for (const { sha256, source } of [...Object.values(manifest.photos), ...Object.values(manifest.files)]) {
      const fila = filas.get(sha256)
      if (!fila || fila.guardado || !existsSync(join(root, source))) continue
      await saveArchivo(
        { db, storage },
        { tipo: fila.tipo as TipoDeArchivo, bytes: await readFile(join(root, source)) },
      )
    }
  } finally {
    await release()
  }
  return 0
}

async function bring({ storage, root }: Taller, { photos }: Leida['manifest'], source: string): Promise<void> {
  const entry = Object.values(photos).find((one) => one.source === source)
  if (entry) await localFile(storage, entry, root)
}

async function run(): Promise<void> {
  const tarea = await new Promise<Tarea>((resolve) => process.once('message', resolve as (message: unknown) => void))
  // It ends with the site that started it.
  process.on('disconnect', () => process.exit())
  process.env.NODE_ENV = 'production'
  const pool = openPool(tarea.connection, 3)
  const taller: Taller = {
    root: tarea.root,
    construccion: tarea.construccion,
    now: new Date(tarea.now),
    db: openDatabase(pool),
    storage: await openStorage(tarea),
  }
  try {
    process.exitCode = await (tarea.que === 'tamanos' ? makeSizes(taller, tarea.publicacion) : underLock(taller, tarea))
  } finally {
    await pool.end()
    // The channel to the site would keep this process alive.
    process.disconnect?.()
  }
}

await run()
