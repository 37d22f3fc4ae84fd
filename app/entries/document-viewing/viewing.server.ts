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

/** A DocumentFile is the row of a stored document, with the bucket of its object. */
export interface DocumentFile {
  id: number
  entryId: number
  clase: DocumentKind
  lado: VoterCardSide | null
  bucket: string
  path: string
  fileName: string
  contentType: string
  bytes: number
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

/** The result is a document, or the reason why there is none; with `lacksMark` the caller must show the mark over the PDF. */
export type ShownDocument =
  | { ok: true; body: Buffer; contentType: string; extension: string; lacksMark?: boolean }
  | { ok: false; reason: ViewingRefusal }

/** Returns whether a document is a picture; every other document is a PDF. */
export const isImage = ({ contentType }: DocumentFile): boolean => contentType.startsWith('image/')
const isPdf = ({ contentType }: DocumentFile): boolean => contentType === 'application/pdf'

/** Finds a document by its id; undefined when there is none. */
export async function findFile(db: Database, id: number): Promise<DocumentFile | undefined> {
  const [row] = await queryFiles(db).where('documentos.id', '=', id).execute()
  return row && toFile(row)
}

/** Lists the current documents of several entries, in the order of their arrival. */
export async function listFiles(db: Database, entries: number[]): Promise<DocumentFile[]> {
  const rows = await queryFiles(db)
    .where('inscripcion_id', 'in', entries)
    .where('reemplazado_at', 'is', null)
    .orderBy('documentos.id')
    .execute()
  return rows.map(toFile)
}

const queryFiles = (db: Database) =>
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

type FileRow = Awaited<ReturnType<ReturnType<typeof queryFiles>['execute']>>[number]

const toFile = (row: FileRow): DocumentFile => ({
  id: row.id,
  entryId: row.inscripcion_id,
  clase: row.clase,
  lado: row.lado,
  bucket: FORMS[row.tipo].bucket,
  path: row.path,
  fileName: row.nombre_archivo,
  contentType: row.content_type,
  bytes: row.size_bytes,
  sha256: row.sha256,
})

/** Reads a whole document into memory (15 MB at most), and checks its SHA-256 against the recorded one. */
async function readWhole({ storage }: Pick<Services, 'storage'>, file: DocumentFile): Promise<Buffer | ViewingRefusal> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return 'perdido'
  const bytes = await buffer(body)
  return createHash('sha256').update(bytes).digest('hex') === file.sha256 ? bytes : 'danado'
}

type Reading = { ok: true; painted: Buffer } | { ok: false; reason: ViewingRefusal }

/** Renders a stored document in a separate process. @param how the word that tells render.process.ts its task or size */
async function renderApart({ storage }: Pick<Services, 'storage'>, file: DocumentFile, how: string): Promise<Reading> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return { ok: false, reason: 'perdido' }
  const hash = createHash('sha256')
  const args = [file.contentType, how, ...(kindOf(file.clase).isIdentity ? ['marca'] : [])]
  const { output, outcome, errorText, inputError } = await renderInSandbox(Readable.from(hashPassing(hash)(body)), args)
  // Integrity comes first: a file truncated in the storage would otherwise be reported as an unreadable picture.
  if (inputError === undefined && hash.digest('hex') !== file.sha256) return { ok: false, reason: 'danado' }
  if (outcome === 'refused' && (errorText === 'grande' || errorText === 'protegido'))
    return { ok: false, reason: errorText }
  if (outcome !== 'done') return { ok: false, reason: isPdf(file) ? 'protegido' : 'ilegible' }
  return { ok: true, painted: output }
}

/**
 * Renders a document for display: pictures scaled to the size, identity documents watermarked. A PDF that cannot be rewritten
 * is returned as it came, with `lacksMark` where the watermark is missing.
 */
export async function viewFile(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  size: ViewSize = 'pantalla',
): Promise<ShownDocument> {
  return runInPanelLane(async () => {
    const reading = await renderApart(services, file, size)
    if (!reading.ok && reading.reason === 'protegido') {
      const bytes = await readWhole(services, file)
      if (typeof bytes === 'string') return { ok: false, reason: bytes }
      return { ...asPdf(bytes), lacksMark: kindOf(file.clase).isIdentity }
    }
    if (!reading.ok) return reading
    return isPdf(file)
      ? asPdf(reading.painted)
      : { ok: true, body: reading.painted, contentType: 'image/jpeg', extension: 'jpg' }
  })
}

const asPdf = (body: Buffer) => ({ ok: true as const, body, contentType: 'application/pdf', extension: 'pdf' })

/** Makes a stage of a stream that passes bytes through and feeds the hash. */
const hashPassing = (hash: Hash) =>
  async function* (body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      hash.update(chunk)
      yield chunk
    }
  }

/**
 * Returns a document for download: as it came if it needs no watermark, else as `viewFile` shows it; a PDF that cannot bear
 * the watermark comes in a marked cover.
 * @param original asks for the stored bytes without the watermark; the caller checks the right to them
 */
export async function downloadFile(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  original = false,
): Promise<ShownDocument> {
  if (kindOf(file.clase).isIdentity && !original) {
    const shown = await viewFile(services, file)
    if (!shown.ok || !shown.lacksMark) return shown
    const cover = await runInPanelLane(() => renderApart(services, file, 'portada'))
    return cover.ok ? asPdf(cover.painted) : cover
  }
  return runInPanelLane(async () => {
    const bytes = await readWhole(services, file)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    return { ok: true, body: bytes, contentType: file.contentType, extension: extensionOf(file.contentType) }
  })
}

/**
 * Finds out why a document would not be shown, for a message instead of a broken picture; undefined when it would be shown,
 * as is a PDF that cannot bear the watermark.
 */
export async function whyNotShown(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
): Promise<ViewingRefusal | undefined> {
  const reading = await runInPanelLane(() => renderApart(services, file, 'motivo'))
  return reading.ok || reading.reason === 'protegido' ? undefined : reading.reason
}

/**
 * Finds out why a received file cannot be opened although its first bytes are right; undefined when it can. Pictures are
 * decoded in the sandbox; a PDF is refused only if it is tiny and holds no object, or if it asks for a password.
 * @param file path on this machine's disk
 * @param from the sending network; networks take turns, so that one network's slow files hold up mainly its own
 * @throws OverloadedError when too many files are being checked
 */
export function whyNotOpened(
  file: string,
  contentType: DocumentMediaType,
  from: string,
): Promise<RenderRefusal | undefined> {
  return sandboxQueue('public', from, async () => {
    const { outcome, errorText, isLate } = await renderInSandbox(createReadStream(file), [contentType, 'enviado'])
    if (outcome === 'done') return undefined
    if (outcome === 'refused') return errorText === 'grande' || errorText === 'protegido' ? errorText : 'ilegible'
    // The process ran out of memory or time. A HEIC that ran out of memory may be an iPhone's large photograph, and is left to
    // the organisers' eyes. A PDF passes, since it was read only to learn whether it asks for a password.
    return contentType === 'application/pdf' || (contentType === 'image/heic' && !isLate) ? undefined : 'grande'
  })
}

async function runInPanelLane<Done>(work: () => Promise<Done>): Promise<Done | { ok: false; reason: 'ocupado' }> {
  try {
    return await sandboxQueue('panel', '', work)
  } catch (error) {
    if (error instanceof OverloadedError) return { ok: false, reason: 'ocupado' }
    throw error
  }
}

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'application/pdf': 'pdf',
}
export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? 'bin'
