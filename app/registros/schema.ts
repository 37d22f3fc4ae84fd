import type { ClaseDocumento } from '#app/inscripciones/clases.ts'
import type { ErrorCampo } from '#app/inscripciones/rules.ts'
import type { VistaFolio } from '#app/inscripciones/schema.ts'

/** What sending a registration can come to, and its words; what a form asks for stands in app/inscripciones. */

export const MAX_NOMBRE_ARCHIVO_CARACTERES = 255

/** Every sentence a registration can answer with. The first is the specification's, to the letter (§8). */
export const MENSAJES = {
  exito: 'Registro exitoso.',

  archivoNombreLargo: (archivo: string) =>
    `El nombre del archivo "${archivo.slice(0, 40)}…" es demasiado largo. Cámbialo por uno más corto.`,
  archivoIncompleto: (archivo: string) => `El archivo "${archivo}" no terminó de subir. Súbelo de nuevo.`,
  archivoPerdido: 'Uno de los archivos ya no está en el servidor. Elígelo y súbelo de nuevo.',

  cerrado: (que: string, cuando: string) => `El registro de ${que} cerró el ${cuando}.`,
  porAbrir: (que: string, cuando: string) => `El registro de ${que} abre el ${cuando}.`,
  folioDesconocido: 'No encontramos ese folio. Revísalo: son doce letras y números, como 7K3M-Q9XT-04WB.',
  folioEspera: (seconds: number) =>
    `Hubo demasiados intentos desde tu conexión. Espera ${seconds} segundos e inténtalo de nuevo.`,
  documentoRecibido: 'Recibimos tu documento. El comité lo revisará.',
  solicitudCerrada:
    'Este documento ya se recibió o el comité ya no lo pide. Consulta tu folio de nuevo para ver cómo va tu registro.',

  subidaAjena: 'Esta subida no existe o ya caducó. Elige el archivo de nuevo.',
  subidaDesfasada: 'La subida siguió en otra parte. Vuelve a intentarlo.',
  subidaLarga: 'El archivo trajo más datos de los anunciados. Elígelo y súbelo de nuevo.',
  subidasDemasiadas: 'Hay demasiados archivos en este registro. Quita los que sobran o recarga la página.',
  peticion: 'El formulario llegó incompleto o dañado. Recarga la página e inténtalo de nuevo.',
  camposDesconocidos: 'El formulario trae datos que no conocemos. Recarga la página e inténtalo de nuevo.',
  yaRecibido:
    'Este registro ya se había recibido con otros datos. Si necesitas corregirlos, vuelve a enviar el formulario completo.',
  limite: 'Llegaron demasiados envíos desde tu conexión. Espera unos minutos e inténtalo de nuevo.',
  limiteDelDia:
    'Desde tu conexión ya llegaron demasiados archivos hoy. Inténtalo desde otra, por ejemplo con los datos de tu teléfono, o mañana.',
  guardando: 'Tu registro todavía se está guardando. Espera un minuto e inténtalo de nuevo.',
  saturado: 'En este momento estamos recibiendo demasiados archivos. Espera unos minutos e inténtalo de nuevo.',
  sinEspacio:
    'El servidor se quedó sin espacio para guardar tu archivo. Avisa al comité organizador e inténtalo más tarde.',
  falla: (errorId: string) =>
    `No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, comparte este número con el comité organizador: ${errorId}.`,
} as const

/** Why an upload or a registration was refused, and the HTTP status that says so. */
const ESTADO_POR_MOTIVO = {
  peticion: 400,
  camposDesconocidos: 400,
  entrega: 400,
  archivoVacio: 400,
  nombreArchivo: 400,
  cerrado: 403,
  solicitudCerrada: 409,
  subidaAjena: 404,
  folioDesconocido: 404,
  metodo: 405,
  subidaDesfasada: 409,
  subidasDemasiadas: 409,
  yaRecibido: 409,
  archivoGrande: 413,
  archivoTipo: 415,
  archivoIlegible: 422,
  incompleto: 422,
  datosInvalidos: 422,
  documentoInvalido: 422,
  limite: 429,
  saturado: 429,
  guardando: 503,
  falla: 500,
  sinEspacio: 507,
} as const
export type MotivoRechazo = keyof typeof ESTADO_POR_MOTIVO

export const statusOf = (reason: MotivoRechazo): number => ESTADO_POR_MOTIVO[reason]

/** Body of every refused upload (/subidas), as JSON. */
export interface RechazoSubida {
  reason: MotivoRechazo
  message: string
}

/** What sending a form came to. */
export type ResultadoRegistro =
  | { ok: true; folio: string }
  | {
      ok: false
      reason: MotivoRechazo
      /** For the banner. */
      message: string
      /** In the order of the form; empty when no field is to blame. */
      campos: ErrorCampo[]
      /** What was typed, to fill the form again. */
      valores: Record<string, string>
      /** Names of the files that are already on the server, by kind, in order (front, back). */
      recibidos: Partial<Record<ClaseDocumento, string[]>>
      /** The submission to go on with: the same one, or a new one when that cannot be used any more. */
      entrega: string
      /** Only for a fault of ours: the number to look for in the log. */
      errorId?: string
      /** Only with reason limite, saturado or guardando: seconds to wait. */
      retryAfterSeconds?: number
    }

/** How HTTP says the same. */
export const answerInit = (
  resultado: ResultadoRegistro | ResultadoFolio,
): { status: number; headers: Record<string, string> } =>
  resultado.ok
    ? { status: 200, headers: {} }
    : {
        status: statusOf(resultado.reason),
        headers: resultado.retryAfterSeconds ? { 'retry-after': String(resultado.retryAfterSeconds) } : {},
      }

/** What asking by a folio, or sending a document again, came to. */
export type ResultadoFolio =
  | { ok: true; vista: VistaFolio; mensaje?: string }
  | {
      ok: false
      reason: MotivoRechazo
      message: string
      /** As it was typed. */
      folio: string
      /** The entry, when it is the document that was refused, and for which solicitud. */
      vista?: VistaFolio
      solicitud?: number
      retryAfterSeconds?: number
    }
