import type { MessageWithContact } from '#app/entries/letters/schema.ts'
import { DeliveryStatus } from '#app/panel/delivery-status.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './notify.module.css'

/** Shows a recipient of a message, its delivery and its text. @param showsContact adds links for telephone and WhatsApp */
export function MessageRecipient({
  message,
  showsContact = false,
}: {
  message: MessageWithContact
  showsContact?: boolean
}) {
  const { entryId, titular, mail, celular, tel, whatsapp, texto } = message
  return (
    <li>
      <p>
        <Link to={`/organizadores/inscripciones/${entryId}`}>{titular}</Link>
        {mail ? <DeliveryStatus status={mail.suerte} /> : <small>sin correo</small>}
        {showsContact && (tel ? <a href={tel}>Llamar al {celular}</a> : <small>{celular}</small>)}
        {showsContact && whatsapp && (
          <a href={whatsapp} target="_blank" rel="noreferrer" aria-label={`Escribirle por WhatsApp a ${titular}`}>
            Escribirle por WhatsApp
          </a>
        )}
      </p>
      {mail?.motivo && <p className={styles.reason}>{mail.motivo}</p>}
      <details className={styles.messageText}>
        <summary>Lo que se le dice</summary>
        <p>{texto}</p>
      </details>
    </li>
  )
}
