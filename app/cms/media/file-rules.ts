/** Types, limits, paths and refusals of an edition's files, for browser and server. */

/** A file's content decides on its media type. */
export type FileType = keyof typeof FOLDERS_AND_EXTENSIONS

/** The edition's paths have these folders and extensions. */
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

/** A path contains this many hex digits of the sha256. */
const HASH_PREFIX_DIGITS = 12

/** Returns the content-addressed path of a file that was uploaded in the panel. */
export function filePathOf(type: FileType, sha256: string): string {
  const { folder, extension } = FOLDERS_AND_EXTENSIONS[type]
  return `${folder}/${sha256.slice(0, HASH_PREFIX_DIGITS)}.${extension}`
}

const HASHED_PATH = new RegExp(
  `^(?:${[...new Set(Object.values(FOLDERS_AND_EXTENSIONS).map(({ folder }) => folder))].join('|')})/([0-9a-f]{${HASH_PREFIX_DIGITS}})\\.[a-z0-9]+$`,
)

/** Returns the sha256's prefix in a path; undefined for a hand-written path, as in content/. */
export const hashPrefixOf = (path: string): string | undefined => HASHED_PATH.exec(path)?.[1]

/** Returns the type of a file of content/ by its extension, which the build has checked; undefined for other extensions. */
export function fileTypeOfPath(path: string): FileType | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).replace('jpeg', 'jpg')
  return (Object.keys(FOLDERS_AND_EXTENSIONS) as FileType[]).find(
    (type) => FOLDERS_AND_EXTENSIONS[type].extension === extension,
  )
}

/** The panel's form fields accept these kinds of files. */
export type FileKind = 'foto' | 'logo' | 'video' | 'documento'

interface Kind {
  /** Spanish, with its article. */
  name: string
  maxBytes: number
  /** An attribute of the file input. */
  accept: string
  /** `hint` tells the accepted formats and the size limit in Spanish. */
  hint: string
}

const MB = 1_048_576

export const FILE_KINDS: Readonly<Record<FileKind, Kind>> = {
  foto: {
    name: 'la fotografía',
    maxBytes: 40 * MB,
    accept: 'image/jpeg,image/png,image/webp,image/avif,image/heic,image/heif,.heic,.heif',
    hint: 'Una fotografía del teléfono tal como está (JPG, PNG, WebP o HEIC), de hasta 40 MB.',
  },
  logo: {
    name: 'el logotipo',
    maxBytes: 2 * MB,
    accept: 'image/svg+xml,image/png,image/webp,image/jpeg,.svg',
    hint: 'SVG, o PNG con fondo transparente, de hasta 2 MB.',
  },
  video: {
    name: 'el video',
    maxBytes: 60 * MB,
    accept: 'video/mp4,video/webm,video/quicktime,.mp4,.webm,.mov',
    hint: 'MP4 o WebM, de hasta 60 MB y diez minutos.',
  },
  documento: {
    name: 'el documento',
    maxBytes: 15 * MB,
    accept: 'application/pdf,application/vnd.openxmlformats-officedocument.wordprocessingml.document,.pdf,.docx',
    hint: 'PDF o Word (.docx), de hasta 15 MB.',
  },
}

export const isFileKind = (kind: unknown): kind is FileKind =>
  typeof kind === 'string' && Object.hasOwn(FILE_KINDS, kind)

/** A picture with a longer side, in pixels, is scaled down before it is stored. */
export const MAX_SIDE_PX = { foto: 4_000, logo: 2_000 } as const
/** A longer video is refused; the videos of the screens last seconds. */
export const MAX_VIDEO_MINUTES = 10

/** A completely received file is refused for one of these reasons. */
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

export type OpenedFile =
  | { ok: true; tipo: FileType; dimensions: Dimensions | null }
  | { ok: false; reason: FileRefusal }

/** The dimensions of an upright picture or video are pixels; the preview is a data URI of some hundred bytes. */
export interface Dimensions {
  ancho: number
  alto: number
  /** Null for logos and videos, which need no preview. */
  vista: string | null
}

const EXPECTED_TYPES: Readonly<Record<FileKind, string>> = {
  foto: 'no es una fotografía. Elige una de tu galería, o guárdala como JPG y envíala de nuevo',
  logo: 'no es un logotipo que podamos usar. Pide al patrocinador su archivo SVG o PNG y envíalo de nuevo',
  video: 'no es un video MP4 ni WebM. Guárdalo como MP4 y envíalo de nuevo',
  documento: 'no es un PDF ni un documento de Word (.docx). Guárdalo así y envíalo de nuevo',
}

/** Writes a refusal with advice in Spanish. @param name the file's name on the sender's device */
export function messageForFile(kind: FileKind, reason: FileRefusal, name: string): string {
  const file = `«${name.length > 60 ? `${name.slice(0, 57)}…` : name}»`
  switch (reason) {
    case 'tipo':
      return `${file} ${EXPECTED_TYPES[kind]}.`
    case 'ilegible':
      return `${file} no se puede abrir: está incompleto o dañado. Ábrelo en tu teléfono, guárdalo otra vez y envíalo de nuevo.`
    case 'grande':
      return `${file} tiene demasiados puntos para abrirse aquí. Redúcelo a unos 6000 de ancho y envíalo de nuevo.`
    case 'incrustada':
      return `${file} es un SVG con una fotografía dentro, que no se puede usar así. Guárdalo como PNG con fondo transparente y envíalo de nuevo.`
    case 'encoding':
      return `${file} tiene letras escritas de otra forma que la que dice. Guárdalo de nuevo como SVG en UTF-8, o como PNG con fondo transparente, y envíalo de nuevo.`
    case 'noSize':
      return `${file} no dice de qué tamaño es. Expórtalo de nuevo con su ancho y su alto en puntos, o guárdalo como PNG con fondo transparente, y envíalo de nuevo.`
    case 'hevc':
      return `${file} está grabado en HEVC, que muchos teléfonos no reproducen. En tu iPhone entra en Ajustes › Cámara › Formatos, elige «Más compatible», graba de nuevo y envíalo. Si ya no se puede grabar, conviértelo a MP4 (H.264) con una aplicación de video.`
    case 'codec':
      return `${file} está codificado de una forma que muchos teléfonos no reproducen. Guárdalo como MP4 (H.264) y envíalo de nuevo.`
    case 'largo':
      return `${file} dura más de ${MAX_VIDEO_MINUTES} minutos. Recórtalo en tu teléfono y envíalo de nuevo.`
    case 'protegido':
      return `${file} tiene contraseña. Guárdalo sin ella y envíalo de nuevo.`
    case 'reprint':
      return `${file} no se puede dejar sólo con lo que muestra (trae más cosas dentro, o está dañado). Ábrelo, elige «Imprimir» y «Guardar como PDF», y envíalo de nuevo.`
    case 'slow':
      return `${file} tarda demasiado en abrirse. Expórtalo más sencillo, sin filtros ni efectos, o como PNG con fondo transparente de hasta 2000 puntos de lado, y envíalo de nuevo.`
    case 'macros':
      return `${file} trae programas dentro (macros). Guárdalo como documento de Word (.docx) sin macros y envíalo de nuevo.`
  }
}

/** Checks a file's size before the upload. @returns the refusal in Spanish; undefined for an accepted size */
export function refuseSize(kind: FileKind, name: string, bytes: number): string | undefined {
  if (bytes === 0) return `«${name}» está vacío. Elige otro archivo.`
  const { maxBytes } = FILE_KINDS[kind]
  if (bytes <= maxBytes) return undefined
  const advice =
    kind === 'video'
      ? 'Recórtalo, o guárdalo en menor calidad (720p), y envíalo de nuevo'
      : 'Guárdalo en menor tamaño y envíalo de nuevo'
  return `«${name}» pesa ${Math.ceil(bytes / MB)} MB y el máximo es ${maxBytes / MB} MB. ${advice}.`
}
