import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { type IntakeContext, openStaging, type StagingOptions } from '#app/entries/submission/staging.server.ts'
import { textFor } from '../entries/field-values.ts'
import { freshDatabase, type TestDatabase } from '../persistence/database.ts'

export interface TestSite {
  services: Services
  /** Context in which the site receives registrations. */
  intake: IntakeContext
  dataDir: string
  database: TestDatabase
  close(): Promise<void>
}

/** Opens services over a real database and a real folder, without the HTTP server. @param existingDatabase one that the test made */
export async function openTestSite(options?: StagingOptions, existingDatabase?: TestDatabase): Promise<TestSite> {
  const database = existingDatabase ?? (await freshDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'sitio-'))
  const settings = readSettings({ DATA_DIR: dataDir, PUBLIC_URL: 'https://feria.example' })
  const services: Services = {
    settings,
    clock: createClock('2025-08-01T12:00:00-06:00'),
    db: database.db,
    storage: await openFolderStorage(dataDir),
    log: createLog('silent'),
    keyed: createKeyDeriver('x'.repeat(40)),
  }
  return {
    services,
    intake: await openIntake(services, options),
    dataDir,
    database,
    async close() {
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const openIntake = async (services: Services, options?: StagingOptions): Promise<IntakeContext> => ({
  services,
  staging: await openStaging(services, options),
})

/**
 * Opens the same site after a restart: its memory is gone, its disk and its database stay.
 * @param replacements services that replace the site's
 */
export const reopenIntake = (
  { services }: TestSite,
  replacements: Partial<Services> = {},
  options?: StagingOptions,
): Promise<IntakeContext> => openIntake({ ...services, ...replacements }, options)

/** Opens another process of the same site, as on another machine: same database and objects, another data folder. */
export const beside = (
  site: TestSite,
  replacements: Partial<Services> = {},
  options?: StagingOptions,
): Promise<IntakeContext> =>
  reopenIntake(
    site,
    {
      settings: { ...site.services.settings, dataDir: join(site.dataDir, `otro-proceso-${++processCount}`) },
      ...replacements,
    },
    options,
  )
let processCount = 0

/** Reads the bytes of an upload that have arrived. */
export const bytesOf = ({ staging }: IntakeContext, submission: string, id: string): Promise<Buffer> =>
  staging.withWholeFile(submissionKeyOf(submission), id, (file) => readFile(file))

/** Lists the names of all upload chunks in the storage. */
export async function listChunks({ services }: TestSite): Promise<string[]> {
  const names: string[] = []
  for await (const name of services.storage.list('subidas', '')) names.push(name)
  return names
}

/** Frees the leases of a process that was killed some time ago. */
export const loseLeases = ({ database }: TestSite) => database.pool.query('delete from turnos')

let requestCount = 0
export const makeFacts = (client = '192.0.2.1'): RequestFacts => ({
  id: `peticion-${++requestCount}`,
  client,
  nonce: 'n',
})

const picture = sharp({ create: { width: 48, height: 32, channels: 3, background: '#c21f6b' } })

/** Small files that open; of a PDF only the beginning, since no more is checked. */
const FILE_BEGINNINGS = {
  jpg: await picture.clone().jpeg().toBuffer(),
  png: await picture.clone().png().toBuffer(),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj\n', 'latin1'),
  heic: await readFile('tests/samples/foto.heic'),
}

/** Makes a file of a type that opens. Random bytes fill it up, so that no two files are alike. */
export const makeSampleFile = (type: keyof typeof FILE_BEGINNINGS, size = 5_000): Buffer =>
  Buffer.concat([FILE_BEGINNINGS[type], randomBytes(Math.max(8, size - FILE_BEGINNINGS[type].length))])

export interface DocumentFile {
  clase: DocumentKind
  lado?: VoterCardSide
  name: string
  body: Buffer
  /** Folio of the entry for which the document was requested again. */
  folio?: string
}

/** Makes the six files of a complete registration. */
export const makeDocuments = (size = 5_000): DocumentFile[] => [
  { clase: 'actaNacimiento', name: 'acta (1).pdf', body: makeSampleFile('pdf', size) },
  { clase: 'credencialElector', lado: 'anverso', name: 'frente.jpg', body: makeSampleFile('jpg', size) },
  { clase: 'credencialElector', lado: 'reverso', name: 'vuelta.jpg', body: makeSampleFile('jpg', size) },
  { clase: 'constanciaEstudios', name: 'constancia.png', body: makeSampleFile('png', size) },
  { clase: 'fotoRostro', name: 'IMG_0001.HEIC', body: makeSampleFile('heic', size) },
  { clase: 'fotoCuerpo', name: 'cuerpo entero.jpg', body: makeSampleFile('jpg', size) },
]

/** Values that fill in a candidate's form. */
export const FORM_VALUES: Record<string, string> = {
  ...Object.fromEntries(FORMS.candidata.fields.map((field) => [field.name, textFor(field)])),
  nombre: 'Ana María Colorín',
  edad: '21',
  estatura: '1.66',
  gradoEstudio: 'Estudiante',
  celular: '33 0000 0000',
}

const TUS = { 'tus-resumable': '1.0.0' }
const ORIGIN = 'https://feria.example'
const base64 = (text: string) => Buffer.from(text).toString('base64')

export function creationRequest(
  submission: string,
  { clase, lado, name, body, folio }: DocumentFile,
  headers: Record<string, string> = {},
): Request {
  const metadata = [
    `clase ${base64(clase)}`,
    `filename ${base64(name)}`,
    ...(lado ? [`lado ${base64(lado)}`] : []),
    ...(folio ? [`folio ${base64(folio)}`] : []),
  ]
  return new Request(`${ORIGIN}/subidas`, {
    method: 'POST',
    headers: {
      ...TUS,
      'x-entrega': submission,
      'upload-length': String(body.length),
      'upload-metadata': metadata.join(','),
      ...headers,
    },
  })
}

export function uploadRequest(
  method: string,
  location: string,
  submission: string,
  body?: BodyInit,
  headers: Record<string, string> = {},
): Request {
  const patch = method === 'PATCH' ? { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' } : {}
  return new Request(new URL(location, ORIGIN), {
    method,
    headers: { ...TUS, 'x-entrega': submission, ...patch, ...headers },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  } as RequestInit)
}

export type Handle = (request: Request, facts: RequestFacts) => Promise<Response>

/** Uploads a whole file. @returns the upload's id, which is empty if the upload was refused, and the responses */
export async function upload(handle: Handle, submission: string, file: DocumentFile) {
  const creation = await handle(creationRequest(submission, file), makeFacts())
  const location = creation.headers.get('location')
  if (creation.status !== 201 || location === null) return { id: '', creation, patch: undefined }
  const body = new Uint8Array(file.body)
  const length = { 'content-length': String(body.length) }
  const patch = await handle(uploadRequest('PATCH', location, submission, body, length), makeFacts())
  return { id: location.split('/').at(-1)!, creation, patch }
}

/** Makes a POST with the fields that the page's script sends. The tested functions do not read its path, which is another. */
export function submission(fields: Record<string, string>): Request {
  return new Request(`${ORIGIN}/registro`, { method: 'POST', body: new URLSearchParams(fields) })
}

/** Makes POST /registro as a browser without JavaScript sends the form. */
export function formSubmission(fields: Record<string, string>, files: readonly DocumentFile[]): Request {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { clase, name, body } of files) form.append(clase, new File([new Uint8Array(body)], name))
  return new Request(`${ORIGIN}/registro`, { method: 'POST', body: form })
}

/** Uploads files one after another. @returns the uploads' ids by kind of document */
export async function uploadAll(handle: Handle, submission: string, files: readonly DocumentFile[]) {
  const ids: Record<string, string[]> = {}
  for (const file of files) {
    const { id } = await upload(handle, submission, file)
    ids[file.clase] = [...(ids[file.clase] ?? []), id]
  }
  return ids
}

export const newSubmissionId = () => randomUUID()
