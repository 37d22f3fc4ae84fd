import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { conEdicion, ponEdicion, puestaDe } from '#app/cms/editions/displayed-edition.server.ts'
import { describe } from '#app/cms/editions/media-cache.server.ts'
import { type ImageManifest, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { readCarpeta } from '#app/cms/publishing/content-folder.server.ts'
import {
  CANAL,
  fallo,
  idVigente,
  isBeingPrepared,
  listAnteriores,
  type Pagina,
  type Publicacion,
  readArchivos,
  readPaginas,
  readPreparando,
  readPublicacion,
  readRedirecciones,
  readVigente,
} from '#app/cms/publishing/publications.server.ts'
import { movedFrom } from '#app/cms/publishing/rules.ts'
import { cleanRetiradas } from '#app/cms/publishing/withdrawal.server.ts'
import { type Archivos, ContentError, checkValores, describeFalla } from '#app/cms/schema/read-content.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { keepNombres } from '#app/voting/ballot/mutations.server.ts'
import { loadEleccion, readMovidos } from '#app/voting/election/data.server.ts'
import { readGivenPlaces } from '#app/voting/tally/mutations.server.ts'
import { takeCarpeta } from './content-folder.ts'
import { restWhileServing } from './descanso.ts'
import { loadPages, type Pages, readBuilt } from './pages.ts'
import { readEdicionesPasadas } from './pasadas.ts'
import type { Sitio } from './services.ts'

/** What scripts/publicar.ts is asked to do. */
export interface Tarea extends Pick<Settings, 'dataDir' | 'storageUrl'> {
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

/** scripts/publicar.ts ends with it when another process is at it already. */
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
const POCA_MEMORIA = ['--max-old-space-size=160', '--max-semi-space-size=2']

interface Options {
  sitio: Sitio
  connection: string | pg.PoolConfig
  /** The project's root. */
  root: string
  say(line: string): void
  /** Whether it answers with pages that were rendered ahead, as a built site does. */
  hasPages?: boolean
}

/** What a running site shows, and how it comes to show something else. */
export interface EdicionesVivas {
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
export async function openEdiciones(options: Options): Promise<EdicionesVivas> {
  const { sitio, root, say, hasPages = true } = options
  const { services } = sitio
  const { acervo } = sitio.ediciones
  const { db, log, settings, clock } = services
  const construccion = hasPages ? (await readFile(join(root, 'build/stamp'), 'utf8')).trim() : ''
  let shown: { id: number; pages: Pages; redirects: Map<string, string> } | undefined

  const carpeta = await readCarpeta(root)
  if (carpeta.ok) await takeCarpeta(services, carpeta, say)
  const vigente = await readVigente(db)
  if (!vigente) throw new ContentError(carpeta.ok ? [] : carpeta.fallas)
  if (!carpeta.ok)
    say(
      `El contenido tiene fallas, así que se muestra la última publicación:\n${carpeta.fallas.map(describeFalla).join('\n')}`,
    )

  const task = (que: Tarea['que'], publicacion?: number) => runTask(options, { que, publicacion, construccion })

  /** @param isAlone whether no edition of before is linked from its pages */
  async function pagesOf(publicacion: Publicacion, isAlone: boolean): Promise<Pagina[]> {
    if (!hasPages) return []
    if (isAlone && carpeta.ok && carpeta.huella === publicacion.huella) return readBuilt(join(root, 'build/pages'))
    // Another process with the same build may render them meanwhile.
    for (let code: number | null = EXIT_BUSY; ; await sleep(200)) {
      const rendered = await readPaginas(db, publicacion.id, construccion)
      if (rendered.length > 0) return rendered
      if (code !== EXIT_BUSY) throw new Error(`Publication ${publicacion.id} could not be rendered`)
      if (!(await isBeingPrepared(db))) code = await task('paginas', publicacion.id).code
    }
  }

  /** Reads all of a publication, then shows it in one step. @throws ContentError when this build cannot show it */
  async function show(publicacion: Publicacion): Promise<void> {
    const { id, valores, archivos } = publicacion
    const filas = await readArchivos(db, Object.values(archivos))
    const { archivos: documentos, fallas } = checkValores(valores, (ruta) => filas.has(archivos[ruta] ?? ''))
    if (fallas.length > 0) throw new ContentError(fallas)
    // Whatever stands in the database: what the site gave away when the vote began says whom a place means.
    const places = await readGivenPlaces(services.storage, publicacion.edicion)
    const moved = places && movedFrom(places, valores)
    if (moved !== undefined)
      throw new ContentError([{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio: moved }])
    const muestra = await imageManifest(root).catch(() => undefined)
    const { manifest } = manifestOf(describe(archivos, filas, muestra), documentos, true)
    // Whatever publication this build can show, the vote closes when its acts say.
    const cierre = (await readMovidos(db, publicacion.edicion)).at(-1)?.ahora
    const ficha = documentos['edicion.yaml']
    if (ficha && cierre !== undefined) ficha.fechas.cierreVotacion = cierre
    const pasadas = await readEdicionesPasadas(services, publicacion.edicion, root)
    const puesta = puestaDe(documentos as Archivos, manifest, id, pasadas)
    const pages = await loadPages(await pagesOf(publicacion, pasadas.length === 0), settings)
    const redirects = await readRedirecciones(db)
    const before = await manifestsBefore(publicacion)
    // Before a vote can bear a new name, the database knows whose it is.
    await conEdicion(puesta, async () => keepNombres(services, await loadEleccion()))
    // From here to the end nothing waits, so no request finds half of it.
    shown?.pages.end()
    acervo.adopt(manifest, ...before, ...pasadas.map((pasada) => pasada.puesta.manifest))
    ponEdicion(puesta)
    shown = { id, pages, redirects }
  }

  /** Shows the publication in force; where this build cannot, the newest one that it can. */
  async function showVigente(publicacion: Publicacion): Promise<void> {
    try {
      return await show(publicacion)
    } catch (error) {
      if (shown) throw error
      say(`La publicación ${publicacion.id} no se puede mostrar, así que se busca una anterior. ${reasonOf(error)}`)
      log.error({ err: error, publicacion: publicacion.id }, 'the publication in force cannot be shown')
    }
    for (const { id } of await listAnteriores(db, publicacion)) {
      const anterior = await readPublicacion(db, id)
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
  await showVigente(vigente)

  /** Pictures of earlier publications keep their addresses: somebody may still have a page with them open. */
  async function manifestsBefore(publicacion: Publicacion): Promise<ImageManifest[]> {
    const muestra = await imageManifest(root).catch(() => undefined)
    const before = await listAnteriores(db, publicacion)
    for (const { id, huella } of before) {
      const anterior = manifests.has(huella) ? undefined : await readPublicacion(db, id)
      if (!anterior) continue
      const filas = await readArchivos(db, Object.values(anterior.archivos))
      const { archivos: documentos, fallas } = checkValores(anterior.valores, () => true)
      const { manifest } = manifestOf(describe(anterior.archivos, filas, muestra), documentos, fallas.length === 0)
      manifests.set(huella, manifest)
    }
    const wanted = new Set(before.map(({ huella }) => huella))
    for (const huella of manifests.keys()) if (!wanted.has(huella)) manifests.delete(huella)
    return [...wanted].flatMap((huella) => manifests.get(huella) ?? [])
  }

  let isStopped = false
  let attempts = { id: 0, count: 0 }
  let preparing: Promise<void> | undefined

  function runTask({ connection }: Options, given: Pick<Tarea, 'que' | 'publicacion' | 'construccion'>) {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...POCA_MEMORIA, join(root, 'scripts/publicar.ts')],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, MALLOC_ARENA_MAX: '1' } },
    )
    running.add(child)
    child.on('error', (error) => log.error({ err: error }, 'a publication’s process did not start'))
    const { dataDir, storageUrl } = settings
    const tarea: Tarea = { ...given, connection, root, dataDir, storageUrl, now: clock.now().toISOString() }
    child.send(tarea, (error) => error && log.warn({ err: error }, 'a publication’s process did not listen'))
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
      const remedio = `no se pudo preparar, por una falla nuestra (publicación ${id}): lo que escribiste sigue en el borrador`
      return fallo(db, id, [{ archivo: '', campo: '', remedio }])
    }
    const code = await task('preparar').code
    if (code === EXIT_BUSY) attempts = { id, count: attempts.count - 1 }
  }

  async function look(): Promise<void> {
    const waiting = await readPreparando(db)
    // A process that is started in vain costs whoever prepares on the same machine a good part of its time.
    if (waiting && !preparing && !isStopped && !(await isBeingPrepared(db)))
      preparing = prepare(waiting.id)
        .catch((error: unknown) => log.error({ err: error }, 'a publication’s preparation broke off'))
        .finally(() => {
          preparing = undefined
          wake()
        })
    const id = await idVigente(db)
    if (id === undefined || id === shown?.id) return
    const publicacion = await readPublicacion(db, id)
    if (!publicacion || isStopped) return
    await show(publicacion)
    await cleanRetiradas(services, root)
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
      void cleanRetiradas(services, root).catch((error: unknown) =>
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
