import { useEffect, useState } from 'react'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import type { DeliveryStatus as MailStatus, MailView } from '#app/mail/schema.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './delivery-status.module.css'

const STATUS_LABELS: Readonly<Record<MailStatus, string>> = {
  espera: 'en espera de salir',
  enviado: 'enviado',
  guardado: 'no salió',
  rechazado: 'correo rechazado',
  rebotado: 'regresó',
}

/** Every kind of message to an entrant has its Spanish name here; other kinds are called «Correo». */
const KIND_NAMES: Readonly<Record<string, string>> = {
  inscripcion: 'Su folio, al registrarse',
  documento: 'Falta un documento',
  aceptada: 'Fue aceptada',
  rechazada: 'No fue aceptada',
  mensaje: 'Mensaje de la organización',
  cita: 'Recordatorio de su cita',
}

/** Shows a message's delivery status as a coloured word, green only once the mail server accepted the message. */
export const DeliveryStatus = ({ status }: { status: MailStatus }) => (
  <span className={joinClasses(styles.delivery, styles[status])}>{STATUS_LABELS[status]}</span>
)

export const Mail = ({ mail: { kind, para, at, suerte, suerteAt, motivo } }: { mail: MailView }) => (
  <>
    <p>
      {KIND_NAMES[kind] ?? 'Correo'} <DeliveryStatus status={suerte} />
    </p>
    {motivo && <p className={styles.reason}>{motivo}</p>}
    <p className={styles.when}>
      A {para}, {formatDateTime(suerteAt ?? at)}
    </p>
  </>
)

export const MailList = ({ mails }: { mails: readonly MailView[] }) => (
  <ul className={styles.list}>
    {mails.map((email) => (
      <li key={email.id}>
        <Mail mail={email} />
      </li>
    ))}
  </ul>
)

const POLL_MS = 2_000
/** This many polls last five minutes: enough for greylisting, not for a mail server that is down for hours. */
const MAX_POLLS = 150

/**
 * Returns the same messages with their current delivery status, which is polled while one of them is queued and the page is
 * visible.
 */
export function useDeliveryStatus<View extends MailView>(mails: readonly View[]): View[] {
  const [statusUpdates, setStatusUpdates] = useState<ReadonlyMap<number, StatusUpdate>>(new Map())
  const currentMails = mails.map((email) => ({
    ...email,
    ...(email.suerte === 'espera' && statusUpdates.get(email.id)),
  }))
  const waiting = currentMails.filter(({ suerte }) => suerte === 'espera').map(({ id }) => id)
  const ids = waiting.map((id) => `id=${id}`).join('&')
  useEffect(() => {
    if (ids === '') return
    let pollsLeft = MAX_POLLS
    const poll = async () => {
      if (--pollsLeft === 0) clearInterval(timer)
      if (document.visibilityState === 'visible') {
        const answer = await fetchStatuses(ids)
        setStatusUpdates((was) => new Map([...was, ...answer]))
      }
    }
    // The next interval repeats a failed poll.
    const timer = setInterval(() => void poll().catch(() => {}), POLL_MS)
    return () => clearInterval(timer)
  }, [ids])
  return currentMails
}

type StatusUpdate = Pick<MailView, 'suerte' | 'suerteAt' | 'motivo'>

async function fetchStatuses(ids: string): Promise<ReadonlyMap<number, StatusUpdate>> {
  const answer = await fetch(`/organizadores/mensajes/suertes?${ids}`)
  if (!answer.ok) return new Map()
  const updates = (await answer.json()) as { id: number; suerte: MailStatus; suerteAt?: string; motivo?: string }[]
  return new Map(
    updates.map(({ id, suerte, suerteAt, motivo }) => [
      id,
      { suerte, suerteAt: suerteAt === undefined ? undefined : new Date(suerteAt), motivo },
    ]),
  )
}
