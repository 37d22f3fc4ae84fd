import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { Upload } from 'tus-js-client'
import { freePort, type RunningSite, startSite } from '../../tests/running-site.ts'
import type { Figure } from './figure.ts'
import { killEverything, memoryOf } from './processes.ts'
import { openWeakLine } from './weak-line.ts'

const MB = 1_000_000
const CUTS = 5
const LINE_BITS_PER_SECOND = 5_000_000
const REGISTRATION_BYTES = 60 * MB
/** Size of the pieces that the page sends. */
const CHUNK_BYTES = 1_048_576
const PARALLEL_FILES = 2

const KILLS = 10
const REGISTRATIONS_PER_KILL = 20
const FILE_BYTES = 100_000

interface Documento {
  clase: string
  lado?: string
  name: string
  body: Buffer
}

interface Registro {
  entrega: string
  valores: Record<string, string>
  documentos: Documento[]
}

/** A photograph that opens, filled up to a size with what nobody reads. */
const JPEG = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#a86' } })
  .jpeg()
  .toBuffer()
const photo = (size: number) => Buffer.concat([JPEG, randomBytes(Math.max(0, size - JPEG.length))])

function newRegistro(fileBytes: number): Registro {
  const clases = [
    'actaNacimiento',
    'credencialElector',
    'credencialElector',
    'constanciaEstudios',
    'fotoRostro',
    'fotoCuerpo',
  ]
  const lados = [undefined, 'anverso', 'reverso']
  return {
    entrega: randomUUID(),
    // The telephone number tells the registrations apart afterwards.
    valores: {
      nombre: 'Prueba Colorín',
      edad: '21',
      estatura: '1.66',
      gradoEstudio: 'Estudiante',
      celular: randomUUID().slice(0, 30),
    },
    documentos: clases.map((clase, at) => ({
      clase,
      ...(lados[at] ? { lado: lados[at] } : {}),
      name: `archivo ${at}.jpg`,
      body: photo(fileBytes),
    })),
  }
}

/** Uploads one file, going on where it stopped until it is whole. @returns its id */
async function uploadFile(
  url: string,
  entrega: string,
  { clase, lado, name, body }: Documento,
  signal: AbortSignal,
): Promise<string> {
  let uploadUrl: string | undefined
  for (let attempt = 0; attempt < 100 && !signal.aborted; attempt++) {
    try {
      return await new Promise<string>((resolve, reject) => {
        const upload = new Upload(body, {
          ...(uploadUrl ? { uploadUrl } : { endpoint: `${url}/subidas` }),
          headers: { 'x-entrega': entrega },
          metadata: { clase, ...(lado ? { lado } : {}), filename: name, filetype: 'image/jpeg' },
          chunkSize: CHUNK_BYTES,
          retryDelays: [0, 250, 500, 1_000, 2_000, 4_000],
          onUploadUrlAvailable: () => {
            uploadUrl = upload.url ?? undefined
          },
          onSuccess: () => resolve(upload.url!.split('/').at(-1)!),
          onError: reject,
        })
        upload.start()
      })
    } catch {
      await sleep(500, undefined, { signal }).catch(() => {})
    }
  }
  throw new Error('An upload did not come to its end')
}

/** Sends a registration as the page's script does. @throws unless the site confirmed it */
async function sendRegistro(
  url: string,
  { entrega, valores, documentos }: Registro,
  signal: AbortSignal,
): Promise<void> {
  const ids = new Map<Documento, string>()
  const queue = [...documentos]
  await Promise.all(
    Array.from({ length: PARALLEL_FILES }, async () => {
      for (let next = queue.shift(); next; next = queue.shift())
        ids.set(next, await uploadFile(url, entrega, next, signal))
    }),
  )
  const listed: Record<string, string[]> = {}
  for (const documento of documentos)
    listed[documento.clase] = [...(listed[documento.clase] ?? []), ids.get(documento)!]
  const body = new URLSearchParams({ ...valores, entrega, documentos: JSON.stringify(listed) })
  const answer = await fetch(`${url}/registro/envio`, { method: 'POST', body, signal })
  const result = (await answer.json()) as { ok: boolean }
  if (!result.ok) throw new Error(`Refused: ${JSON.stringify(result)}`)
}

/**
 * Sends a registration as a browser without JavaScript does: one form, files included.
 * @throws unless the site confirmed it
 */
async function sendForm(url: string, { entrega, valores, documentos }: Registro, signal: AbortSignal): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega, ...valores })) form.append(name, value)
  for (const { clase, name, body } of documentos) form.append(clase, new File([new Uint8Array(body)], name))
  const answer = await fetch(`${url}/registro`, { method: 'POST', body: form, signal })
  const page = await answer.text()
  if (answer.status !== 200 || !page.includes('Registro exitoso.')) throw new Error(`Refused: ${answer.status}`)
}

interface Stored {
  id: number
  celular: string
  metadata_path: string
  documentos: { clase: string; lado: string | null; path: string }[]
}

async function storedRegistros(dataDir: string): Promise<Stored[]> {
  const client = new pg.Client({ host: join(dataDir, 'postgres.sockets'), user: 'certamen', database: 'certamen' })
  await client.connect()
  try {
    const { rows } = await client.query<Stored>(
      `select r.id::int, r.celular, r.metadata_path, json_agg(json_build_object('clase', d.clase, 'lado', d.lado, 'path', d.path)) as documentos
       from registros r left join documentos d on d.inscripcion_id = r.inscripcion_id group by r.id`,
    )
    const open = await client.query(`select 1 from entregas where estado = 'guardando'`)
    if (open.rowCount !== 0) throw new Error(`${open.rowCount} submissions are neither stored nor undone`)
    return rows
  } finally {
    await client.end()
  }
}

/** Checks that row, metadata and all six objects are there, byte for byte. @returns what is wrong */
async function faultsOf(dataDir: string, registro: Registro, stored: Stored | undefined): Promise<string[]> {
  if (!stored) return ['there is no row']
  const faults: string[] = []
  const bucket = join(dataDir, 'objects/registro')
  const metadata = JSON.parse(await readFile(join(bucket, stored.metadata_path), 'utf8').catch(() => 'null'))
  if (metadata?.id !== stored.id || metadata?.celular !== stored.celular)
    faults.push('its metadata is wrong or missing')
  if (Object.values(metadata?.documentos ?? {}).flat().length !== registro.documentos.length)
    faults.push('its metadata does not list all documents')
  for (const { clase, lado, body } of registro.documentos) {
    const document = stored.documentos.find((one) => one.clase === clase && one.lado === (lado ?? null))
    const bytes = document && (await readFile(join(bucket, document.path)).catch(() => undefined))
    if (!bytes || sum(bytes) !== sum(body)) faults.push(`${clase} ${lado ?? ''} is not what was sent`)
  }
  return faults
}

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function strayObjects(dataDir: string, stored: readonly Stored[]): Promise<string[]> {
  const bucket = join(dataDir, 'objects/registro')
  const known = new Set(stored.flatMap((one) => [one.metadata_path, ...one.documentos.map(({ path }) => path)]))
  const entries = await readdir(bucket, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(bucket.length + 1))
    .filter((path) => !known.has(path))
}

/** A registration of 60 MB through a line of 5 Mbps that is cut five times, in the middle of its files. */
export async function weakLineFigures(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-linea-'))
  const patience = AbortSignal.timeout(15 * 60_000)
  let site: RunningSite | undefined
  try {
    site = await startSite({ DATA_DIR: dataDir })
    // Memory that the first registration takes for good is not counted.
    await sendRegistro(site.url, newRegistro(200_000), patience)
    await sleep(1_000)
    const line = await openWeakLine(await freePort(), Number(new URL(site.url).port), LINE_BITS_PER_SECOND)
    const before = await memoryOf(site)
    let most = before
    let watching = true
    const watch = (async () => {
      while (watching) {
        most = Math.max(most, await memoryOf(site!))
        await sleep(100)
      }
    })()
    let cuts = 0
    const cutter = setInterval(() => {
      if (cuts < CUTS && line.sentBytes() > ((cuts + 1) * REGISTRATION_BYTES) / (CUTS + 1))
        line.cut({ silent: cuts++ % 2 === 1, downMs: 1_500 })
    }, 50)
    const registro = newRegistro(REGISTRATION_BYTES / 6)
    const began = performance.now()
    await sendRegistro(line.url, registro, patience)
    const seconds = (performance.now() - began) / 1_000
    clearInterval(cutter)
    watching = false
    await watch
    const sent = line.sentBytes()
    await line.close()
    const stored = await storedRegistros(dataDir)
    const own = stored.find((one) => one.celular === registro.valores.celular)
    const faults = await faultsOf(dataDir, registro, own)
    if (cuts !== CUTS) faults.push(`the line was cut ${cuts} times`)
    if (faults.length > 0) throw new Error(`The registration is not whole: ${faults.join('; ')}`)
    const ideal = (REGISTRATION_BYTES * 8) / LINE_BITS_PER_SECOND
    return [
      {
        name: 'registro de 60 MB, línea de 5 Mbps cortada cinco veces: bytes de más',
        value: (sent / REGISTRATION_BYTES - 1) * 100,
        unit: '%',
        target: { atMost: 3 },
      },
      {
        name: 'el mismo: memoria que crece el servidor',
        value: (most - before) / MB,
        unit: 'MB',
        target: { atMost: 100 },
      },
      {
        name: 'el mismo: duración',
        value: seconds,
        unit: 's',
        baseline: { name: 'la línea sin cortes ni pérdidas', value: ideal },
      },
    ]
  } finally {
    await site?.stop().catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Kills everything ten times (kill -9) while twenty registrations run, and then checks each confirmed one. */
export async function killFigures(say: (line: string) => void): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-kill-'))
  let site: RunningSite | undefined
  const all: Registro[] = []
  const confirmed = new Set<string>()
  const broken: string[] = []
  let interrupted = 0

  /** Begins twenty registrations at once, a quarter of them as plain forms. */
  const launch = (signal: AbortSignal): Promise<PromiseSettledResult<void>[]> => {
    const { url } = site!
    const batch = Array.from({ length: REGISTRATIONS_PER_KILL }, () => newRegistro(FILE_BYTES))
    all.push(...batch)
    return Promise.allSettled(
      batch.map(async (registro, at) => {
        await (at % 4 === 0 ? sendForm : sendRegistro)(url, registro, signal)
        // A confirmation that arrived counts, however close the kill was.
        confirmed.add(registro.entrega)
      }),
    )
  }

  try {
    site = await startSite({ DATA_DIR: dataDir })
    // First measures how long twenty take undisturbed just after a start, so that the kills of each round fall into the
    // work.
    let batchMs = 0
    for (let run = 0; run < 2; run++) {
      const began = performance.now()
      for (const outcome of await launch(AbortSignal.timeout(120_000)))
        if (outcome.status === 'rejected') throw new Error('Refused before any kill', { cause: outcome.reason })
      batchMs = Math.max(batchMs, performance.now() - began)
    }

    for (let round = 1; round <= KILLS; round++) {
      const before = confirmed.size
      const kill = new AbortController()
      const batch = launch(kill.signal)
      await sleep(randomInt(Math.ceil(batchMs * 0.05), Math.ceil(batchMs)))
      await killEverything(site)
      kill.abort()
      await batch
      const confirmedNow = confirmed.size - before
      if (confirmedNow < REGISTRATIONS_PER_KILL) interrupted++
      site = await startSite({ DATA_DIR: dataDir })
      const stored = await storedRegistros(dataDir)
      for (const registro of all) {
        const own = stored.filter((one) => one.celular === registro.valores.celular)
        if (own.length > 1) broken.push(`round ${round}: registered ${own.length} times`)
        if (!confirmed.has(registro.entrega) && own.length === 0) continue
        for (const fault of await faultsOf(dataDir, registro, own[0])) broken.push(`round ${round}: ${fault}`)
      }
      for (const path of await strayObjects(dataDir, stored)) broken.push(`round ${round}: stray object ${path}`)
      say(`  corte ${round}: ${confirmedNow} confirmados, ${stored.length} guardados en total, ${broken.length} faltas`)
    }
    if (broken.length > 0) say(`  ${[...new Set(broken)].slice(0, 10).join('\n  ')}`)
    return [
      {
        name: `${KILLS} × kill -9 de todo con ${REGISTRATIONS_PER_KILL} registros en marcha: faltas en ${confirmed.size} confirmados`,
        value: broken.length,
        unit: '',
        target: { atMost: 0 },
      },
      { name: 'cortes que cayeron en medio del trabajo', value: interrupted, unit: `de ${KILLS}` },
    ]
  } finally {
    await site?.stop().catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}
