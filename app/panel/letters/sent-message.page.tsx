import { data } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { listMessages } from '#app/entries/letters/written-messages.server.ts'
import { useDeliveryStatus } from '#app/panel/delivery-status.tsx'
import entry from '#app/panel/entry/entry.module.css'
import forms from '#app/panel/forms.module.css'
import { Heading } from '#app/panel/heading.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/sent-message.page'
import styles from './notify.module.css'
import { ToldPerson } from './told-person.tsx'

export async function loader({ params: { envio }, request, context }: Route.LoaderArgs) {
  // The frame shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { db } = servicesOf(context).services
  const told = isUuid(envio) ? await listMessages(db, { sendingId: envio }) : []
  const [first] = told
  if (!first) throw data('Ese mensaje no existe. Puede ser que sus inscripciones se hayan borrado.', { status: 404 })
  return { told, sentText: `${first.author ?? 'Una cuenta que ya no está'}, ${formatDateTime(first.at)}` }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Mensaje enviado' }, args)

/** Shows to whom a message went and how; the people whom no mail reached stand first, with their telephones. */
export default function SentMessageScreen({ loaderData }: Route.ComponentProps) {
  const mails = useDeliveryStatus((loaderData?.told ?? []).flatMap(({ mail }) => mail ?? []))
  if (!loaderData) return null
  const told = loaderData.told.map((one) => ({ ...one, mail: mails.find(({ id }) => id === one.mail?.id) }))
  const isByMail = ({ mail }: (typeof told)[number]) => mail?.suerte === 'enviado' || mail?.suerte === 'espera'
  const unreached = told.filter((one) => !isByMail(one))
  const byMail = told.filter(isByMail)
  return (
    <>
      <p className={entry.wayBack}>
        <Link to="/organizadores/mensajes">Mensajes</Link>
      </p>
      <Heading title={told[0]!.asunto} />
      <p className={forms.lead}>{loaderData.sentText}</p>
      <div className={joinClasses(styles.told, styles.side)}>
        {unreached.length > 0 && (
          <section aria-labelledby="por-telefono">
            <h2 id="por-telefono">No les llega por correo: díselo por teléfono ({unreached.length})</h2>
            <ul className={styles.people}>
              {unreached.map((one) => (
                <ToldPerson key={one.id} told={one} hasWays />
              ))}
            </ul>
          </section>
        )}
        {byMail.length > 0 && (
          <section aria-labelledby="por-correo">
            <h2 id="por-correo">Por correo ({byMail.length})</h2>
            <ul className={styles.people}>
              {byMail.map((one) => (
                <ToldPerson key={one.id} told={one} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  )
}
