import type { DeliveryStatus } from './schema.ts'

/** This is the first wait after a temporary refusal: greylisting lets a message in after seconds to minutes. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 30 * 60_000
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

const backoffMs = (first: number, times: number, longest: number) => Math.min(first * 2 ** Math.min(times, 30), longest)
/** Adds jitter: the wait becomes half to all of itself, so that messages that failed together do not come back together. */
const withJitter = (ms: number, random: number) => ms * (0.5 + random / 2)

/**
 * Returns how long a message waits after an attempt, in milliseconds.
 * @param attempts so far, from 1
 * @param random from 0 to 1
 */
export const waitAfter = (attempts: number, random: number): number =>
  withJitter(backoffMs(FIRST_WAIT_MS, attempts - 1, LONGEST_WAIT_MS), random)

/**
 * Returns how long no message is tried while the mail server cannot be reached, in milliseconds.
 * @param failures in a row, from 1
 * @param random from 0 to 1
 */
export const restAfter = (failures: number, random: number): number =>
  withJitter(backoffMs(FIRST_REST_MS, failures - 1, LONGEST_REST_MS), random)

export interface DeliveryTraces {
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
  en_carpeta: boolean
  rebotado_at: Date | null
  rebote: string | null
}

/** Returns a message's delivery status, the time since when it holds, and the reason in Spanish. */
export function deliveryStatusOf(traces: DeliveryTraces): {
  suerte: DeliveryStatus
  suerteAt: Date | undefined
  motivo: string | undefined
} {
  const { sent_at, failed_at, last_error, en_carpeta, rebotado_at, rebote } = traces
  if (rebotado_at) return { suerte: 'rebotado', suerteAt: rebotado_at, motivo: bounceInWords(rebote) }
  if (failed_at) return { suerte: 'rechazado', suerteAt: failed_at, motivo: refusalInWords(last_error) }
  if (sent_at && en_carpeta) return { suerte: 'guardado', suerteAt: sent_at, motivo: NO_MAIL_SERVER_MESSAGE }
  if (sent_at) return { suerte: 'enviado', suerteAt: sent_at, motivo: undefined }
  return {
    suerte: 'espera',
    suerteAt: undefined,
    motivo: last_error === null ? undefined : waitInWords(last_error),
  }
}

const NO_MAIL_SERVER_MESSAGE = 'Cuando se mandó, el sitio no tenía servidor de correo: no le llegó a nadie.'
const CHECK_ADDRESS_MESSAGE = 'Revisa con la persona cómo se escribe su correo.'

/**
 * Says in Spanish why a message was given up.
 * @param code of a final `MailOutcome`, or the site's own: expired, restored, address
 */
function refusalInWords(code: string | null): string {
  if (code === 'expired') return 'Se intentó durante cinco días y no se pudo entregar. Llámale por teléfono.'
  if (code === 'restored')
    return 'Esperaba salir cuando se hizo el respaldo que se restauró, y pudo salir después. Si hace falta, mándalo otra vez.'
  if (code === 'address') return `Esa dirección no se puede usar. ${CHECK_ADDRESS_MESSAGE}`
  const number = /^\d{3}/.exec(code ?? '')?.[0]
  if (code?.endsWith('RCPT TO'))
    return `El servidor de correo no aceptó esa dirección (respuesta ${number}). ${CHECK_ADDRESS_MESSAGE}`
  if (number)
    return `El servidor de correo no aceptó el mensaje (respuesta ${number}). Llámale por teléfono, y avisa a quien cuida el sitio.`
  return 'No se pudo mandar. Llámale por teléfono, y avisa a quien cuida el sitio.'
}

function waitInWords(code: string): string {
  if (code === 'unreadable') return 'No se puede leer lo que se iba a mandar: avisa a quien cuida el sitio.'
  const number = /^4\d\d/.exec(code)?.[0]
  return number && /RCPT TO|DATA/.test(code)
    ? `El servidor pidió esperar (respuesta ${number}). Se sigue intentando solo.`
    : 'El servidor de correo no contesta. Se sigue intentando solo.'
}

/** Says in Spanish why a message came back. @param status of a delivery report, as in RFC 3463, section 3 */
function bounceInWords(status: string | null): string {
  const detail = /^[45]\.(\d+\.\d+)$/.exec(status ?? '')?.[1] ?? ''
  if (detail === '2.2') return 'Su buzón está lleno. Llámale por teléfono.'
  if (detail === '2.1') return 'Su buzón está desactivado. Llámale por teléfono.'
  if (/^1\.[1-9]/.test(detail)) return `Esa dirección no existe. ${CHECK_ADDRESS_MESSAGE}`
  if (/^4\./.test(detail)) return `El servidor de ese correo no se encontró o no contestó. ${CHECK_ADDRESS_MESSAGE}`
  if (/^[67]\./.test(detail))
    return 'El servidor de ese correo no lo quiso, quizá por tomarlo por publicidad. Llámale por teléfono.'
  return `Regresó sin entregarse. ${CHECK_ADDRESS_MESSAGE}`
}

/** Codes may take this share of the day's quota; the rest stays free for receipts, accounts and notices. */
const CODES_SHARE = 0.7
/** Codes that are not proven, that is, strangers' codes, may take this share of the day's quota: half of CODES_SHARE. */
const FOREIGN_CODES_SHARE = 0.35

/** These counts are of messages of the last 24 hours, sent or waiting. */
export interface MailUsage {
  codigos: number
  /** A code is not proven while its neighbourhood or mail domain has not been seen to use any. */
  ajenos: number
  recibos: number
  otros: number
}

/**
 * Returns how many more codes may go out today.
 * @param quota messages that the provider takes in a day; undefined when no limit is set
 */
export function remainingCodes(quota: number | undefined, { codigos, ajenos }: MailUsage) {
  if (quota === undefined) return { codes: Number.POSITIVE_INFINITY, unprovenCodes: Number.POSITIVE_INFINITY }
  const left = (share: number, used: number) => Math.max(0, Math.floor(quota * share) - used)
  const all = left(CODES_SHARE, codigos)
  return { codes: all, unprovenCodes: Math.min(all, left(FOREIGN_CODES_SHARE, ajenos)) }
}

/** Returns how many more messages of organisers may go out today without taking the share of codes. */
export const remainingMessages = (quota: number | undefined, { recibos, otros }: MailUsage): number =>
  quota === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor(quota * (1 - CODES_SHARE)) - recibos - otros)
