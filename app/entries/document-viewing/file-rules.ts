/** Rules for a document's file that browser and server share: names, contents, storage paths. */

import { sniffFileType } from '#app/core/uploads/sniff-file-type.ts'
import {
  DOCUMENT_MEDIA_TYPES,
  type DocumentKind,
  type DocumentMediaType,
  kindOf,
  sizeLimitText,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'

/**
 * Returns whether a file name holds one of the 13 characters that §5 refuses. The NFC form is tested, since a phone may send an
 * accent decomposed (a vowel and U+0301). Other marks, such as ü or à, pass.
 */
export const hasForbiddenCharacter = (name: string): boolean => /[ñÑáéíóúÁÉÍÓÚ´]/u.test(name.normalize('NFC'))

/** Removes ´ and every mark (accents, tildes) from a file name; a name of which nothing or an extension is left gets `archivo`. */
export function cleanFileName(name: string): string {
  const cleanName = name
    .normalize('NFD')
    .replace(/\p{M}+|´/gu, '')
    .normalize('NFC')
  return /^\.[^.]*$/u.test(cleanName) || cleanName === '' ? `archivo${cleanName}` : cleanName
}

/** With a timestamp before it, a name of this size stays below the 255 bytes that file systems allow. */
const MAX_STORED_NAME_BYTES = 180
const byteLengthOf = (text: string) => new TextEncoder().encode(text).length

function truncateToBytes(text: string, maxBytes: number): string {
  let truncatedText = ''
  let byteCount = 0
  for (const character of text) {
    byteCount += byteLengthOf(character)
    if (byteCount > maxBytes) break
    truncatedText += character
  }
  return truncatedText
}

/**
 * Returns the name under which a file is stored (§7): whitespace becomes underscores, and parentheses are removed; so are folders,
 * control characters and format characters, which could leave the folder or mislead a reader. The name has at most
 * MAX_STORED_NAME_BYTES and keeps an extension of up to 16 characters; an empty name, or one of dots, becomes `archivo`.
 */
export function sanitizeFileName(name: string): string {
  const cleanName = name
    .toWellFormed()
    .normalize('NFC')
    .split(/[/\\]/u)
    .at(-1)!
    .replace(/\s+/gu, '_')
    .replace(/[()]|\p{Cc}|\p{Cf}/gu, '')
  if (/^\.*$/u.test(cleanName)) return 'archivo'
  if (byteLengthOf(cleanName) <= MAX_STORED_NAME_BYTES) return cleanName
  const extension = /\.[^.]{1,16}$/u.exec(cleanName)?.[0] ?? ''
  const stem = cleanName.slice(0, cleanName.length - extension.length)
  return truncateToBytes(stem, MAX_STORED_NAME_BYTES - byteLengthOf(extension)) + extension
}

/** ASCII spellings of letters that NFD does not decompose. */
const UNDECOMPOSED_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
}

/**
 * Builds the name of an entry's folder (§7): an id and the person's name in ASCII, with underscores; `sin_nombre` for no name.
 * @param id of the entry's row in the form's own table
 */
export function folderName(id: number, name: string): string {
  const ascii = name
    .replace(/[ßæÆœŒøØłŁđĐ]/gu, (letter) => UNDECOMPOSED_LETTERS[letter] ?? '')
    .normalize('NFD')
    .trim()
    .replace(/\s+/gu, '_')
    .replace(/[^A-Za-z0-9_-]/gu, '')
  return `${id}_${ascii || 'sin_nombre'}`
}

/** Builds the path of a document in its form's bucket (§7). */
export function documentPath(document: {
  folder: string
  kind: DocumentKind
  side: VoterCardSide | null
  /** Milliseconds since 1970. */
  timestamp: number
  fileName: string
}): string {
  const kindFolder = document.side ? `${document.kind}_${document.side}` : document.kind
  return `${document.folder}/${kindFolder}/${document.timestamp}_${sanitizeFileName(document.fileName)}`
}

/** Builds the path of an entry's metadata in its form's bucket (§7). @param timestamp in milliseconds since 1970 */
export const metadataPath = (folder: string, timestamp: number): string => `${folder}/metadata_${timestamp}.json`

/** Builds the URL of a stored object on the site's own origin. The URL is no secret, since each request is checked. */
export const objectUrl = (publicUrl: string, bucket: string, path: string): string =>
  `${publicUrl}/archivos/${bucket}/${path.split('/').map(encodeURIComponent).join('/')}`

/**
 * Detects the type of a file by its first bytes, never by its name.
 * @param head at least the first SNIFF_BYTES bytes, or all of a shorter file
 * @returns undefined for anything that is not a JPEG, PNG, WebP, HEIC/HEIF or PDF
 */
export function sniffContentType(head: Uint8Array): DocumentMediaType | undefined {
  const type = sniffFileType(head)
  return DOCUMENT_MEDIA_TYPES.find((mediaType) => mediaType === type)
}

export type FileRefusal = 'nombreArchivo' | 'archivoVacio' | 'archivoGrande' | 'archivoTipo'

/**
 * Returns the first refusal of a file in the order of §5 (name, size, type); undefined if no check fails.
 * @param file `contentType`: detected from the content, null for a type that no document may have; undefined before the
 *   detection, and then the type is not checked
 */
export function findFileRefusal(
  kind: DocumentKind,
  { name, size, contentType }: { name: string; size: number; contentType?: DocumentMediaType | null | undefined },
): { reason: FileRefusal; message: string } | undefined {
  const { maxBytes, mediaTypes, tooLargeMessage, wrongTypeMessage } = kindOf(kind)
  if (hasForbiddenCharacter(name))
    // §8 gives this sentence word for word.
    return { reason: 'nombreArchivo', message: `El archivo "${name}" contiene caracteres no permitidos.` }
  if (size === 0) return { reason: 'archivoVacio', message: `El archivo "${name}" está vacío. Elige otro archivo.` }
  if (size > maxBytes) return { reason: 'archivoGrande', message: tooLargeMessage(name) }
  if (contentType === undefined) return undefined
  if (contentType === null || !mediaTypes.includes(contentType))
    return { reason: 'archivoTipo', message: wrongTypeMessage(name) }
  return undefined
}

/**
 * Returns the refusal of a file whose type is accepted but whose content cannot be opened.
 * @param reason why the content cannot be opened; undefined, as is then the refusal, if it can
 */
export function contentRefusalOf(
  name: string,
  contentType: DocumentMediaType,
  reason: 'ilegible' | 'grande' | 'protegido' | undefined,
): { reason: 'archivoIlegible'; message: string } | undefined {
  if (reason === undefined) return undefined
  const message =
    contentType === 'application/pdf'
      ? reason === 'protegido'
        ? `El PDF "${name}" pide una contraseña para abrirse. Guárdalo sin contraseña y envíalo de nuevo.`
        : `El PDF "${name}" no se puede abrir: está vacío o dañado. Guárdalo de nuevo o elige otro.`
      : reason === 'grande'
        ? `La imagen "${name}" es demasiado grande para abrirla. Tómala de nuevo en tamaño normal o elige otra.`
        : `La imagen "${name}" no se puede abrir: está incompleta o dañada. Vuelve a tomarla o elige otra.`
  return { reason: 'archivoIlegible', message }
}

const REFUSAL_ORDER: readonly string[] = [
  'nombreArchivo',
  'archivoVacio',
  'archivoGrande',
  'archivoTipo',
  'archivoIlegible',
]

/** Sorts refused files as §5 checks them: by names, sizes, types, then contents. Other reasons, as a lost upload, come first. */
export const sortByCheckOrder = <T extends { reason: string }>(refused: readonly T[]): T[] =>
  refused.toSorted((a, b) => REFUSAL_ORDER.indexOf(a.reason) - REFUSAL_ORDER.indexOf(b.reason))

/** Makes the error for a refused document's row, with the short message of the refusal if there is one. */
export const rowErrorOf = (refusal: {
  campo: DocumentKind
  reason: string | undefined
  message: string
}): { campo: DocumentKind; message: string } => ({
  campo: refusal.campo,
  message: shortMessageOf(refusal.campo, refusal.reason) ?? refusal.message,
})

function shortMessageOf(kind: DocumentKind, reason: string | undefined): string | undefined {
  if (reason === 'nombreArchivo') return 'Cámbiale el nombre: sin ñ, acentos ni ´.'
  if (reason === 'archivoVacio') return 'Elige otro archivo: éste no trae nada.'
  if (reason === 'archivoGrande') return sizeLimitText(kind)
  return reason === 'archivoTipo' ? kindOf(kind).shortWrongTypeMessage : undefined
}
