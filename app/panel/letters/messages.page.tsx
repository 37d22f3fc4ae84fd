import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { listUndelivered, readTemplates } from '#app/entries/letters/data.server.ts'
import { OCCASION_NAMES } from '#app/entries/letters/schema.ts'
import { listSendings } from '#app/entries/letters/written-messages.server.ts'
import { readBounceMailbox } from '#app/mail/data.server.ts'
import { MailSummary } from '#app/panel/delivery-status.tsx'
import formStyles from '#app/panel/forms.module.css'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/messages.page'
import styles from './messages.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { services } = servicesOf(context)
  const { db, settings } = services
  const { year } = await readChosenEdition(request, context)
  const { nombre: pageantName } = await loadEditionCard()
  const [templates, undelivered, sendings, bounceMailbox] = await Promise.all([
    readTemplates(db),
    listUndelivered(db, year),
    listSendings(db, year),
    readBounceMailbox(services),
  ])
  const fillPageantName = (subject: string) => subject.replaceAll('{certamen}', `${pageantName} ${year}`)
  return {
    templates: templates.map((template) => ({ ...template, asunto: fillPageantName(template.asunto) })),
    undelivered,
    sendings: sendings.map((sending) => ({ ...sending, asunto: fillPageantName(sending.asunto) })),
    bounceMailbox,
    hasBounceMailbox: settings.bouncesUrl !== undefined,
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Mensajes' }, args)

export default function MessagesPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { templates, undelivered, sendings, bounceMailbox, hasBounceMailbox } = loaderData
  return (
    <>
      <ScreenHeading title="Mensajes" />
      <p className={formStyles.lead}>
        Lo que el sitio le escribe por correo a quien se registró, con las palabras de ustedes. Nada sale solo: se manda
        desde cada inscripción, o a varias personas a la vez.
      </p>
      <p className={styles.write}>
        <Link to="/organizadores?elegir=si" className={buttonLook('outline')}>
          Escribir a varias personas
        </Link>{' '}
        <Link to="/organizadores?elegir=si&estado=falta-documento" className={buttonLook('quiet')}>
          A quienes les falta un documento
        </Link>
      </p>
      <section className={styles.part} aria-labelledby="cartas">
        <h2 id="cartas">Las cartas</h2>
        <ul className={styles.letters}>
          {templates.map(({ occasion, asunto, version, author, at }) => (
            <li key={occasion}>
              <h3>{OCCASION_NAMES[occasion]}</h3>
              <p>{asunto}</p>
              <p className={styles.details}>
                {/* Version 0 is the text that comes with the site. */}
                {version === 0 || !at
                  ? 'Con las palabras que trae el sitio.'
                  : `Versión ${version}, de ${author ?? 'una cuenta que ya no está'}, ${formatDateTime(at)}.`}
              </p>
              <Link
                to={`/organizadores/mensajes/${occasion}`}
                className={buttonLook('outline')}
                aria-label={`Ver y cambiar la carta «${OCCASION_NAMES[occasion]}»`}
              >
                Ver y cambiar
              </Link>
            </li>
          ))}
        </ul>
      </section>
      {sendings.length > 0 && (
        <section className={styles.part} aria-labelledby="escritos">
          <h2 id="escritos">Mensajes que escribieron</h2>
          <ul className={styles.mailList}>
            {sendings.map(({ sendingId, asunto, entryCount, author, at }) => (
              <li key={sendingId}>
                <Link to={`/organizadores/mensajes/enviado/${sendingId}`}>{asunto}</Link>
                <span className={styles.details}>
                  {entryCount === 1 ? 'A una persona' : `A ${entryCount} personas`},{' '}
                  {author ?? 'una cuenta que ya no está'}, {formatDateTime(at)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className={styles.part} aria-labelledby="no-llegaron">
        <h2 id="no-llegaron">Correos que no llegaron</h2>
        {undelivered.length === 0 ? (
          <p className={styles.details}>
            Ninguno. Si un correo se rechaza{hasBounceMailbox && ' o regresa'}, aparece aquí.
          </p>
        ) : (
          <ul className={styles.mailList}>
            {undelivered.map(({ entry, ...mail }) => (
              <li key={mail.id}>
                <Link to={`/organizadores/inscripciones/${entry.id}`}>{entry.titular}</Link>
                <MailSummary mail={mail} />
              </li>
            ))}
          </ul>
        )}
        <p className={styles.details}>{bounceMailboxInWords(hasBounceMailbox, bounceMailbox)}</p>
      </section>
    </>
  )
}

/** Texts by the code of a `MailboxError`. */
const BOUNCE_MAILBOX_FAULTS = {
  conexion: 'su servidor no contesta',
  entrada: 'no acepta el usuario o la clave',
  carpeta: 'no tiene esa carpeta',
  respuesta: 'su servidor contesta algo que no se entiende',
} as const

function bounceMailboxInWords(
  hasBounceMailbox: boolean,
  bounceMailbox: { readAt: Date | null; fault: keyof typeof BOUNCE_MAILBOX_FAULTS | null } | undefined,
) {
  if (!hasBounceMailbox)
    return 'De los que regresan después de enviados el sitio no se entera: nadie le ha dicho qué buzón leer. Lo hace quien cuida el servidor.'
  if (bounceMailbox?.fault)
    return `El buzón de los correos que regresan no se puede leer: ${BOUNCE_MAILBOX_FAULTS[bounceMailbox.fault]}. Avisa a quien cuida el sitio; mientras, los que regresen no se ven aquí.`
  return bounceMailbox?.readAt
    ? `El buzón de los correos que regresan se leyó el ${formatDateTime(bounceMailbox.readAt)}.`
    : 'El buzón de los correos que regresan se va a leer en unos minutos.'
}
