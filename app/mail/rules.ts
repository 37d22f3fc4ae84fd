import { MINUTE_MS } from '#app/core/time/durations.ts'
import type { DeliveryStatus } from './schema.ts'

/** A mail first waits at most this long after a failed attempt, since greylisting accepts a mail after seconds to minutes. */
const FIRST_MAIL_BACKOFF_MS = 5_000
/** The wait doubles with each attempt up to this length. */
const MAX_MAIL_BACKOFF_MS = 30 * MINUTE_MS
/** While the mail server is unreachable, all mail first waits at most this long; the wait doubles up to MAX_SERVER_BACKOFF_MS. */
const FIRST_SERVER_BACKOFF_MS = 1_000
const MAX_SERVER_BACKOFF_MS = MINUTE_MS

const backoffMs = (firstMs: number, doublings: number, longestMs: number) =>
  Math.min(firstMs * 2 ** Math.min(doublings, 30), longestMs)
/** Shortens a wait by up to half at random (jitter), so that mails that failed together are not tried together. */
const withJitter = (ms: number, random: number) => ms * (0.5 + random / 2)

/**
 * Returns how long a mail waits after a failed attempt.
 * @param attempts so far, from 1
 * @param random from 0 to 1
 */
export const mailBackoffMsAfter = (attempts: number, random: number): number =>
  withJitter(backoffMs(FIRST_MAIL_BACKOFF_MS, attempts - 1, MAX_MAIL_BACKOFF_MS), random)

/**
 * Returns how long no mail is tried after the outcome `unreachable` (`MailOutcome`).
 * @param failures in a row, from 1
 * @param random from 0 to 1
 */
export const serverBackoffMsAfter = (failures: number, random: number): number =>
  withJitter(backoffMs(FIRST_SERVER_BACKOFF_MS, failures - 1, MAX_SERVER_BACKOFF_MS), random)

/** Columns of `correos` that tell the delivery status. */
export interface DeliveryTraces {
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
  en_carpeta: boolean
  rebotado_at: Date | null
  rebote: string | null
}

/** Returns a mail's delivery status, since when it has the status, and the reason in Spanish. */
export function deliveryStatusOf(traces: DeliveryTraces): {
  suerte: DeliveryStatus
  suerteAt: Date | undefined
  motivo: string | undefined
} {
  const { sent_at, failed_at, last_error, en_carpeta, rebotado_at, rebote } = traces
  if (rebotado_at) return { suerte: 'rebotado', suerteAt: rebotado_at, motivo: bounceText(rebote) }
  if (failed_at) return { suerte: 'rechazado', suerteAt: failed_at, motivo: refusalText(last_error) }
  if (sent_at && en_carpeta) return { suerte: 'guardado', suerteAt: sent_at, motivo: NO_MAIL_SERVER_MESSAGE }
  if (sent_at) return { suerte: 'enviado', suerteAt: sent_at, motivo: undefined }
  return {
    suerte: 'espera',
    suerteAt: undefined,
    motivo: last_error === null ? undefined : waitText(last_error),
  }
}

const NO_MAIL_SERVER_MESSAGE = 'Cuando se mandó, el sitio no tenía servidor de correo: no le llegó a nadie.'
const CHECK_ADDRESS_MESSAGE = 'Revisa con la persona cómo se escribe su correo.'

/**
 * Returns in Spanish why a mail was given up.
 * @param code of the last `MailOutcome`, or the site's own: expired, restored
 */
function refusalText(code: string | null): string {
  if (code === 'expired') return 'Se intentó durante cinco días y no se pudo entregar. Llámale por teléfono.'
  if (code === 'restored')
    return 'Esperaba salir cuando se hizo el respaldo que se restauró, y pudo salir después. Si hace falta, mándalo otra vez.'
  if (code === 'address') return `Esa dirección no se puede usar. ${CHECK_ADDRESS_MESSAGE}`
  const replyCode = /^\d{3}/.exec(code ?? '')?.[0]
  if (code?.endsWith('RCPT TO'))
    return `El servidor de correo no aceptó esa dirección (respuesta ${replyCode}). ${CHECK_ADDRESS_MESSAGE}`
  if (replyCode)
    return `El servidor de correo no aceptó el mensaje (respuesta ${replyCode}). Llámale por teléfono, y avisa a quien cuida el sitio.`
  return 'No se pudo mandar. Llámale por teléfono, y avisa a quien cuida el sitio.'
}

function waitText(code: string): string {
  if (code === 'unreadable') return 'No se puede leer lo que se iba a mandar: avisa a quien cuida el sitio.'
  const replyCode = /^4\d\d/.exec(code)?.[0]
  return replyCode && /RCPT TO|DATA/.test(code)
    ? `El servidor pidió esperar (respuesta ${replyCode}). Se sigue intentando solo.`
    : 'El servidor de correo no contesta. Se sigue intentando solo.'
}

/** Returns in Spanish why a mail came back. @param status of a delivery report, as in RFC 3463, section 3 */
function bounceText(status: string | null): string {
  const detail = /^[45]\.(\d+\.\d+)$/.exec(status ?? '')?.[1] ?? ''
  if (detail === '2.2') return 'Su buzón está lleno. Llámale por teléfono.'
  if (detail === '2.1') return 'Su buzón está desactivado. Llámale por teléfono.'
  if (/^1\.[1-9]/.test(detail)) return `Esa dirección no existe. ${CHECK_ADDRESS_MESSAGE}`
  if (/^4\./.test(detail)) return `El servidor de ese correo no se encontró o no contestó. ${CHECK_ADDRESS_MESSAGE}`
  if (/^[67]\./.test(detail))
    return 'El servidor de ese correo no lo quiso, quizá por tomarlo por publicidad. Llámale por teléfono.'
  return `Regresó sin entregarse. ${CHECK_ADDRESS_MESSAGE}`
}

/** Share of the day's quota that codes may take; the rest is for receipts, accounts and notices. */
const CODES_SHARE = 0.7
/** Share of the day's quota that unproven codes may take: half of CODES_SHARE. */
const UNPROVEN_CODES_SHARE = 0.35

/** Numbers of mails in the last 24 hours, sent or waiting. */
export interface MailUsage {
  /** Codes, and mails that are sent in place of a code. */
  codes: number
  /** Codes for unproven requests, whose neighbourhood does not use its codes, or whose mail domain has used none. */
  unprovenCodes: number
  receipts: number
  others: number
}

/**
 * Returns how many more codes may be sent today.
 * @param quota mails that the provider accepts in a day; undefined without a limit
 */
export function remainingCodes(quota: number | undefined, usage: MailUsage) {
  if (quota === undefined) return { codes: Number.POSITIVE_INFINITY, unprovenCodes: Number.POSITIVE_INFINITY }
  const remainingOf = (share: number, usedCount: number) => Math.max(0, Math.floor(quota * share) - usedCount)
  const codes = remainingOf(CODES_SHARE, usage.codes)
  return { codes, unprovenCodes: Math.min(codes, remainingOf(UNPROVEN_CODES_SHARE, usage.unprovenCodes)) }
}

/** Returns how many more messages of organisers, or folios, may be sent today if codes keep their share. */
export const remainingMessages = (quota: number | undefined, { receipts, others }: MailUsage): number =>
  quota === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Math.floor(quota * (1 - CODES_SHARE)) - receipts - others)
