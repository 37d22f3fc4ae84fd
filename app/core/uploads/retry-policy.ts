import { UPLOAD_MESSAGES, type UploadRefusal } from '#app/core/http/upload-refusals.ts'
import type { WaitReason } from './retry-wait.ts'

/** This is the outcome of one request, be it of an upload or of the form itself. */
export interface RequestOutcome {
  /** The HTTP status is 0 without an answer, because the line was cut or fell silent. */
  status: number
  /** The site itself refused, with this reason and sentence. */
  refusal?: UploadRefusal | undefined
  /** The site's log has the request under this id (x-request-id). A proxy that answers by itself gives none. */
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
}

export type Verdict =
  /** The line, or a limit, is the obstacle: the request is tried again for as long as the page is open. */
  | { kind: 'wait'; waitReason: WaitReason }
  /** The site, or a proxy in front of it, has a fault: the request is tried again a few times, then the fault is shown. */
  | { kind: 'fault'; message: string; isOfTheSite: boolean }
  /** The refusal would repeat. */
  | { kind: 'refusal'; reason: string | undefined; message: string }

/** Returns whether the site itself answered, not a proxy in front of it. */
export const isFromTheSite = ({ refusal, requestId }: RequestOutcome): boolean =>
  refusal !== undefined || requestId !== undefined

/**
 * Makes the sentence about a fault, with its number in the site's log; without a number, a proxy in front of the site answered.
 */
export type FaultWording = (number: string | undefined) => string

/** A proxy that finds no site behind it gives these answers. */
const SITE_AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])
/** The reasons behind these statuses pass with time. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 423, 425])
/** A machine on the way that lets a method through to no site gives these answers. */
const METHOD_BLOCKED_STATUSES: ReadonlySet<number> = new Set([501, 505])

/** Decides how to go on after an answer that is not a success. @source §8; D18 */
export function judge(
  { status, refusal, requestId, retryAfterSeconds }: RequestOutcome,
  faultMessage: FaultWording,
): Verdict {
  if (status === 429) return { kind: 'wait', waitReason: refusal?.reason === 'limite' ? 'limit' : 'busy' }
  // Another process has the registration in hand, or the site is starting or away: the answer says when to ask again.
  const willReturn =
    refusal?.reason === 'guardando' || (SITE_AWAY_STATUSES.has(status) && retryAfterSeconds !== undefined)
  if (willReturn || PASSING_STATUSES.has(status) || status === 0) return { kind: 'wait', waitReason: 'retrying' }
  // The site never answers so: a machine on the way answered in its place, or changed its answer.
  if (status < 400) return { kind: 'wait', waitReason: 'blocked' }
  const isOfTheSite = isFromTheSite({ status, refusal, requestId })
  if (!isOfTheSite && METHOD_BLOCKED_STATUSES.has(status)) return FILTER_REFUSAL
  if (status >= 500 && refusal?.reason !== 'sinEspacio')
    return {
      kind: 'fault',
      message: refusal?.message ?? faultMessage(requestId),
      isOfTheSite,
    }
  // An offset is asked for again; the server's word about the file itself stands.
  if (status === 409 && (refusal === undefined || refusal.reason === 'subidaDesfasada'))
    return { kind: 'wait', waitReason: 'retrying' }
  if (!isOfTheSite) return FILTER_REFUSAL
  return { kind: 'refusal', reason: refusal?.reason, message: refusal?.message ?? UPLOAD_MESSAGES.peticion }
}

/** The answer is not the site's: a machine on the way does not let the request through. */
export const FILTER_REFUSAL = { kind: 'refusal', reason: 'filtro', message: UPLOAD_MESSAGES.filtro } as const

/** The site refuses with these reasons a request whose method or headers a machine on the way took away. */
const ALTERED_REQUEST_REASONS: ReadonlySet<string | undefined> = new Set([
  FILTER_REFUSAL.reason,
  'peticion',
  'metodo',
  'entrega',
  undefined,
])

/** Returns whether the same file may get through by another way. */
export const isBlockedOnTheWay = (verdict: Verdict): boolean =>
  verdict.kind === 'refusal'
    ? ALTERED_REQUEST_REASONS.has(verdict.reason)
    : verdict.kind === 'wait' && verdict.waitReason === 'blocked'

const FAULT_ATTEMPTS = 3
const FAULT_DEADLINE_MS = 30_000

/** A streak counts faults in a row since the first, whose time is in milliseconds by the caller's clock. */
export interface FaultStreak {
  count: number
  since: number
}

export const NO_FAULTS: FaultStreak = { count: 0, since: 0 }

export const withFault = ({ count, since }: FaultStreak, now: number): FaultStreak => ({
  count: count + 1,
  since: count === 0 ? now : since,
})

/** Returns whether to show a fault now: at the third try, or half a minute after the first. */
export const mustShowFault = ({ count, since }: FaultStreak, now: number): boolean =>
  count >= FAULT_ATTEMPTS || now - since >= FAULT_DEADLINE_MS

/** Reads the seconds of a `retry-after`; undefined without one, and for a date, which no part of this site sends. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  return header && /^\d+$/.test(header.trim()) ? Number(header) : undefined
}
