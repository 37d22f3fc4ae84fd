import { data } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { appointmentDetails } from '#app/entries/letters/rules.ts'
import { listMessages } from '#app/entries/letters/written-messages.server.ts'
import { useDeliveryStatus } from '#app/panel/delivery-status.tsx'
import entryStyles from '#app/panel/entry/entry.module.css'
import formStyles from '#app/panel/forms.module.css'
import { messageOutcomeInWords } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/sent-message.page'
import { MessageRecipient } from './message-recipient.tsx'
import styles from './notify.module.css'

export async function loader({ params: { envio }, request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { db } = servicesOf(context).services
  const messages = isUuid(envio) ? await listMessages(db, { sendingId: envio }) : []
  const [firstMessage] = messages
  if (!firstMessage)
    throw data('Ese mensaje no existe. Puede ser que sus inscripciones se hayan borrado.', { status: 404 })
  return {
    messages,
    appointment: firstMessage.appointment && appointmentDetails(firstMessage.appointment),
    sentText: `${firstMessage.author ?? 'Una cuenta que ya no está'}, ${formatDateTime(firstMessage.at)}`,
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Mensaje enviado' }, args)

/** Shows the recipients of a message; those whom no mail reached come first, with their telephone numbers. */
export default function SentMessagePage({ loaderData }: Route.ComponentProps) {
  const mails = useDeliveryStatus((loaderData?.messages ?? []).flatMap(({ mail }) => mail ?? []))
  if (!loaderData) return null
  const messages = loaderData.messages.map((message) => ({
    ...message,
    mail: mails.find(({ id }) => id === message.mail?.id),
  }))
  const isByMail = ({ mail }: (typeof messages)[number]) => mail?.suerte === 'enviado' || mail?.suerte === 'espera'
  const unreachedMessages = messages.filter((message) => !isByMail(message))
  const mailedMessages = messages.filter(isByMail)
  return (
    <>
      <p className={entryStyles.wayBack}>
        <Link to="/organizadores/mensajes">Mensajes</Link>
      </p>
      <ScreenHeading title={messages[0]!.asunto} />
      <p className={formStyles.lead}>{loaderData.sentText}</p>
      <p className={styles.statusText} role="status">
        {messageOutcomeInWords(
          mailedMessages.filter(({ mail }) => mail?.suerte === 'enviado').length,
          mailedMessages.filter(({ mail }) => mail?.suerte === 'espera').length,
          unreachedMessages.length,
          loaderData.appointment,
        )}
      </p>
      <div className={joinClasses(styles.recipientGroups, styles.side)}>
        {unreachedMessages.length > 0 && (
          <section aria-labelledby="por-telefono">
            <h2 id="por-telefono">No les llega por correo: díselo por teléfono ({unreachedMessages.length})</h2>
            <ul className={styles.recipients}>
              {unreachedMessages.map((message) => (
                <MessageRecipient key={message.id} message={message} showsContact />
              ))}
            </ul>
          </section>
        )}
        {mailedMessages.length > 0 && (
          <section aria-labelledby="por-correo">
            <h2 id="por-correo">Por correo ({mailedMessages.length})</h2>
            <ul className={styles.recipients}>
              {mailedMessages.map((message) => (
                <MessageRecipient key={message.id} message={message} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  )
}
