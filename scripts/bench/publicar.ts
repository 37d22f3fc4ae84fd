import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { saveFile } from '#app/cms/media/file-store.server.ts'
import { insertPublication, notifyProcesses, readCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { type RunningSite, startSite } from '../../tests/running-site.ts'
import { type Figure, median } from './figure.ts'

/** How many publications of text, and of photographs, are measured; their median counts. */
const WORDS = 5
const ALBUMS = 3
const PHOTOS = 10
/** Visitors at once: each requests a page, and the next one PAUSE_MS after its answer. */
const VISITORS = 24
const PAUSE_MS = 20
/** How long pages are requested, without publishing and again while publishing. */
const LOAD_MS = 15_000

interface Taller {
  site: RunningSite
  db: Database
  storage: ObjectStorage
}

/** Time from the publish button until a visitor sees the publication, and latency of pages meanwhile. */
export async function publishFigures(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite()
  const pool = openPool(
    { host: join(site.dataDir, 'postgres.sockets'), port: 5432, user: 'certamen', database: 'certamen' },
    2,
  )
  try {
    const taller = { site, db: openDatabase(pool), storage: await openFolderStorage(site.dataDir) }
    await whenQuiet(site)
    const words: number[] = []
    for (let turn = 0; turn < WORDS; turn++) words.push(await publish(taller, `palabras${turn}`))
    say(`  palabras: ${words.map(Math.round).join(', ')} ms`)
    const albums: number[] = []
    for (let turn = 0; turn < ALBUMS; turn++) {
      const paths = await Promise.all(Array.from({ length: PHOTOS }, () => photo(taller)))
      albums.push(await publish(taller, `album${turn}`, paths))
    }
    say(`  diez fotografías: ${albums.map(Math.round).join(', ')} ms`)
    await sleep(30_000)

    const quiet = await load(site.url)
    const publishing = load(site.url)
    const paths = await Promise.all(Array.from({ length: PHOTOS }, () => photo(taller)))
    for (const [turn, pictures] of [undefined, paths, undefined].entries())
      await publish(taller, `carga${turn}`, pictures)
    const busy = await publishing
    const [before, during] = [quiet, busy].map((times) => percentile(times, 0.99)) as [number, number]
    return [
      {
        name: 'publicar palabras: del botón a que se ven',
        value: median(words),
        unit: 'ms',
        target: { atMost: 5_000 },
      },
      {
        name: `publicar ${PHOTOS} fotografías nuevas de 12 megapixeles: del botón a que se ven`,
        value: median(albums),
        unit: 'ms',
        target: { atMost: 20_000 },
      },
      {
        name: `páginas mientras se publica, p99 (${VISITORS} visitantes, ${busy.length} páginas)`,
        value: during,
        unit: 'ms',
        baseline: { name: 'sin publicar', value: before },
      },
      {
        name: 'páginas mientras se publica, p99, en proporción',
        value: during / before,
        unit: '×',
        target: { atMost: 1.5 },
      },
    ]
  } finally {
    await pool.end()
    await site.stop()
  }
}

/** Waits until the sample's pictures are made and the pages are compressed. */
async function whenQuiet(site: RunningSite): Promise<void> {
  const isMade = async () => {
    const html = await (await fetch(`${site.url}/maestros`)).text()
    const urls = [...html.matchAll(/\/img\/[\w-]+\.(?:webp|jpg)/g)].map(([url]) => url)
    const answers = await Promise.all(urls.slice(0, 40).map((url) => fetch(site.url + url, { method: 'HEAD' })))
    return answers.every(({ headers }) => headers.get('cache-control') !== 'no-store')
  }
  while (!(await isMade())) await sleep(2_000)
  await sleep(20_000)
}

/** Stores a photograph of 12 megapixels as the panel does. @returns its path in the edition */
async function photo({ db, storage }: Taller): Promise<string> {
  const [width, height] = [4000, 3000]
  const small = await sharp(randomBytes(160 * 120 * 3), { raw: { width: 160, height: 120, channels: 3 } })
    .png()
    .toBuffer()
  const bytes = await sharp(small).resize(width, height, { kernel: 'cubic' }).jpeg({ quality: 88 }).toBuffer()
  const view = 'data:image/webp;base64,AAAA'
  const { ruta } = await saveFile(
    { db, storage },
    { tipo: 'image/jpeg', bytes, medidas: { ancho: width, alto: height, vista: view } },
  )
  return ruta
}

interface Start {
  introduccion: string
  galeria: { foto: string; alt: string; foco: [number, number] }[]
}

/** @returns milliseconds from publishing until the home contains the word */
async function publish({ site, db }: Taller, word: string, photos?: string[]): Promise<number> {
  const current = (await readCurrentPublication(db))!
  const home = current.valores['inicio.yaml'] as Start
  const gallery = photos?.map((photo) => ({
    foto: photo,
    alt: 'La feria de noche.',
    foco: [50, 50] as [number, number],
  }))
  const values: Values = {
    ...current.valores,
    'inicio.yaml': { ...home, introduccion: word, ...(gallery && { galeria: gallery }) },
  }
  const rows = await db.selectFrom('archivos_de_edicion').select('sha256').execute()
  const sums = Object.fromEntries(
    (photos ?? []).map((path) => [path, rows.find(({ sha256 }) => path.includes(sha256.slice(0, 12)))!.sha256]),
  )
  const pressed = performance.now()
  const newOne = {
    edicion: current.edicion,
    valores: values,
    archivos: { ...current.archivos, ...sums },
    origen: 'panel' as const,
  }
  await insertPublication(db, newOne, 'preparando', new Date())
  await notifyProcesses(db)
  while (!(await (await fetch(`${site.url}/`)).text()).includes(word)) await sleep(20)
  return performance.now() - pressed
}

/** Requests public screens for LOAD_MS. @returns how long each took, in ms */
async function load(url: string): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + LOAD_MS
  const paths = ['/', '/candidatas', '/maestros', '/nuestra-historia', '/convocatoria']
  await Promise.all(
    Array.from({ length: VISITORS }, async (_, visitor) => {
      for (let turn = visitor; performance.now() < until; turn++) {
        const began = performance.now()
        await page(url + paths[turn % paths.length])
        times.push(performance.now() - began)
        await sleep(PAUSE_MS)
      }
    }),
  )
  return times
}

const page = (url: string) =>
  new Promise<void>((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': 'br' } }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
      .on('error', reject)
      .end()
  })

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
