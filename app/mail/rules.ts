import type { DeliveryStatus } from './schema.ts'

/** First wait after a temporary refusal: greylisting lets a message in after seconds to minutes. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 30 * 60_000
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

const doubled = (first: number, times: number, longest: number) => Math.min(first * 2 ** Math.min(times, 30), longest)
/** Jitter: between half and all of a wait, so that messages that failed together do not come back together. */
const scattered = (ms: number, random: number) => ms * (0.5 + random / 2)

/** How long a message waits after an attempt. @param attempts so far, from 1 @param random from 0 to 1 */
export const waitAfter = (attempts: number, random: number): number =>
  scattered(doubled(FIRST_WAIT_MS, attempts - 1, LONGEST_WAIT_MS), random)

/** How long no message is tried while the mail server cannot be reached. @param failures in a row, from 1 */
export const restAfter = (failures: number, random: number): number =>
  scattered(doubled(FIRST_REST_MS, failures - 1, LONGEST_REST_MS), random)

/** The columns that tell the delivery status of a message. */
export interface DeliveryTraces {
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
  en_carpeta: boolean
  rebotado_at: Date | null
  rebote: string | null
}

/** The delivery status of a message, since when, and why. */
export function deliveryStatusOf(traces: DeliveryTraces): {
  suerte: DeliveryStatus
  suerteAt: Date | undefined
  motivo: string | undefined
} {
  const { sent_at, failed_at, last_error, en_carpeta, rebotado_at, rebote } = traces
  if (rebotado_at) return { suerte: 'rebotado', suerteAt: rebotado_at, motivo: bounceInWords(rebote) }
  if (failed_at) return { suerte: 'rechazado', suerteAt: failed_at, motivo: refusalInWords(last_error) }
  if (sent_at && en_carpeta) return { suerte: 'guardado', suerteAt: sent_at, motivo: NO_MAIL_SERVER }
  if (sent_at) return { suerte: 'enviado', suerteAt: sent_at, motivo: undefined }
  return {
    suerte: 'espera',
    suerteAt: undefined,
    motivo: last_error === null ? undefined : waitInWords(last_error),
  }
}

const NO_MAIL_SERVER = 'Cuando se mandó, el sitio no tenía servidor de correo: no le llegó a nadie.'
const CHECK_ADDRESS = 'Revisa con la persona cómo se escribe su correo.'

/** @param code of a final `MailOutcome`, or why the site gave the message up */
function refusalInWords(code: string | null): string {
  if (code === 'expired') return 'Se intentó durante cinco días y no se pudo entregar. Llámale por teléfono.'
  if (code === 'restored')
    return 'Esperaba salir cuando se hizo el respaldo que se restauró, y pudo salir después. Si hace falta, mándalo otra vez.'
  if (code === 'address') return `Esa dirección no se puede usar. ${CHECK_ADDRESS}`
  const number = /^\d{3}/.exec(code ?? '')?.[0]
  if (code?.endsWith('RCPT TO'))
    return `El servidor de correo no aceptó esa dirección (respuesta ${number}). ${CHECK_ADDRESS}`
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

/** @param status of a delivery report. @source RFC 3463, section 3 */
function bounceInWords(status: string | null): string {
  const detail = /^[45]\.(\d+\.\d+)$/.exec(status ?? '')?.[1] ?? ''
  if (detail === '2.2') return 'Su buzón está lleno. Llámale por teléfono.'
  if (detail === '2.1') return 'Su buzón está desactivado. Llámale por teléfono.'
  if (/^1\.[1-9]/.test(detail)) return `Esa dirección no existe. ${CHECK_ADDRESS}`
  if (/^4\./.test(detail)) return `El servidor de ese correo no se encontró o no contestó. ${CHECK_ADDRESS}`
  if (/^[67]\./.test(detail))
    return 'El servidor de ese correo no lo quiso, quizá por tomarlo por publicidad. Llámale por teléfono.'
  return `Regresó sin entregarse. ${CHECK_ADDRESS}`
}

/** Share of the day's quota that codes may take; the rest is kept for receipts, accounts and notices. */
const CODES_SHARE = 0.7
/** Share of the day's quota for codes that are not proven, that is, for strangers: half of CODES_SHARE. */
const FOREIGN_CODES_SHARE = 0.35

/** Messages of the last 24 hours, sent or on their way. */
export interface MailUsage {
  codigos: number
  /** Codes that are not proven: their neighbourhood or mail domain has not been seen to use any. */
  ajenos: number
  recibos: number
  otros: number
}

/** How many more codes may go out. @param quota messages that the provider takes in a day; undefined: no limit is set */
export function remainingCodes(quota: number | undefined, { codigos, ajenos }: MailUsage) {
  if (quota === undefined) return { codigos: Number.POSITIVE_INFINITY, ajenos: Number.POSITIVE_INFINITY }
  const left = (share: number, used: number) => Math.max(0, Math.floor(quota * share) - used)
  const all = left(CODES_SHARE, codigos)
  return { codigos: all, ajenos: Math.min(all, left(FOREIGN_CODES_SHARE, ajenos)) }
}
