import { UPLOAD_MESSAGES, UPLOAD_STATUS } from '#app/core/http/upload-refusals.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'
import type { FolioView } from '#app/entries/schema.ts'

/** This module holds the results of sending a registration, and their messages. */

export const MAX_FILE_NAME_CHARACTERS = 255

/** These messages answer uploads, registrations and folios; fields and kinds of document have messages of their own. */
export const MESSAGES = {
  ...UPLOAD_MESSAGES,

  archivoNombreLargo: (file: string) =>
    `El nombre del archivo "${file.slice(0, 40)}…" es demasiado largo. Cámbialo por uno más corto.`,

  cerrado: (entrants: string, when: string) => `El registro de ${entrants} cerró el ${when}.`,
  porAbrir: (entrants: string, when: string) => `El registro de ${entrants} abre el ${when}.`,
  folioVacio: 'Escribe tu folio: son doce letras y números, como 7K3M-Q9XT-04WB.',
  folioDesconocido: 'No encontramos ese folio. Revísalo: son doce letras y números, como 7K3M-Q9XT-04WB.',
  folioEspera: (seconds: number) =>
    `Hubo demasiados intentos desde tu conexión. Espera ${seconds} segundos e inténtalo de nuevo.`,
  documentoRecibido: 'Recibimos tu documento. El comité lo revisará.',
  solicitudCerrada:
    'Este documento ya se recibió o el comité ya no lo pide. Consulta tu folio de nuevo para ver cómo va tu registro.',

  camposDesconocidos: 'El formulario trae datos que no conocemos. Recarga la página e inténtalo de nuevo.',
  yaRecibido:
    'Este registro ya se había recibido con otros datos. Si necesitas corregirlos, vuelve a enviar el formulario completo.',
  guardando: 'Tu registro todavía se está guardando. Espera un minuto e inténtalo de nuevo.',
  falla: (errorId: string) =>
    `No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, comparte este número con el comité organizador: ${errorId}.`,
} as const

/** Where a proxy in front of the site answered, the fault has no number in the log and this message is shown. */
export const UNNUMBERED_FAULT =
  'No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, avisa al comité organizador.'

export const registrationFault = (number: string | undefined): string =>
  number ? MESSAGES.falla(number) : UNNUMBERED_FAULT

/** Every reason for which an upload or a registration is refused has its HTTP status here. */
const STATUS_BY_REASON = {
  ...UPLOAD_STATUS,
  cerrado: 403,
  solicitudCerrada: 409,
  folioDesconocido: 404,
  yaRecibido: 409,
  incompleto: 422,
  datosInvalidos: 422,
  guardando: 503,
} as const
export type RefusalReason = keyof typeof STATUS_BY_REASON

export const statusOf = (reason: RefusalReason): number => STATUS_BY_REASON[reason]

export type RegistrationResult =
  | { ok: true; folio: string }
  | {
      ok: false
      reason: RefusalReason
      /** The banner shows this message. */
      message: string
      /** Missing fields come first, then wrong fields, then faulty files; the list is empty when no field is to blame. */
      campos: FieldError[]
      /** The typed values fill the form again. */
      valores: Record<string, string>
      /** These files are already on the server, by kind, in order (front, back), and need not be sent again. */
      recibidos: Partial<Record<DocumentKind, string[]>>
      /** The next try uses this submission id: the same one, or a new one when that submission is closed. */
      entrega: string
      /** Only a fault of the site has this number, under which the log has the fault. */
      errorId?: string
      /** Only the reasons limite, saturado and guardando say how long to wait. */
      retryAfterSeconds?: number
    }

export const answerInit = (
  result: RegistrationResult | FolioResult,
): { status: number; headers: Record<string, string> } =>
  result.ok
    ? { status: 200, headers: {} }
    : {
        status: statusOf(result.reason),
        headers: result.retryAfterSeconds ? { 'retry-after': String(result.retryAfterSeconds) } : {},
      }

/** Looking up a folio and sending a requested document have this result. `mensaje` says that a document was received. */
export type FolioResult =
  | { ok: true; vista: FolioView; mensaje?: string }
  | {
      ok: false
      reason: RefusalReason
      message: string
      /** The folio as it was typed. */
      folio: string
      /** The entry and the id of the document request, when a document was refused. */
      vista?: FolioView
      solicitud?: number
      retryAfterSeconds?: number
    }
