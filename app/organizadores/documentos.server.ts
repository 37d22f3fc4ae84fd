import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { createTurnos, Saturado } from '#app/platform/turnos.server.ts'
import { marcaSvg } from './marca.ts'
import { marcarPdf } from './pdf.server.ts'
import { type ClaseDeDocumento, esDeIdentidad, type LadoDeDocumento, type TipoInscripcion } from './schema.ts'

/** Beyond this a picture is a trap, not a photograph: 30,000 × 30,000 take 2.7 GB once they are unfolded. */
const MAX_PIXELS = 120_000_000
/** Longest side of what is shown: enough to read the small print of a credential. */
const SHOWN_PIXELS = 2_400
const JPEG_QUALITY = 84

/** A picture takes up to some 150 MB while it is worked on. */
const inTurn = createTurnos(2, 40)

/** A stored document, found. */
export interface Archivo {
  id: number
  inscripcionId: number
  clase: ClaseDeDocumento
  lado: LadoDeDocumento | null
  bucket: string
  path: string
  nombreArchivo: string
  contentType: string
  bytes: number
  sha256: string
}

/** Why a document cannot be shown (or marked). */
export type MotivoDeVista = 'perdido' | 'danado' | 'ilegible' | 'grande' | 'heic' | 'protegido' | 'ocupado'

export const MENSAJES_DE_VISTA: Readonly<Record<MotivoDeVista, string>> = {
  perdido: 'Este archivo ya no está en el almacén. Pide de nuevo el documento, o recupéralo de un respaldo.',
  danado:
    'Este archivo está dañado: lo guardado no es lo que la persona envió. Pide de nuevo el documento, o recupéralo de un respaldo.',
  ilegible:
    'Esta imagen no se puede abrir: su contenido no está completo o no es una imagen. Pide de nuevo el documento.',
  grande: 'Esta imagen es demasiado grande para mostrarla aquí. Pide de nuevo el documento, en una fotografía normal.',
  heic: 'Esta fotografía está en HEIC, un formato que aquí no se puede mostrar. Descárgala y ábrela en un iPhone, una Mac o un programa de fotografías.',
  protegido: 'Este PDF está protegido o dañado, y no se le puede poner la marca. Descarga el original para verlo.',
  ocupado: 'Se están abriendo muchas imágenes a la vez. Espera un momento y vuelve a intentarlo.',
}

export type Vista =
  | { ok: true; body: Buffer; contentType: string; extension: string }
  | { ok: false; reason: MotivoDeVista }

export const bucketOf = (tipo: TipoInscripcion): string => (tipo === 'candidata' ? 'registro' : 'registrotrajes')

/** A document by its id; undefined when there is none. */
export async function findArchivo(db: Database, id: number): Promise<Archivo | undefined> {
  const [row] = await archivosOf(db).where('documentos.id', '=', id).execute()
  return row && toArchivo(row)
}

/** Documents that count, of several entries, in the order of the forms. */
export async function listArchivos(db: Database, inscripciones: number[]): Promise<Archivo[]> {
  const rows = await archivosOf(db)
    .where('inscripcion_id', 'in', inscripciones)
    .where('reemplazado_at', 'is', null)
    .orderBy('documentos.id')
    .execute()
  return rows.map(toArchivo)
}

const archivosOf = (db: Database) =>
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

type ArchivoRow = Awaited<ReturnType<ReturnType<typeof archivosOf>['execute']>>[number]

const toArchivo = (row: ArchivoRow): Archivo => ({
  id: row.id,
  inscripcionId: row.inscripcion_id,
  clase: row.clase,
  lado: row.lado,
  bucket: bucketOf(row.tipo),
  path: row.path,
  nombreArchivo: row.nombre_archivo,
  contentType: row.content_type,
  bytes: row.size_bytes,
  sha256: row.sha256,
})

/** The stored bytes, whole (15 MB at most), once they are known to be those that came. */
async function readWhole({ storage }: Pick<Services, 'storage'>, archivo: Archivo): Promise<Buffer | MotivoDeVista> {
  const body = await storage.get(archivo.bucket, archivo.path)
  if (!body) return 'perdido'
  const bytes = await buffer(body)
  return createHash('sha256').update(bytes).digest('hex') === archivo.sha256 ? bytes : 'danado'
}

/**
 * A document as it is shown: pictures made to fit a screen, identity documents with the mark across.
 * Costs nobody more than a turn: two at a time, and none that would not fit into memory.
 */
export async function viewArchivo(services: Pick<Services, 'storage'>, archivo: Archivo): Promise<Vista> {
  return working(async () => {
    const bytes = await readWhole(services, archivo)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    return archivo.contentType === 'application/pdf' ? viewPdf(bytes, archivo) : viewPicture(bytes, archivo)
  })
}

/** The same as it is taken along: whole where it needs no mark. @param original without it, for what cannot bear it */
export async function takeArchivo(
  services: Pick<Services, 'storage'>,
  archivo: Archivo,
  original = false,
): Promise<Vista> {
  if (esDeIdentidad(archivo.clase) && !original) return viewArchivo(services, archivo)
  return working(async () => {
    const bytes = await readWhole(services, archivo)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    return { ok: true, body: bytes, contentType: archivo.contentType, extension: extensionOf(archivo.contentType) }
  })
}

/** What would come of showing it, without working it all out: for a screen that says so instead of a broken picture. */
export async function whyNotShown(
  services: Pick<Services, 'storage'>,
  archivo: Archivo,
): Promise<MotivoDeVista | undefined> {
  const seen = await working(async (): Promise<Vista> => {
    const bytes = await readWhole(services, archivo)
    if (typeof bytes === 'string') return { ok: false, reason: bytes }
    if (archivo.contentType === 'application/pdf') return viewPdf(bytes, archivo)
    if (archivo.contentType === 'image/heic') return { ok: false, reason: 'heic' }
    const size = await sharp(bytes, { limitInputPixels: false }).metadata()
    if (size.width * size.height > MAX_PIXELS) return { ok: false, reason: 'grande' }
    return { ok: true, body: bytes, contentType: '', extension: '' }
  })
  return seen.ok ? undefined : seen.reason
}

async function working(work: () => Promise<Vista>): Promise<Vista> {
  try {
    return await inTurn(work)
  } catch (error) {
    if (error instanceof Saturado) return { ok: false, reason: 'ocupado' }
    if (isUnreadable(error)) return { ok: false, reason: 'ilegible' }
    throw error
  }
}

/** libvips names every fault of a picture in words of its own; it has no codes. */
const isUnreadable = (error: unknown) =>
  error instanceof Error &&
  /unsupported image|Input (buffer|file)|VipsJpeg|vips|corrupt|premature|libspng|libpng|pngload|webp|bad seek/i.test(
    error.message,
  )

function viewPdf(bytes: Buffer, { clase }: Archivo): Vista {
  if (!esDeIdentidad(clase)) return { ok: true, body: bytes, contentType: 'application/pdf', extension: 'pdf' }
  const marked = marcarPdf(bytes)
  return marked
    ? { ok: true, body: marked, contentType: 'application/pdf', extension: 'pdf' }
    : { ok: false, reason: 'protegido' }
}

async function viewPicture(bytes: Buffer, { clase, contentType }: Archivo): Promise<Vista> {
  if (contentType === 'image/heic') return { ok: false, reason: 'heic' }
  const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
  if (width * height > MAX_PIXELS) return { ok: false, reason: 'grande' }
  const { data, info } = await sharp(bytes, { failOn: 'none', limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .autoOrient()
    .resize(SHOWN_PIXELS, SHOWN_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const plain = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
  const shown = esDeIdentidad(clase)
    ? plain.composite([{ input: Buffer.from(marcaSvg(info.width, info.height)) }])
    : plain
  const body = await shown.jpeg({ quality: JPEG_QUALITY }).toBuffer()
  return { ok: true, body, contentType: 'image/jpeg', extension: 'jpg' }
}

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'application/pdf': 'pdf',
}
export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? 'bin'
