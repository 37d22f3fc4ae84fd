import { UPLOAD_STATUS } from '#app/core/http/upload-refusals.ts'

/** Path of uploads (tus protocol). */
export const UPLOADS_PATH = '/organizadores/sitio/subidas'
/** Path whose POST stores a complete upload. */
export const FINISH_UPLOAD_PATH = '/organizadores/sitio/archivos'
/** Path of stored files, each by its hash below this path or by its path in the edition (`?ruta=`). */
export const FILE_PATH = '/organizadores/sitio/archivo'

/** Data of a stored file for the forms, as JSON. */
export interface ReceivedFile {
  /** Path in the edition, by which documents name the file. */
  ruta: string
  sha256: string
  bytes: number
  /** Width in pixels; null for a file without dimensions. */
  ancho: number | null
  /** Height in pixels; null like `ancho`. */
  alto: number | null
  /** Tiny preview as a data URI; null for a file without one. */
  vista: string | null
}

/** Builds a file's URL for organisers by its hash. @param width of a smaller picture in pixels; without it the URL is the original's */
export const fileUrl = (sha256: string, width?: number): string =>
  `${FILE_PATH}/${sha256}${width === undefined ? '' : `?ancho=${width}`}`

/** Builds a file's URL for organisers by its path in the edition, published or not. */
export const fileUrlByPath = (path: string, width?: number): string =>
  `${FILE_PATH}?${new URLSearchParams({ ruta: path, ...(width !== undefined && { ancho: String(width) }) })}`

const STATUS_BY_REASON = { ...UPLOAD_STATUS, sesion: 401, permiso: 403, segundo: 403, almacen: 503 } as const

/** Returns the HTTP status of a refusal; a reason without a status of its own is a fault of the file: 422. */
export const uploadStatusOf = (reason: string): number =>
  STATUS_BY_REASON[reason as keyof typeof STATUS_BY_REASON] ?? 422

/** Result of storing a complete upload, as JSON. */
export type IntakeResult = { ok: true; archivo: ReceivedFile } | { ok: false; reason: string; message: string }

export const UPLOAD_MESSAGES = {
  sesion:
    'Tu sesión terminó. Entra de nuevo en otra pestaña y toca «Seguir»: lo que escribiste y lo enviado siguen aquí.',
  permiso: 'Sólo la organización envía archivos al sitio. Entra con una cuenta de la organización.',
  segundo: 'Antes de enviar archivos pon tu segundo paso, en «Mi cuenta» del panel.',
  peticion: 'Este envío llegó incompleto. Elige el archivo otra vez.',
  demasiadas: 'Enviaste muchos archivos para este campo. Recarga la página: lo que ya se guardó sigue en el borrador.',
  sinEspacio:
    'El servidor se quedó sin espacio y el archivo no se guardó. Avisa a quien cuida el servidor; lo que escribiste sigue aquí.',
  saturado: 'Se están abriendo muchos archivos a la vez. Espera un momento y toca «Seguir».',
  almacen: (id: string) =>
    `El archivo llegó, pero no pudimos guardarlo ahora. Espera un minuto y toca «Seguir»: no hay que enviarlo otra vez. Si continúa, comparte este número con quien cuida el servidor: ${id}.`,
  falla: (id: string | undefined) =>
    `No pudimos recibir el archivo por una falla nuestra; lo que escribiste sigue aquí. Toca «Seguir» en unos minutos${id ? ` y, si continúa, comparte este número con quien cuida el servidor: ${id}` : ''}.`,
} as const
