import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { displayedEditionOf, setDisplayedEdition, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { describe } from '#app/cms/editions/media-cache.server.ts'
import { type ImageManifest, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { readContentFolder } from '#app/cms/publishing/content-folder.server.ts'
import {
  CANAL,
  isBeingPrepared,
  listEarlierPublications,
  markAsFailed,
  type Publication,
  type RenderedPage,
  readCurrentPublication,
  readCurrentPublicationId,
  readFiles,
  readPages,
  readPublication,
  readPublicationInPreparation,
  readRedirects,
} from '#app/cms/publishing/publications.server.ts'
import { movedFrom } from '#app/cms/publishing/rules.ts'
import { deleteWithdrawnFiles } from '#app/cms/publishing/withdrawal.server.ts'
import {
  ContentError,
  checkDocuments,
  describeFalla,
  type EditionDocuments,
} from '#app/cms/schema/read-content.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { keepCandidateNames } from '#app/voting/ballot/mutations.server.ts'
import { loadElection, readClosingMoves } from '#app/voting/election/data.server.ts'
import { readGivenPlaces } from '#app/voting/tally/mutations.server.ts'
import { takeContentFolder } from './content-folder.ts'
import { loadPages, type Pages, readBuilt } from './pages.ts'
import { readPastEditions } from './past-editions.ts'
import { restWhileServing } from './pause-while-serving.ts'
import type { Site } from './services.ts'

/** What scripts/builder/publication.process.ts is asked to do. */
export interface PublicationJob extends Pick<Settings, 'dataDir' | 'storageUrl'> {
  /** preparar: the publication that waits; paginas: render one for this build; tamanos: its pictures, behind the site. */
  que: 'preparar' | 'paginas' | 'tamanos'
  publicacion?: number | undefined
  connection: string | pg.PoolConfig
  root: string
  /** Which build renders. */
  construccion: string
  /** The site's clock, ISO. */
  now: string
}

/** scripts/builder/publication.process.ts ends with it when another process is at it already. */
export const EXIT_BUSY = 3

/** How often a process looks whether another publication is in force; word of it comes sooner. */
const LOOK_MS = 2_000
/** A connection for hearing of publications that broke is made anew after so long. */
const LISTEN_AGAIN_MS = 30_000
/** Sizes are begun so long after a start. */
const SIZES_AFTER_MS = 5_000
/** Those that could not be made are tried again after so long, and twice as long each time. */
const SIZES_AGAIN_MS = 60_000
const SIZES_AGAIN_AT_MOST_MS = 60 * 60_000
/** A preparation that breaks off so often, one after the other, is given up. */
const MAX_ATTEMPTS = 3
/** A server of one gigabyte makes pictures beside visitors: what is not needed any more is given back early. */
const LOW_MEMORY_FLAGS = ['--max-old-space-size=160', '--max-semi-space-size=2']

interface Options {
  sitio: Site
  connection: string | pg.PoolConfig
  /** The project's root. */
  root: string
  say(line: string): void
  /** Whether it answers with pages that were rendered ahead, as a built site does. */
  hasPages?: boolean
}

/** What a running site shows, and how it comes to show something else. */
export interface EditionDisplay {
  /** Number of the publication that is shown. */
  publicacion(): number
  pages(): Pages
  /** Where an address of somebody with another name leads now; undefined for every other. */
  redirect(path: string): string | undefined
  /** Looks after publications from now on, until `stop`. */
  start(): void
  stop(): Promise<void>
}

/**
 * Finds out what the site shows, and reads all of it. The first publication of an empty database is content/, and so is
 * every later one for as long as nobody has published from the panel.
 * @throws ContentError where there is nothing that could be shown
 */
export async function openEditionDisplay(options: Options): Promise<EditionDisplay> {
  const { sitio, root, say, hasPages = true } = options
  const { services } = sitio
  const { acervo } = sitio.ediciones
  const { db, log, settings, clock } = services
  const buildId = hasPages ? (await readFile(join(root, 'build/stamp'), 'utf8')).trim() : ''
  let shown: { id: number; pages: Pages; redirects: Map<string, string> } | undefined

  const folder = await readContentFolder(root)
  if (folder.ok) await takeContentFolder(services, folder, say)
  const current = await readCurrentPublication(db)
  if (!current) throw new ContentError(folder.ok ? [] : folder.fallas)
  if (!folder.ok)
    say(
      `El contenido tiene fallas, así que se muestra la última publicación:\n${folder.fallas.map(describeFalla).join('\n')}`,
    )

  const task = (que: PublicationJob['que'], publication?: number) =>
    runTask(options, { que, publicacion: publication, construccion: buildId })

  /** @param isAlone whether no edition of before is linked from its pages */
  async function pagesOf(publication: Publication, isAlone: boolean): Promise<RenderedPage[]> {
    if (!hasPages) return []
    if (isAlone && folder.ok && folder.huella === publication.huella) return readBuilt(join(root, 'build/pages'))
    // Another process with the same build may render them meanwhile.
    for (let code: number | null = EXIT_BUSY; ; await sleep(200)) {
      const rendered = await readPages(db, publication.id, buildId)
      if (rendered.length > 0) return rendered
      if (code !== EXIT_BUSY) throw new Error(`Publication ${publication.id} could not be rendered`)
      if (!(await isBeingPrepared(db))) code = await task('paginas', publication.id).code
    }
  }

  /** Reads all of a publication, then shows it in one step. @throws ContentError when this build cannot show it */
  async function show(publication: Publication): Promise<void> {
    const { id, valores, archivos } = publication
    const rows = await readFiles(db, Object.values(archivos))
    const { archivos: documents, fallas } = checkDocuments(valores, (path) => rows.has(archivos[path] ?? ''))
    if (fallas.length > 0) throw new ContentError(fallas)
    // Whatever stands in the database: what the site gave away when the vote began says whom a place means.
    const places = await readGivenPlaces(services.storage, publication.edicion)
    const moved = places && movedFrom(places, valores)
    if (moved !== undefined)
      throw new ContentError([{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio: moved }])
    const sample = await imageManifest(root).catch(() => undefined)
    const { manifest } = manifestOf(describe(archivos, rows, sample), documents, true)
    // Whatever publication this build can show, the vote closes when its acts say.
    const closing = (await readClosingMoves(db, publication.edicion)).at(-1)?.ahora
    const card = documents['edicion.yaml']
    if (card && closing !== undefined) card.fechas.cierreVotacion = closing
    const pastEditions = await readPastEditions(services, publication.edicion, root)
    const displayed = displayedEditionOf(documents as EditionDocuments, manifest, id, pastEditions)
    const pages = await loadPages(await pagesOf(publication, pastEditions.length === 0), settings)
    const redirects = await readRedirects(db)
    const before = await manifestsBefore(publication)
    // Before a vote can bear a new name, the database knows whose it is.
    await withEdition(displayed, async () => keepCandidateNames(services, await loadElection()))
    // From here to the end nothing waits, so no request finds half of it.
    shown?.pages.end()
    acervo.adopt(manifest, ...before, ...pastEditions.map((past) => past.puesta.manifest))
    setDisplayedEdition(displayed)
    shown = { id, pages, redirects }
  }

  /** Shows the publication in force; where this build cannot, the newest one that it can. */
  async function showCurrent(publication: Publication): Promise<void> {
    try {
      return await show(publication)
    } catch (error) {
      if (shown) throw error
      say(`La publicación ${publication.id} no se puede mostrar, así que se busca una anterior. ${reasonOf(error)}`)
      log.error({ err: error, publicacion: publication.id }, 'the publication in force cannot be shown')
    }
    for (const { id } of await listEarlierPublications(db, publication)) {
      const anterior = await readPublication(db, id)
      const isShown =
        anterior &&
        (await show(anterior).then(
          () => true,
          () => false,
        ))
      if (isShown) return
    }
    throw new StartError('Ninguna publicación de la edición se puede mostrar con esta versión del sitio.')
  }
  // A publication never changes but by a withdrawal, which changes its huella, too.
  const manifests = new Map<string, ImageManifest>()
  /** Processes that prepare or render; a start may need one, where this build has no pages of the publication yet. */
  const running = new Set<ChildProcess>()
  await showCurrent(current)

  /** Pictures of earlier publications keep their addresses: somebody may still have a page with them open. */
  async function manifestsBefore(publication: Publication): Promise<ImageManifest[]> {
    const sample = await imageManifest(root).catch(() => undefined)
    const before = await listEarlierPublications(db, publication)
    for (const { id, huella } of before) {
      const anterior = manifests.has(huella) ? undefined : await readPublication(db, id)
      if (!anterior) continue
      const rows = await readFiles(db, Object.values(anterior.archivos))
      const { archivos: documents, fallas } = checkDocuments(anterior.valores, () => true)
      const { manifest } = manifestOf(describe(anterior.archivos, rows, sample), documents, fallas.length === 0)
      manifests.set(huella, manifest)
    }
    const wanted = new Set(before.map(({ huella }) => huella))
    for (const fingerprint of manifests.keys()) if (!wanted.has(fingerprint)) manifests.delete(fingerprint)
    return [...wanted].flatMap((fingerprint) => manifests.get(fingerprint) ?? [])
  }

  let isStopped = false
  let attempts = { id: 0, count: 0 }
  let preparing: Promise<void> | undefined

  function runTask({ connection }: Options, given: Pick<PublicationJob, 'que' | 'publicacion' | 'construccion'>) {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        ...LOW_MEMORY_FLAGS,
        join(root, 'scripts/builder/publication.process.ts'),
      ],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, MALLOC_ARENA_MAX: '1' } },
    )
    running.add(child)
    child.on('error', (error) => log.error({ err: error }, 'a publication’s process did not start'))
    const { dataDir, storageUrl } = settings
    const job: PublicationJob = { ...given, connection, root, dataDir, storageUrl, now: clock.now().toISOString() }
    child.send(job, (error) => error && log.warn({ err: error }, 'a publication’s process did not listen'))
    const letRest = given.que === 'tamanos' ? restWhileServing(child) : () => {}
    const code = new Promise<number | null>((resolve) => {
      // A machine that has no memory for one more process must not end the site.
      child.once('error', () => resolve(null)).once('exit', resolve)
    }).finally(() => {
      running.delete(child)
      letRest()
    })
    return { code }
  }

  /** Has the publication that waits prepared, unless some process is at it. */
  async function prepare(id: number): Promise<void> {
    attempts = attempts.id === id ? { id, count: attempts.count + 1 } : { id, count: 1 }
    if (attempts.count > MAX_ATTEMPTS) {
      log.error({ publicacion: id }, 'a publication could not be prepared')
      const remedy = `no se pudo preparar, por una falla nuestra (publicación ${id}): lo que escribiste sigue en el borrador`
      return markAsFailed(db, id, [{ archivo: '', campo: '', remedio: remedy }])
    }
    const code = await task('preparar').code
    if (code === EXIT_BUSY) attempts = { id, count: attempts.count - 1 }
  }

  async function look(): Promise<void> {
    const waiting = await readPublicationInPreparation(db)
    // A process that is started in vain costs whoever prepares on the same machine a good part of its time.
    if (waiting && !preparing && !isStopped && !(await isBeingPrepared(db)))
      preparing = prepare(waiting.id)
        .catch((error: unknown) => log.error({ err: error }, 'a publication’s preparation broke off'))
        .finally(() => {
          preparing = undefined
          wake()
        })
    const id = await readCurrentPublicationId(db)
    if (id === undefined || id === shown?.id) return
    const publication = await readPublication(db, id)
    if (!publication || isStopped) return
    await show(publication)
    await deleteWithdrawnFiles(services, root)
    makeSizes()
  }

  let isMakingSizes = false
  let areSizesWanted = false
  /** Makes the pictures of what is shown, and once more when something else is shown by then. */
  function makeSizes(): void {
    areSizesWanted = true
    if (isStopped || isMakingSizes) return
    isMakingSizes = true
    const work = async () => {
      let againMs = SIZES_AGAIN_MS
      while (areSizesWanted && !isStopped) {
        areSizesWanted = false
        if ((await task('tamanos', shown?.id).code) === 0) continue
        // The storage did not answer, or another process is at it: what is missing by then is made later.
        areSizesWanted = true
        await sleep(againMs, undefined, { ref: false })
        againMs = Math.min(2 * againMs, SIZES_AGAIN_AT_MOST_MS)
      }
    }
    void work().finally(() => {
      isMakingSizes = false
    })
  }

  let wake = () => {}
  async function watch(): Promise<void> {
    while (!isStopped) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await look().catch((error: unknown) => log.warn({ err: error }, 'publications could not be looked at'))
      await Promise.race([woken, sleep(LOOK_MS, undefined, { ref: false })])
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
        await client.query(`listen ${CANAL}`)
        await ended
      } catch (error) {
        // Some poolers do not let anybody listen: then the look every few seconds has to do.
        log.debug({ err: error }, 'no word of publications comes from the database')
        await client.end().catch(() => {})
      }
      if (!isStopped) await sleep(LISTEN_AGAIN_MS, undefined, { ref: false })
    }
  }

  return {
    publicacion: () => shown!.id,
    pages: () => shown!.pages,
    redirect: (path) => shown!.redirects.get(path),
    start() {
      // A withdrawal that a kill broke off is finished.
      void deleteWithdrawnFiles(services, root).catch((error: unknown) =>
        log.warn({ err: error }, 'withdrawals are not clean'),
      )
      void watch()
      void listen()
      // The machine belongs to the first visitors.
      void sleep(SIZES_AFTER_MS, undefined, { ref: false }).then(makeSizes)
    },
    async stop() {
      isStopped = true
      wake()
      for (const child of running) child.kill()
      await listener?.end().catch(() => {})
      await preparing
    },
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
