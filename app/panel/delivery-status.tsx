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

/** Spanish names of the kinds of mail to an entrant; any other kind is called «Correo». */
const KIND_NAMES: Readonly<Record<string, string>> = {
  inscripcion: 'Su folio, al registrarse',
  documento: 'Falta un documento',
  aceptada: 'Fue aceptada',
  rechazada: 'No fue aceptada',
  mensaje: 'Mensaje de la organización',
  cita: 'Recordatorio de su cita',
}

/** Shows a mail's delivery status as a coloured word, which is green only once the mail server has accepted the mail. */
export const DeliveryStatus = ({ status }: { status: MailStatus }) => (
  <span className={joinClasses(styles.delivery, styles[status])}>{STATUS_LABELS[status]}</span>
)

export const MailSummary = ({ mail: { kind, para, at, suerte, suerteAt, motivo } }: { mail: MailView }) => (
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
    {mails.map((mail) => (
      <li key={mail.id}>
        <MailSummary mail={mail} />
      </li>
    ))}
  </ul>
)

const POLL_INTERVAL_MS = 2_000
/** Number of polls in five minutes, in which greylisting mostly ends; a mail server that is down for hours is not awaited. */
const MAX_POLLS = 150

/**
 * Returns mails with their current delivery status, which is polled while one of them is queued and the page is visible, for five
 * minutes at most after the set of queued mails has changed.
 */
export function useDeliveryStatus<View extends MailView>(mails: readonly View[]): View[] {
  const [statusUpdates, setStatusUpdates] = useState<ReadonlyMap<number, StatusUpdate>>(new Map())
  const currentMails = mails.map((mail) => ({
    ...mail,
    ...(mail.suerte === 'espera' && statusUpdates.get(mail.id)),
  }))
  const queuedIds = currentMails.filter(({ suerte }) => suerte === 'espera').map(({ id }) => id)
  const query = queuedIds.map((id) => `id=${id}`).join('&')
  useEffect(() => {
    if (query === '') return
    let pollsLeft = MAX_POLLS
    const poll = async () => {
      if (--pollsLeft === 0) clearInterval(timer)
      if (document.visibilityState === 'visible') {
        const newUpdates = await fetchStatuses(query)
        setStatusUpdates((updates) => new Map([...updates, ...newUpdates]))
      }
    }
    // A failed poll is repeated at the next interval.
    const timer = setInterval(() => void poll().catch(() => {}), POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [query])
  return currentMails
}

type StatusUpdate = Pick<MailView, 'suerte' | 'suerteAt' | 'motivo'>

async function fetchStatuses(query: string): Promise<ReadonlyMap<number, StatusUpdate>> {
  const response = await fetch(`/organizadores/mensajes/suertes?${query}`)
  if (!response.ok) return new Map()
  const updates = (await response.json()) as { id: number; suerte: MailStatus; suerteAt?: string; motivo?: string }[]
  return new Map(
    updates.map(({ id, suerte, suerteAt, motivo }) => [
      id,
      { suerte, suerteAt: suerteAt === undefined ? undefined : new Date(suerteAt), motivo },
    ]),
  )
}
