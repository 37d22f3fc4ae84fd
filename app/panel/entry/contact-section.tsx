import {
  type EntrantContact as ContactData,
  NO_MAIL_SERVER_MESSAGE,
  type Occasion,
} from '#app/entries/letters/schema.ts'
import { DeliveryStatus, MailList, useDeliveryStatus } from '#app/panel/delivery-status.tsx'
import { Warning } from '#app/ui/components/banner.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './contact-section.module.css'

const NOT_YET_NOTIFIED: Readonly<Record<Occasion, string>> = {
  aceptada: 'Todavía no se le avisa por correo que fue aceptada.',
  rechazada: 'Todavía no se le avisa por correo que no fue aceptada.',
  'falta-documento': 'Todavía no se le avisa por correo que le falta un documento.',
}

export function ContactSection({ contact }: { contact: ContactData }) {
  const { id, correo, celular, tel, whatsapp, mayUseWhatsApp, occasion, notices, hasSmtp } = contact
  const mails = useDeliveryStatus(contact.mails)
  const latestNotice = mails.find(({ id }) => id === notices[0]?.id)
  const notifyUrl = `/organizadores/avisar?id=${id}`
  return (
    <section aria-labelledby="contacto" className={styles.contact}>
      <h2 id="contacto">Contacto</h2>
      <ul className={styles.links}>
        <li>
          {tel ? (
            <a href={tel} className={buttonLook('outline')}>
              Llamar al {celular}
            </a>
          ) : (
            <>Celular: {celular}</>
          )}
        </li>
        {whatsapp && (
          <li>
            <a href={whatsapp} className={buttonLook('outline')} target="_blank" rel="noreferrer">
              Escribirle por WhatsApp
            </a>
          </li>
        )}
      </ul>
      <p className={styles.channels}>
        {correo ? `Correo: ${correo}.` : 'No dejó correo.'}{' '}
        {mayUseWhatsApp
          ? whatsapp
            ? 'WhatsApp se abre con el texto escrito; revísalo antes de mandarlo.'
            : 'Acepta WhatsApp, pero su celular no es un número completo.'
          : 'No aceptó mensajes de WhatsApp.'}
      </p>
      {occasion && correo && (
        <div className={styles.pending}>
          {latestNotice ? (
            <p>
              Se le mandó el aviso: <DeliveryStatus status={latestNotice.suerte} />
            </p>
          ) : (
            <p>{NOT_YET_NOTIFIED[occasion]}</p>
          )}
          <Link to={notifyUrl} className={buttonLook('outline')}>
            {latestNotice ? 'Avisarle otra vez' : 'Avisarle por correo'}
          </Link>
        </div>
      )}
      {!hasSmtp && correo && (
        <div className={styles.notice}>
          <Warning>{NO_MAIL_SERVER_MESSAGE}</Warning>
        </div>
      )}
      {mails.length > 0 && (
        <div className={styles.mails}>
          <h3>Correos que se le mandaron</h3>
          <MailList mails={mails} />
        </div>
      )}
    </section>
  )
}
