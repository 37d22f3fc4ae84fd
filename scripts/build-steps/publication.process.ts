// The site starts this process for one job, which comes in one message: to prepare a publication, to render it, or to generate its
// picture sizes. The process exits with EXIT_BUSY if another process holds the job's lock or, for MAX_CLAIM_WAIT_MS, its claim.
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import sharp from 'sharp'
import { may } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { removePublishedDocuments } from '#app/cms/drafts/draft-store.server.ts'
import {
  describeFiles,
  downloadObject,
  ensureLocalFile,
  variantObjectPath,
} from '#app/cms/editions/media-cache.server.ts'
import { ensurePng } from '#app/cms/media/ensure-png.server.ts'
import type { FileType } from '#app/cms/media/file-rules.ts'
import { EDITION_BUCKET, saveEditionFile } from '#app/cms/media/file-store.server.ts'
import {
  IMAGES_FOLDER,
  type ImageVariant,
  imageManifest,
  listPressPngs,
  listVariants,
  manifestOf,
} from '#app/cms/media/image-manifest.server.ts'
import { recheckPublication } from '#app/cms/publishing/mutations.server.ts'
import {
  markPublicationAsFailed,
  type Publication,
  readFileRows,
  readPublication,
  readPublicationInPreparation,
  readRenderedPages,
  saveRenderedPages,
  setCurrentPublication,
} from '#app/cms/publishing/publications.server.ts'
import { type ContentFault, checkDocuments, type EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { withAdvisoryLock } from '#app/core/db/with-advisory-lock.server.ts'
import { claimFile } from '#app/core/process/data-folder-lock.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openStorage } from '#app/core/storage/open-store.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { applyClosingMove, findMovedOpeningFault, hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import { readPastEditions } from '../../server/past-editions.ts'
import type { PauseMessage } from '../../server/pause-while-serving.ts'
import { EXIT_BUSY, type PublicationJob } from '../../server/publication-job.ts'
import { cardsOf, makeMissing } from '../images.ts'
import { loadBundle, renderAll } from './render-pages.ts'

/** AVIF widths in pixels that a publication needs to be shown, since phones and desktops request them first. */
const FIRST_WIDTHS = [480, 960, 1600]

interface JobContext {
  root: string
  buildId: string
  /** Present moment by the site's clock. */
  now: Date
  /** Queens of the editions whose final is public, by year. */
  queens: Parameters<typeof readPastEditions>[2]
  db: Database
  storage: ObjectStorage
}

/** Prepares or renders a publication under an advisory lock: one process at a time, of all processes over the database. */
async function runUnderLock(context: JobContext, { connection, task, publicationId }: PublicationJob): Promise<number> {
  const client = new pg.Client(typeof connection === 'string' ? { connectionString: connection } : connection)
  // A broken connection releases the lock while the work goes on; the transaction of `prepare` checks that the publication still waits.
  client.on('error', () => {})
  await client.connect()
  try {
    const work = () => (task === 'prepare' ? prepare(context) : renderPublication(context, publicationId))
    return (await withAdvisoryLock(client, ADVISORY_LOCKS.preparePublication, work)) ?? EXIT_BUSY
  } finally {
    await client.end()
  }
}

/** Checks a publication's documents and describes its files, before anything is rendered. */
async function readContent({ db, root }: JobContext, { valores, archivos }: Publication) {
  const rows = await readFileRows(db, Object.values(archivos))
  const { documents, faults } = checkDocuments(valores, (path) => rows.has(archivos[path] ?? ''))
  const contentManifest = await imageManifest(root).catch(() => undefined)
  const describedContent = manifestOf(describeFiles(archivos, rows, contentManifest), documents, faults.length === 0)
  return { ...describedContent, documentos: documents, fallas: faults }
}

type LoadedContent = Awaited<ReturnType<typeof readContent>>

async function renderContent(context: JobContext, content: LoadedContent, { id, edicion }: Publication) {
  const { root, db, now, queens } = context
  const { documentos, manifest } = content
  const bundle = await loadBundle(root)
  const pastEditions = await readPastEditions({ db, clock: { now: () => now } }, edicion, queens, root)
  const displayed = bundle.displayedEditionOf(documentos as EditionDocuments, manifest, id, pastEditions)
  return bundle.withEdition(displayed, () => renderAll(bundle))
}

/** Prepares the waiting publication, if any: makes it current or, for faults or a refusal, marks it as failed. @returns the exit code */
async function prepare(context: JobContext): Promise<number> {
  const { db, buildId } = context
  const waitingPublication = await readPublicationInPreparation(db)
  if (!waitingPublication) return 0
  const { id, edicion, borrador } = waitingPublication
  const fail = async (faults: ContentFault[]) => {
    await markPublicationAsFailed(db, id, faults)
    return 0
  }
  const loadedContent = await readContent(context, waitingPublication)
  if (loadedContent.fallas.length > 0) return fail(loadedContent.fallas)
  await generateFirstSizes(context, loadedContent)
  const samePages = await readSamePages(db, waitingPublication, buildId)
  const renderedPages = samePages ?? (await renderContent(context, loadedContent, waitingPublication))
  const refusal = await db.transaction().execute(async (tx): Promise<ContentFault | undefined> => {
    const recheckRefusal = await recheckPublication(tx, waitingPublication, { mayChangeReserved, hasVoteBegun })
    if (recheckRefusal !== undefined) return { archivo: '', campo: '', remedio: recheckRefusal }
    const datesRefusal =
      (await findMovedOpeningFault(tx, waitingPublication)) ?? (await applyClosingMove(tx, waitingPublication))
    if (datesRefusal !== undefined) return { archivo: 'edicion.yaml', campo: 'fechas', remedio: datesRefusal }
    await saveRenderedPages(tx, id, buildId, renderedPages)
    const { numUpdatedRows } = await tx
      .updateTable('publicaciones')
      .set({ estado: 'publicada', publicada_at: context.now })
      .where('id', '=', id)
      .where('estado', '=', 'preparando')
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Error('Another process has settled the publication in the meantime')
    await setCurrentPublication(tx, waitingPublication, context.now)
    if (borrador !== null) await removePublishedDocuments(tx, edicion, borrador)
    await dropOldPages(tx)
    return undefined
  })
  return refusal ? fail([refusal]) : 0
}

/** Returns whether an account may now publish changes of the reserved part (`hasSameReserved`). */
async function mayChangeReserved(tx: Database, accountId: string): Promise<boolean> {
  const account = await tx.selectFrom('profiles').select('role').where('id', '=', accountId).executeTakeFirst()
  return may(account?.role as Role | null | undefined, 'edicion')
}

/** Returns the pages of an older publication with the same content, as this build rendered them; undefined without them. */
async function readSamePages(db: Database, { id, huella, edicion }: Publication, buildId: string) {
  const olderPublication = await db
    .selectFrom('publicaciones')
    .select('id')
    .where('huella', '=', huella)
    .where('edicion', '=', edicion)
    .where('id', '<>', id)
    .where('estado', '=', 'publicada')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const renderedPages = olderPublication ? await readRenderedPages(db, olderPublication.id, buildId) : []
  return renderedPages.length > 0 ? renderedPages : undefined
}

/** Number of publications whose rendered pages stay, besides those in force, so that going back to one is immediate. */
const KEPT_PUBLICATIONS = 5

const dropOldPages = (tx: Database) =>
  tx
    .deleteFrom('paginas')
    .where('publicacion', 'not in', (eb) =>
      eb
        .selectFrom('publicaciones')
        .select('id')
        .where('estado', '=', 'publicada')
        .orderBy('id', 'desc')
        .limit(KEPT_PUBLICATIONS),
    )
    .where('publicacion', 'not in', (eb) =>
      eb
        .selectFrom('ediciones')
        .select('publicacion')
        .where('publicacion', 'is not', null)
        .$castTo<{ publicacion: number }>(),
    )
    .execute()

/** Renders a publication with this build. @returns the exit code: 1 if this build finds faults in the content */
async function renderPublication(context: JobContext, id: number | undefined): Promise<number> {
  const publication = id === undefined ? undefined : await readPublication(context.db, id)
  if (!publication) return 0
  const loadedContent = await readContent(context, publication)
  if (loadedContent.fallas.length > 0) {
    console.error(
      loadedContent.fallas.map(({ archivo, campo, remedio }) => `${archivo} › ${campo}: ${remedio}`).join('\n'),
    )
    return 1
  }
  const renderedPages = await renderContent(context, loadedContent, publication)
  await saveRenderedPages(context.db, publication.id, context.buildId, renderedPages)
  return 0
}

/** Returns whether a picture was sent from the panel or imported. The sizes of pictures in content/ are not needed at first. */
const isOutsideContent = ({ source }: { source: string }) => source.startsWith(IMAGES_FOLDER)

async function generateFirstSizes(context: JobContext, { manifest }: LoadedContent): Promise<void> {
  const wantedSizes = listVariants(manifest).filter(
    (variant) => isOutsideContent(variant) && (variant.format === 'jpg' || isFirstSize(variant)),
  )
  await ensureSizes(context, wantedSizes, manifest)
}

const isFirstSize = ({ format, width }: ImageVariant) => format === 'avif' && FIRST_WIDTHS.includes(width)

/**
 * Ensures that picture sizes are on this machine and in the storage: fetches sizes that another process has generated, and
 * generates the remaining sizes. The order is random, so that processes that begin at the same moment share the work.
 */
async function ensureSizes(
  { storage, root }: JobContext,
  wantedSizes: ImageVariant[],
  { photos }: LoadedContent['manifest'],
  beforeEach?: () => Promise<void>,
): Promise<void> {
  await mkdir(join(root, IMAGES_FOLDER), { recursive: true })
  const storedPaths = new Set<string>()
  for await (const path of storage.list(EDITION_BUCKET, variantObjectPath(''))) storedPaths.add(path)
  for (const variant of inRandomOrder(wantedSizes)) {
    const { file } = variant
    const isLocal = existsSync(join(root, file))
    if (isLocal && storedPaths.has(variantObjectPath(file))) continue
    if (!isLocal && (await downloadObject(storage, variantObjectPath(file), join(root, file)))) continue
    if (!isLocal) {
      await ensureLocalFile(storage, photos[variant.path]!, root)
      await makeMissing([variant], beforeEach && { beforeEach })
    }
    await storeSize(storage, file)
  }
}

const inRandomOrder = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)

/** Stores a generated size for the other processes, and for the site's next machine. */
async function storeSize(storage: ObjectStorage, file: string): Promise<void> {
  const contentType = `image/${file.endsWith('.jpg') ? 'jpeg' : file.slice(file.lastIndexOf('.') + 1)}`
  const metadata = { contentType, cacheControlSeconds: 31_536_000 }
  await storage
    .putBytes(EDITION_BUCKET, variantObjectPath(file), await readFile(file), metadata)
    .catch((error: unknown) => {
      if (!(error instanceof ObjectExistsError)) throw error
    })
}

const MAX_CLAIM_WAIT_MS = HOUR_MS
/** Longest wait of a picture while the site is busy, since without the picture visitors load the larger original. */
const MAX_PAUSE_MS = 15_000

let isPaused = false

/** Waits while visitors are being served, at most MAX_PAUSE_MS. */
async function waitWhilePaused(): Promise<void> {
  for (const endsAtMs = performance.now() + MAX_PAUSE_MS; isPaused && performance.now() < endsAtMs; ) await sleep(100)
}

/** Generates missing pictures, and stores the files of content/. @returns the exit code */
async function generateSizes(context: JobContext, id: number | undefined): Promise<number> {
  if (process.pid) setPriority(process.pid, constants.priority.PRIORITY_LOW)
  sharp.concurrency(1)
  sharp.cache(false)
  const { db, storage, root } = context
  const publication = id === undefined ? undefined : await readPublication(db, id)
  if (!publication) return 0
  const release = await claimFile(`${IMAGES_FOLDER}.pid`, '', MAX_CLAIM_WAIT_MS)
  if (typeof release !== 'function') return EXIT_BUSY
  try {
    const loadedContent = await readContent(context, publication)
    const { manifest, documentos } = loadedContent
    const cards = cardsOf(loadedContent)
    for (const { source } of cards) await ensureSource(context, manifest, source)
    // Cards go first: they are few, and social networks cache the first response that they get.
    await makeMissing(cards, { beforeEach: waitWhilePaused })
    await makeMissing(
      listVariants(manifest).filter((variant) => !isOutsideContent(variant)),
      { beforeEach: waitWhilePaused },
    )
    await ensureSizes(context, listVariants(manifest).filter(isOutsideContent), manifest, waitWhilePaused)
    for (const { source, file } of listPressPngs(manifest, documentos)) {
      await ensureSource(context, manifest, source)
      await ensurePng(source, file)
    }
    const rows = await readFileRows(db, Object.values(publication.archivos))
    for (const { sha256, source } of [...Object.values(manifest.photos), ...Object.values(manifest.files)]) {
      const row = rows.get(sha256)
      if (!row || row.guardado || !existsSync(join(root, source))) continue
      await saveEditionFile({ db, storage }, { tipo: row.tipo as FileType, bytes: await readFile(join(root, source)) })
    }
  } finally {
    await release()
  }
  return 0
}

async function ensureSource(
  { storage, root }: JobContext,
  { photos }: LoadedContent['manifest'],
  source: string,
): Promise<void> {
  const photo = Object.values(photos).find((described) => described.source === source)
  if (photo) await ensureLocalFile(storage, photo, root)
}

async function run(): Promise<void> {
  const job = await new Promise<PublicationJob>((resolve) =>
    process.once('message', resolve as (message: unknown) => void),
  )
  // This process ends with the site that started it.
  process.on('disconnect', () => process.exit())
  process.on('message', ({ isPausing }: PauseMessage) => {
    isPaused = isPausing
  })
  process.env.NODE_ENV = 'production'
  const pool = openPool(job.connection, 3)
  const context: JobContext = {
    root: job.root,
    buildId: job.buildId,
    now: new Date(job.now),
    queens: new Map(job.queens),
    db: openDatabase(pool),
    storage: await openStorage(job),
  }
  try {
    process.exitCode = await (job.task === 'sizes'
      ? generateSizes(context, job.publicationId)
      : runUnderLock(context, job))
  } finally {
    await pool.end()
    // The channel to the site would keep this process alive.
    process.disconnect?.()
  }
}

await run().catch((error: unknown) => {
  // One line of the log is enough, since the site retries.
  createLog('error', pino.destination({ dest: 2, sync: true })).error({ err: error }, 'a publication’s process failed')
  process.exitCode = 1
})
