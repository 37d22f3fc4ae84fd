/** Media type of an edition's file. */
export type FileType = keyof typeof FOLDERS_AND_EXTENSIONS

/** Folder and extension of a file's path in the edition, by its type. */
const FOLDERS_AND_EXTENSIONS = {
  'image/jpeg': { folder: 'fotos', extension: 'jpg' },
  'image/png': { folder: 'logos', extension: 'png' },
  'image/svg+xml': { folder: 'logos', extension: 'svg' },
  'video/mp4': { folder: 'videos', extension: 'mp4' },
  'video/webm': { folder: 'videos', extension: 'webm' },
  'text/vtt': { folder: 'videos', extension: 'vtt' },
  'application/pdf': { folder: 'documentos', extension: 'pdf' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    folder: 'documentos',
    extension: 'docx',
  },
} as const

/** Number of hex digits of the sha256 in a path. */
const HASH_PREFIX_DIGITS = 12

/** Returns the content-addressed path of a file that was uploaded in the panel. */
export function filePathOf(type: FileType, sha256: string): string {
  const { folder, extension } = FOLDERS_AND_EXTENSIONS[type]
  return `${folder}/${sha256.slice(0, HASH_PREFIX_DIGITS)}.${extension}`
}

const HASHED_PATH_PATTERN = new RegExp(
  `^(?:${[...new Set(Object.values(FOLDERS_AND_EXTENSIONS).map(({ folder }) => folder))].join('|')})/([0-9a-f]{${HASH_PREFIX_DIGITS}})\\.[a-z0-9]+$`,
)

/** Returns the prefix of the sha256 in a path; undefined for a hand-written path, as in content/. */
export const hashPrefixOf = (path: string): string | undefined => HASHED_PATH_PATTERN.exec(path)?.[1]

/** Returns a file's name for people. A file from the panel is named by its type, since its path holds only a checksum. */
export function fileLabelOf(path: string): string {
  if (hashPrefixOf(path) === undefined) return path.slice(path.lastIndexOf('/') + 1)
  const extension = path.slice(path.lastIndexOf('.') + 1)
  return `${/^(jpe?g|png|svg)$/.test(extension) ? 'Imagen' : 'Archivo'} ${extension.toUpperCase()}`
}

/** Returns the type of a file by its path's extension; undefined for other extensions. */
export function fileTypeOfPath(path: string): FileType | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).replace('jpeg', 'jpg')
  return (Object.keys(FOLDERS_AND_EXTENSIONS) as FileType[]).find(
    (type) => FOLDERS_AND_EXTENSIONS[type].extension === extension,
  )
}

/** Kind of files that a form field of the panel accepts. */
export type FileKind = 'foto' | 'logo' | 'video' | 'documento'

interface FileKindRules {
  /** Spanish name with its article. */
  name: string
  maxBytes: number
  /** `accept` attribute of the file input. */
  accept: string
  /** Accepted formats and size limit in Spanish. */
  hint: string
}

const MEBIBYTE = 1_048_576

export const FILE_KINDS: Readonly<Record<FileKind, FileKindRules>> = {
  foto: {
    name: 'la fotografía',
    maxBytes: 40 * MEBIBYTE,
    accept: 'image/jpeg,image/png,image/webp,image/avif,image/heic,image/heif,.heic,.heif',
    hint: 'Una fotografía del teléfono tal como está (JPG, PNG, WebP o HEIC), de hasta 40 MB.',
  },
  logo: {
    name: 'el logotipo',
    maxBytes: 2 * MEBIBYTE,
    accept: 'image/svg+xml,image/png,image/webp,image/jpeg,.svg',
    hint: 'SVG, o PNG con fondo transparente, de hasta 2 MB.',
  },
  video: {
    name: 'el video',
    maxBytes: 60 * MEBIBYTE,
    accept: 'video/mp4,video/webm,video/quicktime,.mp4,.webm,.mov',
    hint: 'MP4 o WebM, de hasta 60 MB y diez minutos.',
  },
  documento: {
    name: 'el documento',
    maxBytes: 15 * MEBIBYTE,
    accept: 'application/pdf,application/vnd.openxmlformats-officedocument.wordprocessingml.document,.pdf,.docx',
    hint: 'PDF o Word (.docx), de hasta 15 MB.',
  },
}

export const isFileKind = (kind: unknown): kind is FileKind =>
  typeof kind === 'string' && Object.hasOwn(FILE_KINDS, kind)

/** Maximum side of a stored picture; a larger one is scaled down. */
export const MAX_SIDE_PX = { foto: 4_000, logo: 2_000 } as const
/** Maximum length of a video, far more than that of the screens' videos, which last seconds. */
export const MAX_VIDEO_MINUTES = 10

/** Why a completely received file is refused. */
export type FileRefusal =
  | 'tipo'
  | 'ilegible'
  | 'grande'
  | 'incrustada'
  | 'encoding'
  | 'noSize'
  | 'hevc'
  | 'codec'
  | 'largo'
  | 'protegido'
  | 'macros'
  | 'reprint'
  | 'slow'

/** `dimensions` is null for a document. */
export type SanitizeOutcome =
  | { ok: true; tipo: FileType; dimensions: MediaDimensions | null }
  | { ok: false; reason: FileRefusal }

/** Dimensions, in pixels, of an upright picture or video. */
export interface MediaDimensions {
  ancho: number
  alto: number
  /** Preview, as a data URI of some hundred bytes; null for logos and videos, which need none. */
  vista: string | null
}

const WRONG_TYPE_MESSAGES: Readonly<Record<FileKind, string>> = {
  foto: 'no es una fotografía. Elige una de tu galería, o guárdala como JPG y envíala de nuevo',
  logo: 'no es un logotipo que podamos usar. Pide al patrocinador su archivo SVG o PNG y envíalo de nuevo',
  video: 'no es un video MP4 ni WebM. Guárdalo como MP4 y envíalo de nuevo',
  documento: 'no es un PDF ni un documento de Word (.docx). Guárdalo así y envíalo de nuevo',
}

/** Returns a refusal with advice in Spanish. @param name of the file on the sender's device */
export function messageForFile(kind: FileKind, reason: FileRefusal, name: string): string {
  const quotedName = `«${name.length > 60 ? `${name.slice(0, 57)}…` : name}»`
  switch (reason) {
    case 'tipo':
      return `${quotedName} ${WRONG_TYPE_MESSAGES[kind]}.`
    case 'ilegible':
      return `${quotedName} no se puede abrir: está incompleto o dañado. Ábrelo en tu teléfono, guárdalo otra vez y envíalo de nuevo.`
    case 'grande':
      return `${quotedName} tiene demasiados puntos para abrirse aquí. Redúcelo a unos 6000 de ancho y envíalo de nuevo.`
    case 'incrustada':
      return `${quotedName} es un SVG con una fotografía dentro, que no se puede usar así. Guárdalo como PNG con fondo transparente y envíalo de nuevo.`
    case 'encoding':
      return `${quotedName} tiene letras escritas de otra forma que la que dice. Guárdalo de nuevo como SVG en UTF-8, o como PNG con fondo transparente, y envíalo de nuevo.`
    case 'noSize':
      return `${quotedName} no dice de qué tamaño es. Expórtalo de nuevo con su ancho y su alto en puntos, o guárdalo como PNG con fondo transparente, y envíalo de nuevo.`
    case 'hevc':
      return `${quotedName} está grabado en HEVC, que muchos teléfonos no reproducen. En tu iPhone entra en Ajustes › Cámara › Formatos, elige «Más compatible», graba de nuevo y envíalo. Si ya no se puede grabar, conviértelo a MP4 (H.264) con una aplicación de video.`
    case 'codec':
      return `${quotedName} está codificado de una forma que muchos teléfonos no reproducen. Guárdalo como MP4 (H.264) y envíalo de nuevo.`
    case 'largo':
      return `${quotedName} dura más de ${MAX_VIDEO_MINUTES} minutos. Recórtalo en tu teléfono y envíalo de nuevo.`
    case 'protegido':
      return `${quotedName} tiene contraseña. Guárdalo sin ella y envíalo de nuevo.`
    case 'reprint':
      return `${quotedName} no se puede dejar sólo con lo que muestra (trae más cosas dentro, o está dañado). Ábrelo, elige «Imprimir» y «Guardar como PDF», y envíalo de nuevo.`
    case 'slow':
      return `${quotedName} tarda demasiado en abrirse. Expórtalo más sencillo, sin filtros ni efectos, o como PNG con fondo transparente de hasta 2000 puntos de lado, y envíalo de nuevo.`
    case 'macros':
      return `${quotedName} trae programas dentro (macros). Guárdalo como documento de Word (.docx) sin macros y envíalo de nuevo.`
  }
}

/** Checks a file's size before the upload. @returns the refusal in Spanish; undefined for an accepted size */
export function findSizeRefusal(kind: FileKind, name: string, bytes: number): string | undefined {
  if (bytes === 0) return `«${name}» está vacío. Elige otro archivo.`
  const { maxBytes } = FILE_KINDS[kind]
  if (bytes <= maxBytes) return undefined
  const advice =
    kind === 'video'
      ? 'Recórtalo, o guárdalo en menor calidad (720p), y envíalo de nuevo'
      : 'Guárdalo en menor tamaño y envíalo de nuevo'
  return `«${name}» pesa ${Math.ceil(bytes / MEBIBYTE)} MB y el máximo es ${maxBytes / MEBIBYTE} MB. ${advice}.`
}
