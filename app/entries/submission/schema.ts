/** Results of sending a registration, with their messages. */

import { UPLOAD_MESSAGES, UPLOAD_STATUS } from '#app/core/http/upload-refusals.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'
import type { FolioView } from '#app/entries/schema.ts'

/** Limit of the column `documentos.nombre_archivo`. */
export const MAX_FILE_NAME_CHARACTERS = 255

/** Messages for uploads, registrations and folios; fields and kinds of document have messages of their own. */
export const REGISTRATION_MESSAGES = {
  ...UPLOAD_MESSAGES,

  archivoNombreLargo: (file: string) =>
    `El nombre del archivo "${file.slice(0, 40)}…" es demasiado largo. Cámbialo por uno más corto.`,

  cerrado: (entrants: string, when: string) => `El registro de ${entrants} cerró el ${when}.`,
  porAbrir: (entrants: string, when: string) => `El registro de ${entrants} abre el ${when}.`,
  folioVacio: 'Escribe tu folio: es como 7K3M-Q9XT-04WB.',
  folioDesconocido: 'No encontramos ese folio. Revísalo: es como 7K3M-Q9XT-04WB.',
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

/** Message for a fault without a number in the log, since a proxy in front of the site answered. */
export const UNNUMBERED_FAULT_MESSAGE =
  'No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, avisa al comité organizador.'

export const faultMessageOf = (errorId: string | undefined): string =>
  errorId ? REGISTRATION_MESSAGES.falla(errorId) : UNNUMBERED_FAULT_MESSAGE

/** HTTP status of each reason for which an upload or a registration is refused. */
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
      /** Text for the banner. */
      message: string
      /** First missing fields, then invalid fields, then faulty files; empty if the reason concerns no field. */
      campos: FieldError[]
      /** Typed values, for filling the form again. */
      valores: Record<string, string>
      /** Names of the files that are on the server already, by kind, the front of the voter card before its back. */
      recibidos: Partial<Record<DocumentKind, string[]>>
      /** Submission id for the next attempt: the same, or a new one if the submission is stored already or its id was no UUID. */
      entrega: string
      /** Number of a fault of the site in the log. */
      errorId?: string
      /** Wait for the reasons limite, saturado and guardando. */
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

/** Result of looking up a folio, or of sending a requested document. */
export type FolioResult =
  /** With `mensaje`, a document was received. */
  | { ok: true; vista: FolioView; mensaje?: string }
  | {
      ok: false
      reason: RefusalReason
      message: string
      /** The folio as it was typed. */
      folio: string
      /** The entry, if a document was refused and the folio is right. */
      vista?: FolioView
      /** Id of the document request, if a document was refused. */
      solicitud?: number
      retryAfterSeconds?: number
    }
