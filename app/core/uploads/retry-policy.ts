import { UPLOAD_MESSAGES, type UploadRefusal } from '#app/core/http/upload-refusals.ts'
import type { Waiting } from './retry-wait.ts'

/** What the sender makes of an answer. */

/** What one request came to: of an upload, or of the form itself. */
export interface RequestOutcome {
  /** Of HTTP; 0 when nothing came back, since the line was cut or fell silent. */
  status: number
  /** What the site itself says of it. */
  rechazo?: UploadRefusal | undefined
  /** Under which the log has it (x-request-id). A proxy that answers by itself gives none. */
  numero?: string | undefined
  retryAfterSeconds?: number | undefined
}

export type Verdict =
  /** The line, or a limit: tried again for as long as the page is open. */
  | { que: 'espera'; espera: Waiting }
  /** A fault of ours: tried again a few times, then said. Of the site itself, or of something in front of it. */
  | { que: 'falla'; message: string; isOfTheSite: boolean }
  /** It would be refused again. */
  | { que: 'rechazo'; reason: string | undefined; message: string }

/** Whether the site itself answered, and nothing in front of it. */
export const isFromTheSite = ({ rechazo, numero }: RequestOutcome): boolean =>
  rechazo !== undefined || numero !== undefined

/** What is said of a fault of ours, with the number under which the log has it; without one, something in front of the site answered. */
export type FaultWording = (number: string | undefined) => string

/** What a proxy says where it finds no site behind it. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504])
/** Refusals that pass with time. */
const PASSING: ReadonlySet<number> = new Set([408, 423, 425])
/** What something on the way says of a method that it lets through to no site. */
const NOT_LET_THROUGH: ReadonlySet<number> = new Set([501, 505])

/**
 * What to do about an answer that is not the one that was hoped for.
 * @source §8; D18
 */
export function judge({ status, rechazo, numero, retryAfterSeconds }: RequestOutcome, falla: FaultWording): Verdict {
  if (status === 429) return { que: 'espera', espera: rechazo?.reason === 'limite' ? 'limite' : 'ocupado' }
  // Another process has the registration in hand, or the site is starting, or away: it is said when to ask again.
  const comesBack = rechazo?.reason === 'guardando' || (AWAY.has(status) && retryAfterSeconds !== undefined)
  if (comesBack || PASSING.has(status) || status === 0) return { que: 'espera', espera: 'reintentando' }
  // Of the site every answer says what it is: another one took its place, or took away what it said.
  if (status < 400) return { que: 'espera', espera: 'filtro' }
  const isOfTheSite = isFromTheSite({ status, rechazo, numero })
  if (!isOfTheSite && NOT_LET_THROUGH.has(status)) return FILTER_REFUSAL
  if (status >= 500 && rechazo?.reason !== 'sinEspacio')
    return {
      que: 'falla',
      message: rechazo?.message ?? falla(numero),
      isOfTheSite,
    }
  // An offset is asked for again; what the server says of the file itself stands.
  if (status === 409 && (rechazo === undefined || rechazo.reason === 'subidaDesfasada'))
    return { que: 'espera', espera: 'reintentando' }
  if (!isOfTheSite) return FILTER_REFUSAL
  return { que: 'rechazo', reason: rechazo?.reason, message: rechazo?.message ?? UPLOAD_MESSAGES.peticion }
}

/** Nothing of the site answered: something on the way lets this request not through. */
export const FILTER_REFUSAL = { que: 'rechazo', reason: 'filtro', message: UPLOAD_MESSAGES.filtro } as const

/** What the site says of a request whose method or headers something on the way took away. */
const TAKEN_APART: ReadonlySet<string | undefined> = new Set([
  FILTER_REFUSAL.reason,
  'peticion',
  'metodo',
  'entrega',
  undefined,
])

/** Whether the same file may well get through by another way. */
export const isBarred = (verdict: Verdict): boolean =>
  verdict.que === 'rechazo' ? TAKEN_APART.has(verdict.reason) : verdict.que === 'espera' && verdict.espera === 'filtro'

const FAULT_ATTEMPTS = 3
const FAULT_DEADLINE_MS = 30_000

/** Faults of ours in a row, and when the first of them came (milliseconds). */
export interface FaultStreak {
  count: number
  since: number
}

export const NO_FAULTS: FaultStreak = { count: 0, since: 0 }

export const withFalla = ({ count, since }: FaultStreak, now: number): FaultStreak => ({
  count: count + 1,
  since: count === 0 ? now : since,
})

/** Whether a fault is said now: at the third try, or half a minute after the first. */
export const isToBeSaid = ({ count, since }: FaultStreak, now: number): boolean =>
  count >= FAULT_ATTEMPTS || now - since >= FAULT_DEADLINE_MS

/** Seconds of a `retry-after`; undefined for none, and for a date, which no part of this site sends. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  return header && /^\d+$/.test(header.trim()) ? Number(header) : undefined
}
