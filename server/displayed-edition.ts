import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  displayedEditionOf,
  type Queen,
  setDisplayedEdition,
  withEdition,
} from '#app/cms/editions/displayed-edition.server.ts'
import { describeFiles } from '#app/cms/editions/media-cache.server.ts'
import { type ImageManifest, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { readContentFolder } from '#app/cms/publishing/content-folder.server.ts'
import {
  isBeingPrepared,
  listEarlierPublications,
  markPublicationAsFailed,
  PUBLICATION_CHANNEL,
  type Publication,
  type RenderedPage,
  readCurrentPublication,
  readCurrentPublicationId,
  readFileRows,
  readPublication,
  readPublicationInPreparation,
  readRedirects,
  readRenderedPages,
} from '#app/cms/publishing/publications.server.ts'
import { adviceOnMovesFromPlaces } from '#app/cms/publishing/rules.ts'
import { deleteWithdrawnFiles } from '#app/cms/publishing/withdrawal.server.ts'
import {
  ContentError,
  checkDocuments,
  describeContentFault,
  type EditionDocuments,
} from '#app/cms/schema/read-content.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { listClosingMoves } from '#app/voting/sealing/moved-closing.server.ts'
import { readCopiedPlaces } from '#app/voting/sealing/seal-copies.server.ts'
import { publishAtStart } from './content-folder.ts'
import { loadPages, type Pages, type RenderIn, readBuiltPages } from './pages.ts'
import { readPastEditions } from './past-editions.ts'
import { pauseWhileServing } from './pause-while-serving.ts'
import { EXIT_BUSY, type PublicationJob } from './publication-job.ts'
import type { Site } from './services.ts'

/** Interval of polling for another publication; a notification usually comes sooner. */
const POLL_INTERVAL_MS = 2_000
/** Delay before the connection for notifications is opened again, after it broke or could not be opened. */
const LISTEN_RETRY_MS = 30_000
/** Delay of the generation of picture sizes after a start, so that it does not slow down the first visitors. */
const SIZES_DELAY_MS = 5_000
/** Delay before sizes are generated again, after a failure or while another process generates them; it doubles each time. */
const SIZES_RETRY_MS = MINUTE_MS
const MAX_SIZES_RETRY_MS = HOUR_MS
/** Number of preparations by one process after which a publication is marked as failed. */
const MAX_PREPARATIONS = 3
/** Node flags for a small heap, since servers with one gigabyte prepare publications and pictures while they serve visitors. */
const LOW_MEMORY_FLAGS = ['--max-old-space-size=160', '--max-semi-space-size=2']

interface DisplayOptions {
  site: Site
  connection: string | pg.PoolConfig
  root: string
  say(line: string): void
  renderIn: RenderIn
  /** Whether the site serves prerendered pages; in development it does not. */
  hasPages?: boolean
}

/** The edition that a running site displays, which changes with each publication. */
export interface EditionDisplay {
  publicationId(): number
  pages(): Pages
  /** Returns the new path for the old path of a teacher whose name has changed, and undefined for every other path. */
  redirect(path: string): string | undefined
  /** Starts to watch for publications, to generate picture sizes, and to delete withdrawn candidates' files, until `stop`. */
  start(): void
  stop(): Promise<void>
}

/**
 * Publishes content/ (`publishAtStart`), and shows the current publication or, if it cannot be shown, an earlier one.
 * @throws ContentError if there is no publication and content/ has faults; StartError as `publishAtStart` does, or if no
 * publication can be shown
 */
export async function openEditionDisplay(options: DisplayOptions): Promise<EditionDisplay> {
  const { site, root, say, hasPages = true } = options
  const { services } = site
  const { mediaCache } = site.editions
  const { db, log, settings, clock } = services
  const buildId = hasPages ? (await readFile(join(root, 'build/stamp'), 'utf8')).trim() : ''
  let shownPublication: { id: number; pages: Pages; redirects: Map<string, string> } | undefined

  const folder = await readContentFolder(root)
  if (folder.ok) await publishAtStart(services, folder, say)
  const currentPublication = await readCurrentPublication(db)
  if (!currentPublication) throw new ContentError(folder.ok ? [] : folder.faults)
  if (!folder.ok)
    say(
      `El contenido tiene fallas, así que se muestra la última publicación:\n${folder.faults.map(describeContentFault).join('\n')}`,
    )

  const startTask = (task: PublicationJob['task'], publicationId?: number) => runTask({ task, publicationId, buildId })

  /** Returns a publication's pages. @param isAlone whether the pages link to no earlier edition */
  async function pagesOf(publication: Publication, isAlone: boolean): Promise<RenderedPage[]> {
    if (!hasPages) return []
    if (isAlone && folder.ok && folder.fingerprint === publication.huella)
      return readBuiltPages(join(root, 'build/pages'))
    // Another process with the same build may be rendering the pages.
    for (let exitCode: number | null = EXIT_BUSY; ; await sleep(200)) {
      const renderedPages = await readRenderedPages(db, publication.id, buildId)
      if (renderedPages.length > 0) return renderedPages
      if (exitCode !== EXIT_BUSY) throw new Error(`Publication ${publication.id} could not be rendered`)
      if (!(await isBeingPrepared(db))) exitCode = await startTask('pages', publication.id)
    }
  }

  /** Reads a publication completely, then shows it in one step. @throws if it cannot be shown, as ContentError for faults */
  async function show(publication: Publication): Promise<void> {
    const { id, valores, archivos } = publication
    const rows = await readFileRows(db, Object.values(archivos))
    const { documents, faults } = checkDocuments(valores, (path) => rows.has(archivos[path] ?? ''))
    if (faults.length > 0) throw new ContentError(faults)
    const places = await readCopiedPlaces(services.storage, publication.edicion)
    const advice = places && adviceOnMovesFromPlaces(places, valores)
    if (advice !== undefined)
      throw new ContentError([{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio: advice }])
    const contentManifest = await imageManifest(root).catch(() => undefined)
    const { manifest } = manifestOf(describeFiles(archivos, rows, contentManifest), documents, true)
    // The last move of the closing, if organisers have moved it, replaces the publication's closing.
    const movedClosing = (await listClosingMoves(db, publication.edicion)).at(-1)?.ahora
    const editionCard = documents['edicion.yaml']
    if (editionCard && movedClosing !== undefined) editionCard.fechas.cierreVotacion = movedClosing
    const pastEditions = await readPastEditions(services, publication.edicion, await site.courts.readQueens(), root)
    const newEdition = displayedEditionOf(documents as EditionDocuments, manifest, id, pastEditions)
    const renderIn: RenderIn = (path, phase) => withEdition(newEdition, () => options.renderIn(path, phase))
    const pages = await loadPages(await pagesOf(publication, pastEditions.length === 0), settings, renderIn)
    const redirects = await readRedirects(db)
    const earlierManifests = await earlierManifestsOf(publication)
    // New names of candidates are stored before votes for them can arrive.
    await withEdition(newEdition, async () => storeCandidateNames(services, await loadElection()))
    // From here on nothing is awaited, so that no request gets parts of two publications.
    shownPublication?.pages.end()
    mediaCache.serve(manifest, ...earlierManifests, ...pastEditions.map((past) => past.displayed.manifest))
    setDisplayedEdition(newEdition)
    shownPublication = { id, pages, redirects }
  }

  /** Shows a publication or, if it cannot be shown, the newest earlier one that can. @throws StartError if none can */
  async function showCurrent(publication: Publication): Promise<void> {
    try {
      return await show(publication)
    } catch (error) {
      if (shownPublication) throw error
      say(`La publicación ${publication.id} no se puede mostrar, así que se busca una anterior. ${reasonOf(error)}`)
      log.error({ err: error, publicacion: publication.id }, 'the current publication cannot be shown')
    }
    for (const { id } of await listEarlierPublications(db, publication)) {
      const earlierPublication = await readPublication(db, id)
      if (!earlierPublication) continue
      await show(earlierPublication).catch(() => {})
      if (shownPublication) return
    }
    throw new StartError('Ninguna publicación de la edición se puede mostrar con esta versión del sitio.')
  }
  // Manifests are kept by fingerprint, which changes with a withdrawal, the only change of a publication's content.
  const manifests = new Map<string, ImageManifest>()
  const runningTasks = new Set<ChildProcess>()
  let isStopped = false
  // `showCurrent` comes after these variables, since `earlierManifestsOf` and `runTask` read them.
  await showCurrent(currentPublication)

  /** Returns the manifests of earlier publications, whose pictures keep their URLs for pages that visitors still have open. */
  async function earlierManifestsOf(publication: Publication): Promise<ImageManifest[]> {
    const contentManifest = await imageManifest(root).catch(() => undefined)
    const earlierPublications = await listEarlierPublications(db, publication)
    for (const { id, huella } of earlierPublications) {
      const earlierPublication = manifests.has(huella) ? undefined : await readPublication(db, id)
      if (!earlierPublication) continue
      const rows = await readFileRows(db, Object.values(earlierPublication.archivos))
      const { documents, faults } = checkDocuments(earlierPublication.valores, () => true)
      const files = describeFiles(earlierPublication.archivos, rows, contentManifest)
      const { manifest } = manifestOf(files, documents, faults.length === 0)
      manifests.set(huella, manifest)
    }
    const fingerprints = new Set(earlierPublications.map(({ huella }) => huella))
    for (const fingerprint of manifests.keys()) if (!fingerprints.has(fingerprint)) manifests.delete(fingerprint)
    return [...fingerprints].flatMap((fingerprint) => manifests.get(fingerprint) ?? [])
  }

  let attempts = { id: 0, count: 0 }
  let preparation: Promise<void> | undefined

  /** Runs a task in a process of its own. @returns its exit code; null if it was killed or did not start, and after `stop` */
  async function runTask(taskOptions: Pick<PublicationJob, 'task' | 'publicationId' | 'buildId'>) {
    const { connection } = options
    // If the queens cannot be read, pages of past editions are rendered without the names of the queens.
    const queens = await site.courts.readQueens().catch(() => new Map<number, Queen>())
    if (isStopped) return null
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        ...LOW_MEMORY_FLAGS,
        join(root, 'scripts/build-steps/publication.process.ts'),
      ],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, MALLOC_ARENA_MAX: '1' } },
    )
    runningTasks.add(child)
    child.on('error', (error) => log.error({ err: error }, 'a publication’s process did not start'))
    const { dataDir, storageUrl } = settings
    const job: PublicationJob = {
      ...taskOptions,
      connection,
      root,
      dataDir,
      storageUrl,
      queens: [...queens],
      now: clock.now().toISOString(),
    }
    child.send(job, (error) => error && log.warn({ err: error }, 'a publication’s process got no job'))
    const stopPausing = taskOptions.task === 'sizes' ? pauseWhileServing(child) : () => {}
    return new Promise<number | null>((resolve) => {
      // A process that did not start, as without memory, has no exit.
      child.once('error', () => resolve(null)).once('exit', resolve)
    }).finally(() => {
      runningTasks.delete(child)
      stopPausing()
    })
  }

  /** Prepares the waiting publication, unless another process does. After MAX_PREPARATIONS attempts, marks it as failed. */
  async function prepare(id: number): Promise<void> {
    attempts = attempts.id === id ? { id, count: attempts.count + 1 } : { id, count: 1 }
    if (attempts.count > MAX_PREPARATIONS) {
      log.error({ publicacion: id }, 'a publication could not be prepared')
      const remedy = `no se pudo preparar, por una falla nuestra (publicación ${id}): lo que escribiste sigue en el borrador`
      return markPublicationAsFailed(db, id, [{ archivo: '', campo: '', remedio: remedy }])
    }
    const exitCode = await startTask('prepare')
    if (exitCode === EXIT_BUSY) attempts = { id, count: attempts.count - 1 }
  }

  async function poll(): Promise<void> {
    const waitingPublication = await readPublicationInPreparation(db)
    // A second process would only slow down the process that is preparing it.
    if (waitingPublication && !preparation && !isStopped && !(await isBeingPrepared(db)))
      preparation = prepare(waitingPublication.id)
        .catch((error: unknown) => log.error({ err: error }, 'the preparation of a publication failed'))
        .finally(() => {
          preparation = undefined
          wake()
        })
    const id = await readCurrentPublicationId(db)
    if (id === undefined || id === shownPublication?.id) return
    const publication = await readPublication(db, id)
    if (!publication || isStopped) return
    await show(publication)
    generateSizes()
    await deleteWithdrawnFilesNow()
  }

  const deleteWithdrawnFilesNow = () => deleteWithdrawnFiles(services, root).catch(warnOfWithdrawn)
  const warnOfWithdrawn = (err: unknown) => log.warn({ err }, 'files of withdrawn candidates could not be deleted')

  let isGeneratingSizes = false
  let areSizesWanted = false
  /** Generates the picture sizes of the displayed publication, and again if another publication is displayed by then. */
  function generateSizes(): void {
    areSizesWanted = true
    if (isStopped || isGeneratingSizes) return
    isGeneratingSizes = true
    const work = async () => {
      let retryMs = SIZES_RETRY_MS
      while (areSizesWanted && !isStopped) {
        areSizesWanted = false
        if ((await startTask('sizes', shownPublication?.id)) === 0) continue
        // The task failed, for example since the storage did not answer, or another process is generating sizes.
        areSizesWanted = true
        await sleep(retryMs, undefined, { ref: false })
        retryMs = Math.min(2 * retryMs, MAX_SIZES_RETRY_MS)
      }
    }
    void work().finally(() => {
      isGeneratingSizes = false
    })
  }

  let wake = () => {}
  async function watch(): Promise<void> {
    while (!isStopped) {
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await poll().catch((error: unknown) => log.warn({ err: error }, 'the publications could not be read'))
      await Promise.race([woken, sleep(POLL_INTERVAL_MS, undefined, { ref: false })])
    }
  }

  let listener: pg.Client | undefined
  async function listen(): Promise<void> {
    const { connection } = options
    while (!isStopped) {
      const client = new pg.Client(typeof connection === 'string' ? { connectionString: connection } : connection)
      const ended = once(client, 'end').catch(() => {})
      client.on('error', () => {})
      client.on('notification', () => wake())
      try {
        await client.connect()
        listener = client
        await client.query(`listen ${PUBLICATION_CHANNEL}`)
        await ended
      } catch (error) {
        // Without notifications, which some poolers do not support, there is only polling.
        log.debug({ err: error }, 'the database sends no notifications of publications')
        await client.end().catch(() => {})
      }
      if (!isStopped) await sleep(LISTEN_RETRY_MS, undefined, { ref: false })
    }
  }

  return {
    publicationId: () => shownPublication!.id,
    pages: () => shownPublication!.pages,
    redirect: (path) => shownPublication!.redirects.get(path),
    start() {
      // A killed process may have left a withdrawal unfinished.
      void deleteWithdrawnFilesNow()
      void watch()
      void listen()
      void sleep(SIZES_DELAY_MS, undefined, { ref: false }).then(generateSizes)
    },
    async stop() {
      isStopped = true
      wake()
      for (const child of runningTasks) child.kill()
      await listener?.end().catch(() => {})
      await preparation
    },
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
