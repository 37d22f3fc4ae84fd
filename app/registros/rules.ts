import { ADDRESS_FAULTS, checkAddress } from '#app/platform/mail-address.ts'
import {
  ALTURA_MAXIMA_CM,
  BREVES,
  breveDeArchivo,
  CAMPOS_TRAJE,
  CLASES_CANDIDATA,
  CLASES_TRAJE,
  type ClaseDocumento,
  type DatosCandidata,
  type DatosTraje,
  DOCUMENTOS,
  EDAD_MAXIMA,
  EDAD_MINIMA,
  type ErrorCampo,
  ESTATURA_MAXIMA_M,
  ESTATURA_MINIMA_M,
  GRADOS_ESTUDIO,
  HA_PARTICIPADO,
  type LadoCredencial,
  MAX_CELULAR_CARACTERES,
  MAX_DESCRIPCION_CARACTERES,
  MAX_NOMBRE_CARACTERES,
  MAX_NOMBRE_TRAJE_CARACTERES,
  MAX_TEMATICA_CARACTERES,
  MENSAJES,
  type MotivoRechazo,
  type TipoDocumento,
} from './schema.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text can name a submission or an upload: a UUID v4 in lower case. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID_V4.test(text)

/** Digits and capitals without those that are taken for others (I, L, O) or make words (U). */
export const ALFABETO_FOLIO = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A folio as somebody typed it: in small letters, without its dashes, with a letter that was taken for a digit.
 * @returns undefined for what is none
 */
export function readFolio(text: string): string | undefined {
  const letters = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  if (letters.length !== 12 || ![...letters].every((letter) => ALFABETO_FOLIO.includes(letter))) return undefined
  return letters.replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}

/**
 * Whether a file name holds one of the 13 characters that the form refuses.
 * A decomposed accent (a vowel and U+0301) is still an accent: the NFC form is tested.
 * @source specification §5
 */
export const hasForbiddenCharacter = (name: string): boolean => /[ñÑáéíóúÁÉÍÓÚ´]/u.test(name.normalize('NFC'))

/** The same name without accents, ñ or ´, for the button that renames a file for the person. */
export function cleanFileName(name: string): string {
  const clean = name
    .normalize('NFD')
    .replace(/\p{M}+|´/gu, '')
    .normalize('NFC')
  return /^\.[^.]*$/u.test(clean) || clean === '' ? `archivo${clean}` : clean
}

const MAX_NOMBRE_GUARDADO_BYTES = 180
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
 * The name a file is stored under: whitespace becomes underscores, parentheses go. Whatever could leave the folder or
 * deceive the eye goes too: folders, control and direction marks. At most 180 bytes, extension kept.
 * @source specification §7
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
  if (bytes(clean) <= MAX_NOMBRE_GUARDADO_BYTES) return clean
  const extension = /\.[^.]{1,16}$/u.exec(clean)?.[0] ?? ''
  const stem = clean.slice(0, clean.length - extension.length)
  return cutToBytes(stem, MAX_NOMBRE_GUARDADO_BYTES - bytes(extension)) + extension
}

const LETRAS_SIN_DESCOMPOSICION: Readonly<Record<string, string>> = {
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
 * Folder of a registration: its id and the person's name in ASCII, with underscores.
 * @source specification §7
 */
export function folderName(id: number, nombre: string): string {
  const ascii = nombre
    .replace(/[ßæÆœŒøØłŁđĐ]/gu, (letter) => LETRAS_SIN_DESCOMPOSICION[letter] ?? '')
    .normalize('NFD')
    .trim()
    .replace(/\s+/gu, '_')
    .replace(/[^A-Za-z0-9_-]/gu, '')
  return `${id}_${ascii || 'sin_nombre'}`
}

/**
 * Path of a document inside its form's bucket.
 * @param timestamp milliseconds since 1970
 * @source specification §7
 */
export function documentPath(document: {
  folder: string
  clase: ClaseDocumento
  lado: LadoCredencial | null
  timestamp: number
  fileName: string
}): string {
  const kind = document.lado ? `${document.clase}_${document.lado}` : document.clase
  return `${document.folder}/${kind}/${document.timestamp}_${sanitizeFileName(document.fileName)}`
}

/** Path of an entry's metadata inside its form's bucket. @source specification §7 */
export const metadataPath = (folder: string, timestamp: number): string => `${folder}/metadata_${timestamp}.json`

/** Address of a stored object on the site's own origin; who may open it is decided when it is asked for. */
export const objectUrl = (publicUrl: string, bucket: string, path: string): string =>
  `${publicUrl}/archivos/${bucket}/${path.split('/').map(encodeURIComponent).join('/')}`

/** Bytes from the start of a file that suffice to know its type. */
export const SNIFF_BYTES = 64

const HEIF_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1'])

/**
 * Type of a file by its first bytes, never by its name.
 * @param head at least the first SNIFF_BYTES bytes, or all of a shorter file
 * @returns undefined for anything that is not a JPEG, PNG, WebP, HEIC/HEIF or PDF
 */
export function sniffContentType(head: Uint8Array): TipoDocumento | undefined {
  const startsWith = (...signature: number[]) => signature.every((byte, at) => head[at] === byte)
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  if (startsWith(0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp'
  if (text(0, 5) === '%PDF-') return 'application/pdf'
  if (text(4, 8) === 'ftyp' && HEIF_BRANDS.has(text(8, 12))) {
    // AVIF shares the container and may call itself mif1; its own brand then stands among the compatible ones.
    const end = Math.min(head.length, new DataView(head.buffer, head.byteOffset).getUint32(0))
    for (let at = 16; at + 4 <= end; at += 4) if (/^avi[fs]$/.test(text(at, at + 4))) return undefined
    return 'image/heic'
  }
  return undefined
}

const CONTROL = /\p{Cc}/u
/** They turn the text around them; a number copied from a phone's contacts brings some along. */
export const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/gu
const INVISIBLE = /^[\s\p{Cf}]*$/u

/** A field as it is meant: without what nobody can see to have typed. A tab, as tables bring it along, is a space. */
function visible(text: string): string {
  const kept = text.replace(BIDI_CONTROLS, '').replaceAll('\t', ' ').trim()
  return INVISIBLE.test(kept) ? '' : kept
}

/** Metres as a number, or undefined. A decimal comma counts as a point: people write 1,70. */
function parseEstatura(text: string): number | undefined {
  if (!/^\d(?:[.,]\d{1,2})?$/.test(text)) return undefined
  const metres = Number(text.replace(',', '.'))
  return metres >= ESTATURA_MINIMA_M && metres <= ESTATURA_MAXIMA_M ? metres : undefined
}

function parseEdad(text: string): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const years = Number(text)
  return years >= EDAD_MINIMA && years <= EDAD_MAXIMA ? years : undefined
}

/**
 * Whether a file may be what it was chosen for, in the order of §5: name, size, type. A bigger one is not opened.
 * @param archivo `contentType`: by its content, null for none of ours, undefined when nobody has looked yet
 */
export function refuseArchivo(
  clase: ClaseDocumento,
  { name, size, contentType }: { name: string; size: number; contentType?: TipoDocumento | null | undefined },
): { reason: MotivoRechazo; message: string } | undefined {
  const pedido = DOCUMENTOS[clase]
  if (hasForbiddenCharacter(name)) return { reason: 'nombreArchivo', message: MENSAJES.caracteres(name) }
  if (size === 0) return { reason: 'archivoVacio', message: MENSAJES.archivoVacio(name) }
  if (size > pedido.maxBytes) return { reason: 'archivoGrande', message: pedido.grande(name) }
  if (contentType === undefined) return undefined
  if (contentType === null || !pedido.tipos.includes(contentType))
    return { reason: 'archivoTipo', message: pedido.tipo(name) }
  return undefined
}

const ORDEN_DE_RECHAZOS: readonly MotivoRechazo[] = ['nombreArchivo', 'archivoVacio', 'archivoGrande', 'archivoTipo']

/** Refused files in the order in which §5 checks them: all the names, then all the sizes, then all the types. */
export const inOrder = <T extends { reason: MotivoRechazo }>(refused: readonly T[]): T[] =>
  refused.toSorted((a, b) => ORDEN_DE_RECHAZOS.indexOf(a.reason) - ORDEN_DE_RECHAZOS.indexOf(b.reason))

/** A document that was refused, as its own line says it. */
export const errorDeArchivo = (refusal: {
  campo: ClaseDocumento
  reason: MotivoRechazo | undefined
  message: string
}): ErrorCampo => ({
  campo: refusal.campo,
  message: breveDeArchivo(refusal.campo, refusal.reason) ?? refusal.message,
})

export type Campos = Readonly<Record<string, string | undefined>>
/** Files chosen (browser) or received (server) by kind. */
export type Cuentas = Readonly<Partial<Record<ClaseDocumento, number>>>

export type Validacion<Datos> =
  | { ok: true; datos: Datos }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: ErrorCampo[] }

const isUnstorable = (text: string) => CONTROL.test(text) || !text.isWellFormed()
const lengthOf = (text: string) => [...text].length

/**
 * Checks a candidate's registration as typed, with how many files each kind has.
 * What is missing is said first, with the specification's own message; then what is wrong, field by field.
 * @param fields text of each field; absent counts as empty, an absent gradoEstudio as the default
 * @source specification §5; decisions 9, 12 and 14
 */
export function validateCandidata(fields: Campos, cuentas: Cuentas): Validacion<DatosCandidata> {
  const value = (name: string) => visible(fields[name] ?? '')
  const nombre = value('nombre')
  const edadText = value('edad')
  const estaturaText = value('estatura')
  const celular = value('celular')
  const gradoText = value('gradoEstudio') || GRADOS_ESTUDIO[0]

  const missing: ErrorCampo[] = []
  const wrong: ErrorCampo[] = []

  if (nombre === '') missing.push({ campo: 'nombre', message: MENSAJES.faltaNombre })
  else if (isUnstorable(nombre)) wrong.push({ campo: 'nombre', message: MENSAJES.textoIlegible })
  else if (lengthOf(nombre) > MAX_NOMBRE_CARACTERES) wrong.push({ campo: 'nombre', message: MENSAJES.nombreLargo })

  const edad = parseEdad(edadText)
  if (edadText === '') missing.push({ campo: 'edad', message: MENSAJES.faltaEdad })
  else if (edad === undefined) wrong.push({ campo: 'edad', message: MENSAJES.edad })

  const estatura = parseEstatura(estaturaText)
  if (estaturaText === '') missing.push({ campo: 'estatura', message: MENSAJES.faltaEstatura })
  else if (estatura === undefined) wrong.push({ campo: 'estatura', message: MENSAJES.estatura })

  const gradoEstudio = GRADOS_ESTUDIO.find((grado) => grado === gradoText)
  if (gradoEstudio === undefined) wrong.push({ campo: 'gradoEstudio', message: MENSAJES.gradoEstudio })

  if (celular === '') missing.push({ campo: 'celular', message: MENSAJES.faltaCelular })
  else if (isUnstorable(celular)) wrong.push({ campo: 'celular', message: MENSAJES.textoIlegible })
  else if (lengthOf(celular) > MAX_CELULAR_CARACTERES) wrong.push({ campo: 'celular', message: MENSAJES.celularLargo })

  for (const clase of CLASES_CANDIDATA) {
    const count = cuentas[clase] ?? 0
    const needed = DOCUMENTOS[clase].archivos
    if (count === needed) continue
    if (clase === 'credencialElector') missing.push({ campo: clase, message: MENSAJES.faltaCredencial })
    else if (count === 0) missing.push({ campo: clase, message: MENSAJES.faltaDocumento })
    else wrong.push({ campo: clase, message: MENSAJES.sobraDocumento })
  }

  const campos = [...missing, ...wrong]
  if (missing.length > 0) return { ok: false, reason: 'incompleto', message: MENSAJES.incompleto, campos }
  if (wrong.length > 0) return { ok: false, reason: 'datosInvalidos', message: wrong[0]!.message, campos }
  return {
    ok: true,
    datos: { nombre, edad: edad!, estatura: estatura!, gradoEstudio: gradoEstudio!, celular },
  }
}

/** Centimetres as a number; undefined for what is no height at all. A decimal comma counts as a point. */
function parseAltura(text: string): number | undefined {
  const number = text.replace(',', '.')
  if (!/^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)) return undefined
  const centimetres = Number(number)
  return centimetres > 0 ? centimetres : undefined
}

/**
 * Checks a costume's registration as typed, in the order of §5: the first check that fails gives the message. Its files
 * are looked at afterwards (refuseArchivo).
 * @param fields text of each field; absent counts as empty: also of ha_participado, that nobody else can answer
 * @source specification §5, §9; decision 11
 */
export function validateTraje(fields: Campos, cuentas: Cuentas): Validacion<DatosTraje> {
  const texts = Object.fromEntries(CAMPOS_TRAJE.map((campo) => [campo, visible(fields[campo] ?? '')])) as Record<
    (typeof CAMPOS_TRAJE)[number],
    string
  >
  const { tematica, materiales, descripcion, nombre_traje, nombre_disenador, ciudad, celular, email } = texts

  const missing: ErrorCampo[] = []
  for (const campo of CAMPOS_TRAJE) if (texts[campo] === '') missing.push({ campo, message: MENSAJES.faltaDato })
  const address = checkAddress(email)
  if (email !== '' && !address.ok) missing.push({ campo: 'email', message: ADDRESS_FAULTS[address.reason] })
  for (const clase of CLASES_TRAJE)
    if ((cuentas[clase] ?? 0) === 0) missing.push({ campo: clase, message: MENSAJES.faltaDocumento })

  const wrong: (ErrorCampo & { sentence: string })[] = []
  const refuse = (isWrong: boolean, campo: ErrorCampo['campo'], sentence: string, message = sentence) => {
    if (isWrong && !missing.some((one) => one.campo === campo)) wrong.push({ campo, message, sentence })
  }
  refuse(texts.ha_participado === 'Sí', 'ha_participado', MENSAJES.yaParticipo)
  refuse(lengthOf(tematica) > MAX_TEMATICA_CARACTERES, 'tematica', MENSAJES.tematicaLarga, BREVES.tematicaLarga)
  refuse(lengthOf(materiales) > MAX_TEMATICA_CARACTERES, 'materiales', MENSAJES.tematicaLarga, BREVES.tematicaLarga)
  refuse(
    lengthOf(descripcion) > MAX_DESCRIPCION_CARACTERES,
    'descripcion',
    MENSAJES.descripcionLarga,
    BREVES.descripcionLarga,
  )
  const altura = parseAltura(texts.altura)
  refuse(altura !== undefined && altura > ALTURA_MAXIMA_CM, 'altura', MENSAJES.alturaMaxima, BREVES.alturaMaxima)
  // From here on what the specification does not name, but nobody could store or understand.
  refuse(altura === undefined, 'altura', MENSAJES.altura)
  refuse(!HA_PARTICIPADO.some((one) => one === texts.ha_participado), 'ha_participado', MENSAJES.haParticipado)
  refuse(lengthOf(nombre_disenador) > MAX_NOMBRE_CARACTERES, 'nombre_disenador', MENSAJES.nombreLargo)
  refuse(lengthOf(celular) > MAX_CELULAR_CARACTERES, 'celular', MENSAJES.celularLargo)
  refuse(lengthOf(ciudad) > MAX_NOMBRE_CARACTERES, 'ciudad', MENSAJES.ciudadLarga)
  refuse(lengthOf(nombre_traje) > MAX_NOMBRE_TRAJE_CARACTERES, 'nombre_traje', MENSAJES.nombreTrajeLargo)
  for (const campo of CAMPOS_TRAJE) {
    // Lines of their own are at home in what is written in an area.
    const text = campo === 'descripcion' ? texts[campo].replaceAll('\n', ' ') : texts[campo]
    refuse(isUnstorable(text), campo, MENSAJES.textoIlegible)
  }
  for (const clase of CLASES_TRAJE) refuse((cuentas[clase] ?? 0) > 1, clase, MENSAJES.sobraDocumento)

  const campos = [...missing, ...wrong.map(({ campo, message }) => ({ campo, message }))]
  if (missing.length > 0) return { ok: false, reason: 'incompleto', message: MENSAJES.incompletoTraje, campos }
  if (wrong.length > 0) return { ok: false, reason: 'datosInvalidos', message: wrong[0]!.sentence, campos }
  return { ok: true, datos: { ...texts, altura: altura!, ha_participado: 'No' } }
}
