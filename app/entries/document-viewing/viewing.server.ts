import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  type DocumentKind,
  type DocumentMediaType,
  kindOf,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'
import type { RenderRefusal, ViewSize } from './render.server.ts'
import { renderInSandbox } from './render-sandbox.server.ts'

/** The row of a stored document, with the bucket of its object. */
export interface DocumentFile {
  id: number
  entryId: number
  clase: DocumentKind
  lado: VoterCardSide | null
  bucket: string
  path: string
  fileName: string
  contentType: string
  byteCount: number
  sha256: string
}

export type ViewingRefusal = 'perdido' | 'danado' | 'ilegible' | 'grande' | 'protegido' | 'ocupado'

export const VIEWING_MESSAGES: Readonly<Record<ViewingRefusal, string>> = {
  perdido: 'Este archivo ya no está en el almacén. Pide de nuevo el documento, o recupéralo de un respaldo.',
  danado:
    'Este archivo está dañado: lo guardado no es lo que la persona envió. Pide de nuevo el documento, o recupéralo de un respaldo.',
  ilegible:
    'Esta imagen no se puede abrir: su contenido no está completo o no es una imagen. Pide de nuevo el documento.',
  grande: 'Esta imagen es demasiado grande para mostrarla aquí. Pide de nuevo el documento, en una fotografía normal.',
  protegido: 'A este PDF no se le pudo poner la marca. Míralo en su inscripción, o pide de nuevo el documento.',
  ocupado: 'Se están abriendo muchas imágenes a la vez. Espera un momento y vuelve a intentarlo.',
}

export type ShownDocument =
  /** With `lacksMark` the caller must show the watermark over the PDF. */
  | { ok: true; body: Buffer; contentType: string; extension: string; lacksMark?: boolean }
  | { ok: false; reason: ViewingRefusal }

/** Returns whether a document is a picture; every other document is a PDF. */
export const isImage = ({ contentType }: DocumentFile): boolean => contentType.startsWith('image/')
const isPdf = ({ contentType }: DocumentFile): boolean => contentType === 'application/pdf'

export async function findDocumentFile(db: Database, id: number): Promise<DocumentFile | undefined> {
  const [row] = await selectFiles(db).where('documentos.id', '=', id).execute()
  return row && toDocumentFile(row)
}

/** Lists the current documents of several entries, in the order of their arrival. */
export async function listDocumentFiles(db: Database, entryIds: number[]): Promise<DocumentFile[]> {
  const rows = await selectFiles(db)
    .where('inscripcion_id', 'in', entryIds)
    .where('reemplazado_at', 'is', null)
    .orderBy('documentos.id')
    .execute()
  return rows.map(toDocumentFile)
}

const selectFiles = (db: Database) =>
  db
    .selectFrom('documentos')
    .innerJoin('inscripciones', 'inscripciones.id', 'documentos.inscripcion_id')
    .select([
      'documentos.id',
      'inscripcion_id',
      'clase',
      'lado',
      'tipo',
      'path',
      'nombre_archivo',
      'content_type',
      'size_bytes',
      'sha256',
    ])

type FileRow = Awaited<ReturnType<ReturnType<typeof selectFiles>['execute']>>[number]

const toDocumentFile = (row: FileRow): DocumentFile => ({
  id: row.id,
  entryId: row.inscripcion_id,
  clase: row.clase,
  lado: row.lado,
  bucket: FORMS[row.tipo].bucket,
  path: row.path,
  fileName: row.nombre_archivo,
  contentType: row.content_type,
  byteCount: row.size_bytes,
  sha256: row.sha256,
})

/** Reads a document into memory (MAX_FILE_BYTES at most); `perdido` for a missing file, `danado` for one with another SHA-256. */
async function readWhole({ storage }: Pick<Services, 'storage'>, file: DocumentFile): Promise<Buffer | ViewingRefusal> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return 'perdido'
  const bytes = await buffer(body)
  return createHash('sha256').update(bytes).digest('hex') === file.sha256 ? bytes : 'danado'
}

type Rendering = { ok: true; rendered: Buffer } | { ok: false; reason: ViewingRefusal }

/** Renders a stored document in a separate process. @param option task or size, as render.process.ts takes it */
async function renderStored(
  { storage }: Pick<Services, 'storage'>,
  file: DocumentFile,
  option: string,
): Promise<Rendering> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return { ok: false, reason: 'perdido' }
  const hash = createHash('sha256')
  const args = [file.contentType, option, ...(kindOf(file.clase).isIdentity ? ['marca'] : [])]
  const { output, outcome, errorText, inputError } = await renderInSandbox(Readable.from(feedHash(body, hash)), args)
  // Integrity comes first: a file truncated in the storage would otherwise be reported as an unreadable picture.
  if (inputError === undefined && hash.digest('hex') !== file.sha256) return { ok: false, reason: 'danado' }
  if (outcome === 'refused' && (errorText === 'grande' || errorText === 'protegido'))
    return { ok: false, reason: errorText }
  if (outcome !== 'done') return { ok: false, reason: isPdf(file) ? 'protegido' : 'ilegible' }
  return { ok: true, rendered: output }
}

/**
 * Renders a document for display: a picture is scaled down to `size`, an identity document gets the watermark. A PDF that cannot
 * be rewritten is returned as it arrived, with `lacksMark` if it needs the watermark.
 */
export async function prepareView(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  size: ViewSize = 'pantalla',
): Promise<ShownDocument> {
  return runInPanelQueue(async () => {
    const rendering = await renderStored(services, file, size)
    if (!rendering.ok && rendering.reason === 'protegido') {
      const bytes = await readWhole(services, file)
      if (typeof bytes === 'string') return { ok: false, reason: bytes }
      return { ...asPdf(bytes), lacksMark: kindOf(file.clase).isIdentity }
    }
    if (!rendering.ok) return rendering
    return isPdf(file)
      ? asPdf(rendering.rendered)
      : { ok: true, body: rendering.rendered, contentType: 'image/jpeg', extension: 'jpg' }
  })
}

const asPdf = (body: Buffer) => ({ ok: true as const, body, contentType: 'application/pdf', extension: 'pdf' })

async function* feedHash(body: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

/**
 * Returns a document for download: as it arrived if it needs no watermark, else as `prepareView` returns it. A PDF that cannot get
 * the watermark is attached to a sheet with the watermark.
 * @param isOriginal whether the stored bytes are wanted, without a watermark; the caller checks the right to them
 */
export async function prepareDownload(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  isOriginal = false,
): Promise<ShownDocument> {
  if (kindOf(file.clase).isIdentity && !isOriginal) {
    const view = await prepareView(services, file)
    if (!view.ok || !view.lacksMark) return view
    const cover = await runInPanelQueue(() => renderStored(services, file, 'portada'))
    return cover.ok ? asPdf(cover.rendered) : cover
  }
  return runInPanelQueue(async () => {
    const bytes = await readWhole(services, file)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    return { ok: true, body: bytes, contentType: file.contentType, extension: extensionOf(file.contentType) }
  })
}

/**
 * Returns the reason why a document would not be shown, for a message instead of a broken picture; undefined if it would be
 * shown, as is a PDF that cannot get the watermark.
 */
export async function findViewingRefusal(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
): Promise<ViewingRefusal | undefined> {
  const rendering = await runInPanelQueue(() => renderStored(services, file, 'motivo'))
  return rendering.ok || rendering.reason === 'protegido' ? undefined : rendering.reason
}

/**
 * Returns the reason why a received file is refused although its first bytes are right; undefined if it is accepted. A picture
 * must be decodable, unless it is an intact HEIC. A PDF is refused only if it is tiny without an object, or asks for a password.
 * @param filePath on this machine's disk
 * @param network the sender's network; networks take turns, so that slow files delay mainly the network that sent them
 * @throws OverloadedError if too many files are being checked, or the file was judged before it had arrived completely
 */
export function findOpeningRefusal(
  filePath: string,
  contentType: DocumentMediaType,
  network: string,
): Promise<RenderRefusal | undefined> {
  return sandboxQueue('public', network, async () => {
    const { outcome, errorText, isLate } = await renderInSandbox(createReadStream(filePath), [contentType, 'enviado'])
    if (outcome === 'done') return undefined
    if (outcome === 'refused') return errorText === 'grande' || errorText === 'protegido' ? errorText : 'ilegible'
    // The process ran out of memory or time, or crashed. A HEIC that needs too much memory may be an iPhone's large photograph, and
    // is left to the organisers' judgement. A PDF passes, since it was read only to learn whether it asks for a password.
    return contentType === 'application/pdf' || (contentType === 'image/heic' && !isLate) ? undefined : 'grande'
  })
}

async function runInPanelQueue<Result>(
  work: () => Promise<Result>,
): Promise<Result | { ok: false; reason: 'ocupado' }> {
  try {
    return await sandboxQueue('panel', '', work)
  } catch (error) {
    if (error instanceof OverloadedError) return { ok: false, reason: 'ocupado' }
    throw error
  }
}

const EXTENSIONS_BY_TYPE: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'application/pdf': 'pdf',
}
export const extensionOf = (contentType: string): string => EXTENSIONS_BY_TYPE[contentType] ?? 'bin'
