import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { OverloadedError } from '#app/core/jobs/limiter.server.ts'
import { inTurn } from '#app/core/process/sandbox.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  type DocumentKind,
  type DocumentMediaType,
  kindOf,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'
import type { RenderRefusal, ViewSize } from './render.server.ts'
import { renderInSandbox } from './render-sandbox.server.ts'

/** A stored document, found. */
export interface DocumentFile {
  id: number
  inscripcionId: number
  clase: DocumentKind
  lado: VoterCardSide | null
  bucket: string
  path: string
  nombreArchivo: string
  contentType: string
  bytes: number
  sha256: string
}

/** Why a document cannot be shown (or marked). */
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

/** A document as it is shown or taken along, or why it is not. One that `lacksMark` has to stand beside it. */
export type ShownDocument =
  | { ok: true; body: Buffer; contentType: string; extension: string; lacksMark?: boolean }
  | { ok: false; reason: ViewingRefusal }

/** Whether it is shown as a picture; what is none is a PDF. */
export const isImage = ({ contentType }: DocumentFile): boolean => contentType.startsWith('image/')
const esPdf = ({ contentType }: DocumentFile): boolean => contentType === 'application/pdf'

/** A document by its id; undefined when there is none. */
export async function findFile(db: Database, id: number): Promise<DocumentFile | undefined> {
  const [row] = await queryFiles(db).where('documentos.id', '=', id).execute()
  return row && toFile(row)
}

/** Documents that count, of several entries, in the order of the forms. */
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
  inscripcionId: row.inscripcion_id,
  clase: row.clase,
  lado: row.lado,
  bucket: FORMS[row.tipo].bucket,
  path: row.path,
  nombreArchivo: row.nombre_archivo,
  contentType: row.content_type,
  bytes: row.size_bytes,
  sha256: row.sha256,
})

/** The stored bytes, whole (15 MB at most), once they are known to be those that came. */
async function readWhole({ storage }: Pick<Services, 'storage'>, file: DocumentFile): Promise<Buffer | ViewingRefusal> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return 'perdido'
  const bytes = await buffer(body)
  return createHash('sha256').update(bytes).digest('hex') === file.sha256 ? bytes : 'danado'
}

/** What comes of a document in the process that reads it. */
type Reading = { ok: true; painted: Buffer } | { ok: false; reason: ViewingRefusal }

/** Reads a stored document in a process of its own. @param how what render.process.ts is to do with it */
async function readApart({ storage }: Pick<Services, 'storage'>, file: DocumentFile, how: string): Promise<Reading> {
  const body = await storage.get(file.bucket, file.path)
  if (!body) return { ok: false, reason: 'perdido' }
  const hash = createHash('sha256')
  const args = [file.contentType, how, ...(kindOf(file.clase).esDeIdentidad ? ['marca'] : [])]
  const { painted, outcome, said, broken } = await renderInSandbox(Readable.from(watching(hash)(body)), args)
  // A file that is cut off is no picture either: first it is asked whether it is what came.
  if (broken === undefined && hash.digest('hex') !== file.sha256) return { ok: false, reason: 'danado' }
  if (outcome === 'rechazado' && (said === 'grande' || said === 'protegido')) return { ok: false, reason: said }
  if (outcome !== 'hecho') return { ok: false, reason: esPdf(file) ? 'protegido' : 'ilegible' }
  return { ok: true, painted }
}

/** A document as it is shown: pictures made to fit a screen, identity documents with the mark across; a PDF that cannot be read so far, as it came. */
export async function viewFile(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  size: ViewSize = 'pantalla',
): Promise<ShownDocument> {
  return working(async () => {
    const read = await readApart(services, file, size)
    if (!read.ok && read.reason === 'protegido') {
      const bytes = await readWhole(services, file)
      if (typeof bytes === 'string') return { ok: false, reason: bytes }
      return { ...asPdf(bytes), lacksMark: kindOf(file.clase).esDeIdentidad }
    }
    if (!read.ok) return read
    return esPdf(file)
      ? asPdf(read.painted)
      : { ok: true, body: read.painted, contentType: 'image/jpeg', extension: 'jpg' }
  })
}

const asPdf = (body: Buffer) => ({ ok: true as const, body, contentType: 'application/pdf', extension: 'pdf' })

/** The bytes as they pass. */
const watching = (hash: Hash) =>
  async function* (body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      hash.update(chunk)
      yield chunk
    }
  }

/**
 * The same as it is taken along: whole where it needs no mark; in a marked cover, where it cannot bear it.
 * @param original without it
 */
export async function downloadFile(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
  original = false,
): Promise<ShownDocument> {
  if (kindOf(file.clase).esDeIdentidad && !original) {
    const shown = await viewFile(services, file)
    if (!shown.ok || !shown.lacksMark) return shown
    const covered = await working(() => readApart(services, file, 'portada'))
    return covered.ok ? asPdf(covered.painted) : covered
  }
  return working(async () => {
    const bytes = await readWhole(services, file)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    return { ok: true, body: bytes, contentType: file.contentType, extension: extensionOf(file.contentType) }
  })
}

/** Why it would not be shown: for a screen that says so instead of a broken picture. A PDF without its mark is shown. */
export async function whyNotShown(
  services: Pick<Services, 'storage'>,
  file: DocumentFile,
): Promise<ViewingRefusal | undefined> {
  const read = await working(() => readApart(services, file, 'motivo'))
  return read.ok || read.reason === 'protegido' ? undefined : read.reason
}

/**
 * Why nobody could open a file that somebody sends, though its first bytes are right. Pictures are decoded, apart, as they
 * are when they are shown; PDFs are refused only where there is nothing in them, or nothing without a password.
 * @param file on this machine's disk
 * @param from the network that sent it, whose files wait for one another
 * @throws Saturado when too many are being looked at
 */
export function whyNotOpened(
  file: string,
  contentType: DocumentMediaType,
  from: string,
): Promise<RenderRefusal | undefined> {
  return inTurn('enviado', from, async () => {
    const { outcome, said, isLate } = await renderInSandbox(createReadStream(file), [contentType, 'enviado'])
    if (outcome === 'hecho') return undefined
    if (outcome === 'rechazado') return said === 'grande' || said === 'protegido' ? said : 'ilegible'
    // It was ended: it takes more memory or time than there is. What iPhones take needs most of the memory, and is judged by
    // eye; a PDF is only read for its password.
    return contentType === 'application/pdf' || (contentType === 'image/heic' && !isLate) ? undefined : 'grande'
  })
}

async function working<Done>(work: () => Promise<Done>): Promise<Done | { ok: false; reason: 'ocupado' }> {
  try {
    return await inTurn('panel', '', work)
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
