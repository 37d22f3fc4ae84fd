import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { Upload } from 'tus-js-client'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { textFor } from './field-values.ts'

/** Size of the chunks that the page sends. */
const CHUNK_BYTES = 1_048_576
const PARALLEL_FILES = 2

export interface SentDocument {
  clase: string
  lado?: string
  name: string
  body: Buffer
  /** Id of the upload, once the file is uploaded. */
  subida?: string
}

export interface Registration {
  entrega: string
  valores: Record<string, string>
  documentos: SentDocument[]
}

const jpegOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a86' } })
    .jpeg()
    .toBuffer()
const [LARGE, SMALL] = await Promise.all([jpegOf(4_000, 3_000), jpegOf(640, 480)])

/** Makes a photograph that opens. Random bytes fill it up to a size. */
function makePhoto(size: number): Buffer {
  const jpeg = size < LARGE.length ? SMALL : LARGE
  return Buffer.concat([jpeg, randomBytes(Math.max(0, size - jpeg.length))])
}

export function newRegistration(fileBytes: number): Registration {
  const kinds = [
    'actaNacimiento',
    'credencialElector',
    'credencialElector',
    'constanciaEstudios',
    'fotoRostro',
    'fotoCuerpo',
  ]
  const sides = [undefined, 'anverso', 'reverso']
  return {
    entrega: randomUUID(),
    // Tests find the registration by its telephone number.
    valores: {
      ...Object.fromEntries(FORMS.candidata.fields.map((field) => [field.name, textFor(field)])),
      nombre: 'Prueba Colorín',
      edad: '21',
      estatura: '1.66',
      gradoEstudio: 'Estudiante',
      celular: randomUUID().slice(0, 30),
    },
    documentos: kinds.map((kind, index) => ({
      clase: kind,
      ...(sides[index] ? { lado: sides[index] } : {}),
      name: `archivo ${index}.jpg`,
      body: makePhoto(fileBytes),
    })),
  }
}

/** Returns the header by which a proxy reports a network of the submission's own, so that no network reaches its limits. */
function fromOwnNetwork(submission: string): Record<string, string> {
  const [firstByte, secondByte] = createHash('sha256').update(submission).digest()
  return { 'x-forwarded-for': `10.${firstByte}.${secondByte}.7` }
}

/** Uploads one file, and resumes until the upload is complete. @returns the upload's id @throws after 100 attempts, or on abort */
async function uploadFile(
  url: string,
  submission: string,
  { clase, lado, name, body }: SentDocument,
  signal: AbortSignal,
): Promise<string> {
  let uploadUrl: string | undefined
  for (let attempt = 0; attempt < 100 && !signal.aborted; attempt++) {
    try {
      return await new Promise<string>((resolve, reject) => {
        const upload = new Upload(body, {
          ...(uploadUrl ? { uploadUrl } : { endpoint: `${url}/subidas` }),
          headers: { 'x-entrega': submission, ...fromOwnNetwork(submission) },
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
export async function sendRegistration(
  url: string,
  { entrega, valores, documentos }: Registration,
  signal: AbortSignal,
): Promise<void> {
  const queue = documentos.filter(({ subida }) => subida === undefined)
  await Promise.all(
    Array.from({ length: PARALLEL_FILES }, async () => {
      for (let next = queue.shift(); next; next = queue.shift())
        next.subida = await uploadFile(url, entrega, next, signal)
    }),
  )
  const uploadIdsByKind: Record<string, string[]> = {}
  for (const { clase, subida } of documentos) uploadIdsByKind[clase] = [...(uploadIdsByKind[clase] ?? []), subida!]
  const body = new URLSearchParams({ ...valores, entrega, documentos: JSON.stringify(uploadIdsByKind) })
  const response = await fetch(`${url}/registro/envio`, {
    method: 'POST',
    body,
    signal,
    headers: fromOwnNetwork(entrega),
  })
  const reply = (await response.json()) as { ok: boolean; reason?: string }
  // If the site has lost a file, the next attempt sends all files again.
  if (reply.reason === 'documentoInvalido') for (const document of documentos) delete document.subida
  if (!reply.ok) throw new Error(`Refused: ${JSON.stringify(reply)}`)
}

/**
 * Sends a registration as a browser without JavaScript does: one form, files included.
 * @throws unless the site confirmed it
 */
export async function sendForm(
  url: string,
  { entrega, valores, documentos }: Registration,
  signal: AbortSignal,
): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega, ...valores })) form.append(name, value)
  for (const { clase, name, body } of documentos) form.append(clase, new File([new Uint8Array(body)], name))
  const response = await fetch(`${url}/registro`, {
    method: 'POST',
    body: form,
    signal,
    headers: fromOwnNetwork(entrega),
  })
  const page = await response.text()
  if (response.status !== 200 || !page.includes('Registro exitoso.'))
    throw new Error(
      `Refused: ${response.status} ${/role="alert"[^>]*>(.*?)<\/div>/s.exec(page)?.[1] ?? page.slice(0, 300)}`,
    )
}

export interface StoredRegistration {
  id: number
  celular: string
  metadata_path: string
  documentos: { clase: string; lado: string | null; path: string }[]
}

/** Reads every stored registration. @throws while a submission is neither stored nor undone */
export async function readStoredRegistrations(connection: pg.ClientConfig): Promise<StoredRegistration[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<StoredRegistration>(
      `select r.id::int, r.celular, r.metadata_path, json_agg(json_build_object('clase', d.clase, 'lado', d.lado, 'path', d.path)) as documentos
       from registros r left join documentos d on d.inscripcion_id = r.inscripcion_id group by r.id`,
    )
    const pendingSubmissions = await client.query(`select 1 from entregas where estado = 'guardando'`)
    if (pendingSubmissions.rowCount !== 0)
      throw new Error(`${pendingSubmissions.rowCount} submissions are neither stored nor undone`)
    return rows
  } finally {
    await client.end()
  }
}

/** Compares a stored row, its metadata and its six objects with the registration, byte for byte. @returns the faults */
export async function findRegistrationFaults(
  storage: ReadableStorage,
  registration: Registration,
  stored: StoredRegistration | undefined,
): Promise<string[]> {
  if (!stored) return ['there is no row']
  const faults: string[] = []
  const metadata = JSON.parse((await readObject(storage, stored.metadata_path))?.toString() ?? 'null')
  if (metadata?.id !== stored.id || metadata?.celular !== stored.celular)
    faults.push('its metadata is wrong or missing')
  if (Object.values(metadata?.documentos ?? {}).flat().length !== registration.documentos.length)
    faults.push('its metadata does not list all documents')
  for (const { clase, lado, body } of registration.documentos) {
    const document = stored.documentos.find(
      (storedDocument) => storedDocument.clase === clase && storedDocument.lado === (lado ?? null),
    )
    const bytes = document && (await readObject(storage, document.path))
    if (!bytes || sha256Of(bytes) !== sha256Of(body)) faults.push(`${clase} ${lado ?? ''} is not what was sent`)
  }
  return faults
}

type ReadableStorage = Pick<ObjectStorage, 'get' | 'list'>

async function readObject(storage: ReadableStorage, path: string): Promise<Buffer | undefined> {
  const body = await storage.get('registro', path)
  return body && Buffer.concat(await body.toArray())
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Lists the paths of objects that belong to none of the given registrations. */
export async function listStrayObjects(
  storage: ReadableStorage,
  stored: readonly StoredRegistration[],
): Promise<string[]> {
  const knownPaths = new Set(
    stored.flatMap((registration) => [registration.metadata_path, ...registration.documentos.map(({ path }) => path)]),
  )
  const strayPaths: string[] = []
  for await (const path of storage.list('registro', '')) if (!knownPaths.has(path)) strayPaths.push(path)
  return strayPaths
}
