import { sniffFileType } from '#app/core/uploads/sniff-file-type.ts'
import {
  DOCUMENT_MEDIA_TYPES,
  type DocumentKind,
  type DocumentMediaType,
  kindOf,
  sizeLimitText,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'

/** Browser and server share these rules for a document's file: names, contents, storage paths. */

/**
 * Returns whether a file name holds one of the 13 characters that §5 refuses. The NFC form is tested, since a phone may send an
 * accent decomposed (a vowel and U+0301); other marks, such as ü or à, pass.
 */
export const hasForbiddenCharacter = (name: string): boolean => /[ñÑáéíóúÁÉÍÓÚ´]/u.test(name.normalize('NFC'))

/** Removes ´ and every mark (accents, tildes) from a file name, for the button that renames the file; never returns ''. */
export function cleanFileName(name: string): string {
  const clean = name
    .normalize('NFD')
    .replace(/\p{M}+|´/gu, '')
    .normalize('NFC')
  return /^\.[^.]*$/u.test(clean) || clean === '' ? `archivo${clean}` : clean
}

const MAX_STORED_NAME_BYTES = 180
const bytes = (text: string) => new TextEncoder().encode(text).length

function cutToBytes(text: string, limit: number): string {
  let cut = ''
  let size = 0
  for (const character of text) {
    size += bytes(character)
    if (size > limit) break
    cut += character
  }
  return cut
}

/**
 * Returns the name under which a file is stored (§7): whitespace becomes underscores; parentheses, folders, control and
 * direction marks go, since they could leave the folder or mislead a reader. The name has at most 180 bytes and keeps its
 * extension; a name of which nothing is left becomes `archivo`.
 */
export function sanitizeFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .normalize('NFC')
    .split(/[/\\]/u)
    .at(-1)!
    .replace(/\s+/gu, '_')
    .replace(/[()]|\p{Cc}|\p{Cf}/gu, '')
  if (/^\.*$/u.test(clean)) return 'archivo'
  if (bytes(clean) <= MAX_STORED_NAME_BYTES) return clean
  const extension = /\.[^.]{1,16}$/u.exec(clean)?.[0] ?? ''
  const stem = clean.slice(0, clean.length - extension.length)
  return cutToBytes(stem, MAX_STORED_NAME_BYTES - bytes(extension)) + extension
}

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
 * Builds the folder's name of a registration (§7): its id and the person's name in ASCII, with underscores.
 * @param id in the form's own table
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

/**
 * Builds the path of a document inside its form's bucket (§7). `timestamp` is in milliseconds since 1970.
 */
export function documentPath(document: {
  folder: string
  kind: DocumentKind
  side: VoterCardSide | null
  timestamp: number
  fileName: string
}): string {
  const kind = document.side ? `${document.kind}_${document.side}` : document.kind
  return `${document.folder}/${kind}/${document.timestamp}_${sanitizeFileName(document.fileName)}`
}

/** Builds the path of an entry's metadata inside its form's bucket (§7). */
export const metadataPath = (folder: string, timestamp: number): string => `${folder}/metadata_${timestamp}.json`

/** Builds the URL of a stored object on the site's own origin; the URL alone opens nothing, since each request is checked. */
export const objectUrl = (publicUrl: string, bucket: string, path: string): string =>
  `${publicUrl}/archivos/${bucket}/${path.split('/').map(encodeURIComponent).join('/')}`

/**
 * Detects the type of a file by its first bytes, never by its name.
 * @param head at least the first SNIFF_BYTES bytes, or all of a shorter file
 * @returns undefined for anything that is not a JPEG, PNG, WebP, HEIC/HEIF or PDF
 */
export function sniffContentType(head: Uint8Array): DocumentMediaType | undefined {
  const type = sniffFileType(head)
  return DOCUMENT_MEDIA_TYPES.find((one) => one === type)
}

export type FileRefusal = 'nombreArchivo' | 'archivoVacio' | 'archivoGrande' | 'archivoTipo'

/**
 * Checks a file in the order of §5: name, size, type. Undefined means that no fault was found.
 * @param file its `contentType` is detected from the content; null: no accepted type; undefined: not detected yet, no check
 */
export function refuseFile(
  kind: DocumentKind,
  { name, size, contentType }: { name: string; size: number; contentType?: DocumentMediaType | null | undefined },
): { reason: FileRefusal; message: string } | undefined {
  const requested = kindOf(kind)
  if (hasForbiddenCharacter(name))
    // §8 gives this sentence word for word.
    return { reason: 'nombreArchivo', message: `El archivo "${name}" contiene caracteres no permitidos.` }
  if (size === 0) return { reason: 'archivoVacio', message: `El archivo "${name}" está vacío. Elige otro archivo.` }
  if (size > requested.maxBytes) return { reason: 'archivoGrande', message: requested.tooLargeMessage(name) }
  if (contentType === undefined) return undefined
  if (contentType === null || !requested.mediaTypes.includes(contentType))
    return { reason: 'archivoTipo', message: requested.wrongTypeMessage(name) }
  return undefined
}

/**
 * Words the refusal of a file whose type is accepted but whose content cannot be opened.
 * @param reason undefined when the content can be opened; the result is undefined then
 */
export function refuseContent(
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

/** Sorts refused files as §5 checks them: all the names, then all the sizes, all the types, and last all unreadable contents. */
export const inOrder = <T extends { reason: string }>(refused: readonly T[]): T[] =>
  refused.toSorted((a, b) => REFUSAL_ORDER.indexOf(a.reason) - REFUSAL_ORDER.indexOf(b.reason))

/** Makes the error for a refused document's row, shorter than the banner's message where a short message exists. */
export const fileError = (refusal: {
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
