import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { costumeFiles, seedEntry, seedRows } from '../../tests/inscripciones.ts'
import { memoryOf } from '../../tests/procesos.ts'
import { type RunningSite, startSite } from '../../tests/running-site.ts'
import { type Figure, median } from './figure.ts'

const ENTRIES = 100_000
const ROUNDS = 25
/** Queries of the entry list: some are found at once, others only after reading every entry. */
const LISTS: Record<string, string> = {
  lista: '',
  'filtro por forma y estado': '?tipo=traje&estado=rechazada',
  'fuera de edad': '?edad=fuera',
  'búsqueda de un nombre común': '?buscar=maria',
  'búsqueda de dos palabras': '?buscar=ana+colorin',
  'búsqueda de un correo': '?buscar=persona99996@correo.example',
  'búsqueda sin resultado': '?buscar=zzzz',
}

const COSTUMES = 72
const SKETCH_BYTES = 15_000_000
const ZIP_MIN_BYTES = 2_000_000_000

/** The organisers' list at 100,000 entries, requested as a browser does; and 2 GB of documents as one ZIP. */
export async function panelFigures(): Promise<Figure[]> {
  const site = await startSite({ SITE_CLOCK: '2025-08-01T12:00:00-06:00' })
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
  try {
    const cookie = await enter(site)
    const zip = await zipFigures(site, pool, cookie)
    await seedRows(pool, ENTRIES)
    const lists: Figure[] = []
    for (const [name, search] of Object.entries(LISTS)) {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now()
        const answer = await fetch(`${site.url}/organizadores.data${search}`, { headers: { cookie } })
        const text = await answer.text()
        times.push(performance.now() - began)
        if (answer.status !== 200 || !text.includes('renglones')) throw new Error(`${search}: ${answer.status}`)
      }
      lists.push({
        name: `panel, ${ENTRIES} inscripciones: ${name}`,
        value: median(times),
        unit: 'ms',
        target: { atMost: 50 },
      })
    }
    return [...lists, ...zip]
  } finally {
    await pool.end()
    await site.stop()
  }
}

/** Signs the first organiser in. @returns the session's cookie */
async function enter(site: RunningSite): Promise<string> {
  const kept = await readFile(join(site.dataDir, 'primer-administrador.txt'), 'utf8')
  const [email, password] = [/^Correo: (.*)$/m, /^Contraseña: (.*)$/m].map((line) => line.exec(kept)![1]!)
  const body = new URLSearchParams({ hacer: 'entrar', correo: email!, clave: password! })
  const answer = await fetch(`${site.url}/organizadores`, { method: 'POST', body, redirect: 'manual' })
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Streams costumes with the largest files allowed, and between them photographs that get the watermark, as one ZIP. */
async function zipFigures(site: RunningSite, pool: ReturnType<typeof openPool>, cookie: string): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-panel-'))
  try {
    const services = { db: openDatabase(pool), storage: await openFolderStorage(site.dataDir), clock: createClock() }
    const photo = await sharp(randomBytes(1_000 * 750 * 3), { raw: { width: 1_000, height: 750, channels: 3 } })
      .resize(4_000, 3_000)
      .jpeg()
      .toBuffer()
    const sketch = join(folder, 'boceto.png')
    const bytes = randomBytes(SKETCH_BYTES)
    await writeFile(sketch, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const size = SKETCH_BYTES
    for (let at = 0; at < COSTUMES; at++) {
      const files = costumeFiles()
      files[2]!.body = photo
      await seedEntry(services, { tipo: 'traje', archivos: files, createdAt: new Date('2025-07-01') })
    }
    const { rows } = await pool.query<{ path: string }>(
      `update documentos set sha256 = $1, size_bytes = $2, content_type = 'image/png' where clase like 'boceto%' returning path`,
      [sha256, size],
    )
    for (const { path } of rows) {
      await services.storage.remove('registrotrajes', path)
      const metadata = { contentType: 'image/png', cacheControlSeconds: 3600, sha256 }
      await services.storage.putFile('registrotrajes', path, sketch, metadata)
    }
    const address = `${site.url}/organizadores/exportar?formato=zip`
    const [one] = (await pool.query<{ id: number }>('select id from inscripciones limit 1')).rows
    // Memory that the first answer needs is not counted.
    await (await fetch(`${address}&id=${one!.id}`, { headers: { cookie } })).arrayBuffer()
    const before = await memoryOf(site)
    let highest = before
    let received = 0
    const began = performance.now()
    const answer = await fetch(address, { headers: { cookie } })
    for await (const chunk of answer.body!) {
      const { byteLength } = chunk as Uint8Array
      received += byteLength
      if (received % (8 * 2 ** 20) < byteLength) highest = Math.max(highest, await memoryOf(site))
    }
    if (received < ZIP_MIN_BYTES) throw new Error(`only ${received} bytes of the ZIP came`)
    const seconds = (performance.now() - began) / 1_000
    return [
      { name: 'ZIP de 2 GB: memoria de más', value: (highest - before) / 2 ** 20, unit: 'MB', target: { atMost: 80 } },
      { name: 'ZIP de 2 GB: por segundo', value: received / 2 ** 20 / seconds, unit: 'MB/s' },
    ]
  } finally {
    await pool.query('delete from inscripciones')
    await rm(folder, { recursive: true, force: true })
  }
}
