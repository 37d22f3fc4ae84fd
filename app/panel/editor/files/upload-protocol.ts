import { UPLOAD_STATUS } from '#app/core/http/upload-refusals.ts'

/** Browser and server share these addresses, results and messages of the organisers' uploads. */

/** Uploads begin here (tus protocol). */
export const UPLOADS_PATH = '/organizadores/sitio/subidas'
/** A POST to this path stores a complete upload. */
export const FILES_PATH = '/organizadores/sitio/archivos'
/** A stored file is read by its hash below this path, or by its path in the edition (`?ruta=`). */
export const FILE_PATH = '/organizadores/sitio/archivo'

/** A ReceivedFile is what the forms know of a stored file. */
export interface ReceivedFile {
  /** Documents name the file by this path in the edition. */
  ruta: string
  sha256: string
  bytes: number
  ancho: number | null
  alto: number | null
  vista: string | null
}

/** Builds a file's address for organisers. @public for screens that compare @param width pixels; absent: the original */
export const fileAddress = (sha256: string, width?: number): string =>
  `${FILE_PATH}/${sha256}${width === undefined ? '' : `?ancho=${width}`}`

/** Builds a file's address for organisers by its path in the edition, published or not. */
export const fileAddressByPath = (path: string, width?: number): string =>
  `${FILE_PATH}?${new URLSearchParams({ ruta: path, ...(width !== undefined && { ancho: String(width) }) })}`

const STATUS_BY_REASON = { ...UPLOAD_STATUS, sesion: 401, permiso: 403, segundo: 403, almacen: 503 } as const

/** Returns the HTTP status of a refusal; a reason without its own status is a fault of the file, 422. */
export const statusOf = (reason: string): number => STATUS_BY_REASON[reason as keyof typeof STATUS_BY_REASON] ?? 422

/** Storing a complete upload has this result, sent as JSON. */
export type IntakeResult = { ok: true; archivo: ReceivedFile } | { ok: false; reason: string; message: string }

export const MESSAGES = {
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
