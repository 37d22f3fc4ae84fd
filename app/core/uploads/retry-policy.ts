import { UPLOAD_MESSAGES, type UploadRefusal } from '#app/core/http/upload-refusals.ts'
import type { WaitReason } from './retry-wait.ts'

/** Outcome of one request of an upload, or of the form itself. */
export interface RequestOutcome {
  /** HTTP status; 0 without an answer, since the connection was cut or fell silent. */
  status: number
  /** The site's refusal, if the site itself has answered with one. */
  refusal?: UploadRefusal | undefined
  /** Id of the request in the site's log (x-request-id); undefined if a proxy answered by itself. */
  requestId?: string | undefined
  /** Seconds of the `retry-after` header; undefined without it. */
  retryAfterSeconds?: number | undefined
}

export type RetryVerdict =
  /** Because of the connection, a limit or another process, the request is repeated. */
  | { kind: 'wait'; waitReason: WaitReason }
  /**
   * Because of a fault of the site, or of a proxy in front of it, the request is repeated a few times, then the fault is shown.
   */
  | { kind: 'fault'; message: string; isOfTheSite: boolean }
  /** The request is not repeated in the same way, since it would be refused again. */
  | { kind: 'refusal'; reason: string | undefined; message: string }

/** Returns whether the site itself answered, not a proxy in front of it. */
export const isFromTheSite = ({ refusal, requestId }: RequestOutcome): boolean =>
  refusal !== undefined || requestId !== undefined

/** Returns the message about a fault. @param requestId undefined if a proxy in front of the site answered */
export type FaultWording = (requestId: string | undefined) => string

/** Statuses with which a proxy answers if it does not reach the site. */
const SITE_AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])
/** Statuses whose cause passes with time. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 423, 425])
/** Statuses with which a machine on the way blocks a method. */
const METHOD_BLOCKED_STATUSES: ReadonlySet<number> = new Set([501, 505])

/** Decides how to go on after a request that did not succeed. @source §8 */
export function judgeOutcome(
  { status, refusal, requestId, retryAfterSeconds }: RequestOutcome,
  faultMessage: FaultWording,
): RetryVerdict {
  if (status === 429) return { kind: 'wait', waitReason: refusal?.reason === 'limite' ? 'limit' : 'busy' }
  // Another process is storing the registration, or the site is starting or unreachable: the response says when to ask again.
  const isTemporary =
    refusal?.reason === 'guardando' || (SITE_AWAY_STATUSES.has(status) && retryAfterSeconds !== undefined)
  if (isTemporary || PASSING_STATUSES.has(status) || status === 0) return { kind: 'wait', waitReason: 'retrying' }
  // The site has no such status, so a machine on the way has answered in its place or changed its answer.
  if (status < 400) return { kind: 'wait', waitReason: 'blocked' }
  const isOfTheSite = isFromTheSite({ status, refusal, requestId })
  if (!isOfTheSite && METHOD_BLOCKED_STATUSES.has(status)) return FILTER_REFUSAL
  if (status >= 500 && refusal?.reason !== 'sinEspacio')
    return {
      kind: 'fault',
      message: refusal?.message ?? faultMessage(requestId),
      isOfTheSite,
    }
  // A repetition corrects a wrong offset. Other conflicts are about the file itself.
  if (status === 409 && (refusal === undefined || refusal.reason === 'subidaDesfasada'))
    return { kind: 'wait', waitReason: 'retrying' }
  if (!isOfTheSite) return FILTER_REFUSAL
  return { kind: 'refusal', reason: refusal?.reason, message: refusal?.message ?? UPLOAD_MESSAGES.peticion }
}

/** Verdict on a response that is not the site's, since a machine on the way blocks the request. */
export const FILTER_REFUSAL = { kind: 'refusal', reason: 'filtro', message: UPLOAD_MESSAGES.filtro } as const

/** Reasons with which the site refuses a request whose method or headers a machine on the way has removed. */
const ALTERED_REQUEST_REASONS: ReadonlySet<string | undefined> = new Set([
  FILTER_REFUSAL.reason,
  'peticion',
  'metodo',
  'entrega',
  undefined,
])

/** Returns whether a machine on the way blocks the request, so that the same file may get through by another method. */
export const isBlockedOnTheWay = (verdict: RetryVerdict): boolean =>
  verdict.kind === 'refusal'
    ? ALTERED_REQUEST_REASONS.has(verdict.reason)
    : verdict.kind === 'wait' && verdict.waitReason === 'blocked'

const MAX_FAULTS = 3
const FAULT_DEADLINE_MS = 30_000

export interface FaultStreak {
  count: number
  /** Time of the first fault by the caller's clock. */
  sinceMs: number
}

export const NO_FAULTS: FaultStreak = { count: 0, sinceMs: 0 }

export const withFault = ({ count, sinceMs }: FaultStreak, nowMs: number): FaultStreak => ({
  count: count + 1,
  sinceMs: count === 0 ? nowMs : sinceMs,
})

/** Returns whether to show a fault: at the third fault, or half a minute after the first. */
export const mustShowFault = ({ count, sinceMs }: FaultStreak, nowMs: number): boolean =>
  count >= MAX_FAULTS || nowMs - sinceMs >= FAULT_DEADLINE_MS

/** Parses the seconds of a `retry-after` header. @returns undefined without it, and for a date, which the site never sends */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  return header && /^\d+$/.test(header.trim()) ? Number(header) : undefined
}
