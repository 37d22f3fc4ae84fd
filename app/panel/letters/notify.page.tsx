import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_STATUS, diskFullMidwayMessage, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { listRecipients } from '#app/entries/letters/data.server.ts'
import { notify } from '#app/entries/letters/mutations.server.ts'
import { parseOccasion } from '#app/entries/letters/rules.ts'
import {
  NO_MAIL_SERVER_MESSAGE,
  NOTICE_MESSAGES,
  type NoticeRecipient,
  OCCASION_NAMES,
  type Occasion,
} from '#app/entries/letters/schema.ts'
import { ENTRY_STATE_NAMES } from '#app/entries/schema.ts'
import { readChosenIds } from '#app/panel/chosen-ids.server.ts'
import { DeliveryStatus, useDeliveryStatus } from '#app/panel/delivery-status.tsx'
import entryStyles from '#app/panel/entry/entry.module.css'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { NothingChosen } from '#app/panel/nothing-chosen.tsx'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { entryCountInWords, leftOutInWords, parseId, peopleInWords } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useInboxUrl } from '#app/panel/use-inbox-url.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/notify.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './notify.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { db, settings } = servicesOf(context).services
  const { year } = await readChosenEdition(request, context)
  const { ids, leftOutCount } = await readChosenIds(db, new URL(request.url).searchParams, year)
  return {
    selected: await listRecipients(db, ids),
    hasMailServer: settings.smtpUrl !== undefined,
    leftOut: leftOutInWords(leftOutCount),
  }
}

/** Outcome for one recipient: without a reason the mail was queued, which does not mean that it was delivered. */
interface NotifyOutcome {
  id: number
  reason?: string
}

/** Returns the form value that stands for a notice: entry, occasion, state change, and the number that the notice will have. */
const noticeKeyOf = ({ id, occasion, changeId, notices }: NoticeRecipient) =>
  `${id}:${occasion}:${changeId}:${notices.length + 1}`

function readNoticeRequests(form: FormData) {
  return form.getAll('aviso').flatMap((noticeKey) => {
    const [id, occasion, changeId, noticeNumber] = String(noticeKey).split(':')
    const knownOccasion = parseOccasion(occasion)
    const requestedNotice = { entryId: parseId(id), changeId: parseId(changeId), noticeNumber: parseId(noticeNumber) }
    return knownOccasion && requestedNotice.entryId && requestedNotice.changeId && requestedNotice.noticeNumber
      ? [{ ...requestedNotice, occasion: knownOccasion }]
      : []
  })
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const actor = actorOf(context, session)
  const noticeRequests = readNoticeRequests(await request.formData())
  const refuse = (message: string, status: number, outcomes: NotifyOutcome[] = []) =>
    data({ ok: false as const, message, outcomes }, { status })
  if (noticeRequests.length === 0) return refuse('No elegiste a nadie. Marca a quién se le avisa.', 422)
  const outcomes: NotifyOutcome[] = []
  for (const noticeRequest of noticeRequests) {
    const notifyResult = await withDiskFullRefusal(services, () => notify(services.db, services, noticeRequest, actor))
    if (notifyResult.ok) outcomes.push({ id: noticeRequest.entryId })
    else if (notifyResult.reason === 'sin-espacio')
      return refuse(diskFullMidwayMessage(outcomes), DISK_FULL_STATUS, outcomes)
    else outcomes.push({ id: noticeRequest.entryId, reason: NOTICE_MESSAGES[notifyResult.reason] })
  }
  return { ok: true as const, message: '', outcomes }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export { revalidateAfterFullDisk as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Avisar por correo' }, args)

/** Shows the recipients and the first letter, asks for confirmation, and then shows the delivery status of each mail. */
export default function NotifyPage({ loaderData, actionData }: Route.ComponentProps) {
  const inboxUrl = useInboxUrl()
  const currentNotices = useDeliveryStatus((loaderData?.selected ?? []).flatMap(({ notices }) => notices))
  if (!loaderData) return null
  const { hasMailServer, leftOut } = loaderData
  const selectedRecipients = loaderData.selected.map((recipient) => ({
    ...recipient,
    notices: recipient.notices.map((notice) => currentNotices.find(({ id }) => id === notice.id) ?? notice),
  }))
  const [singleRecipient] = selectedRecipients
  const isSingle = selectedRecipients.length === 1 && singleRecipient !== undefined
  const notifiableRecipients = selectedRecipients.filter(
    (recipient) => recipient.occasion && recipient.correo && (isSingle || recipient.notices.length === 0),
  )
  const [firstRecipient] = notifiableRecipients
  const title = actionData?.ok
    ? 'Avisos por correo'
    : notifiableRecipients.length > 0
      ? isSingle
        ? `¿Avisar por correo a ${singleRecipient.titular}?`
        : `¿Mandarles su resultado a ${peopleInWords(notifiableRecipients.length)}?`
      : 'Nadie a quien avisar'
  return (
    <>
      <p className={entryStyles.wayBack}>
        {isSingle ? (
          <Link to={`/organizadores/inscripciones/${singleRecipient.id}`}>{singleRecipient.titular}</Link>
        ) : (
          <Link to={inboxUrl}>Inscripciones</Link>
        )}
      </p>
      <ScreenHeading title={title} />
      {actionData && !actionData.ok && <OutcomeNotice outcome={actionData} />}
      <div className={styles.warnings}>
        {leftOut && <Warning>{leftOut}</Warning>}
        {!hasMailServer && selectedRecipients.length > 0 && <Warning>{NO_MAIL_SERVER_MESSAGE}</Warning>}
      </div>
      {selectedRecipients.length === 0 && <NothingChosen inboxUrl={inboxUrl} />}
      {actionData && actionData.outcomes.length > 0 && (
        <NotifyOutcomes outcomes={actionData.outcomes} selected={selectedRecipients} hasMailServer={hasMailServer} />
      )}
      {!actionData?.ok && (
        <div className={styles.columns}>
          <div className={styles.side}>
            {firstRecipient && <NotifyForm recipients={notifiableRecipients} isSingle={isSingle} inboxUrl={inboxUrl} />}
            <SkippedRecipients selected={selectedRecipients} isSingle={isSingle} />
          </div>
          {firstRecipient?.occasion && (
            <LetterPreview
              title={
                !hasMailServer
                  ? 'Así dice el mensaje'
                  : isSingle
                    ? 'Esto le llega'
                    : `Esto le llega a ${firstRecipient.titular}`
              }
              params={{ id: String(firstRecipient.id) }}
            />
          )}
        </div>
      )}
    </>
  )
}

const NOTICE_PHRASES: Readonly<Record<Occasion, string>> = {
  aceptada: 'que fue aceptada',
  rechazada: 'que no fue aceptada',
  'falta-documento': 'que le falta un documento',
}

function NotifyForm({
  recipients,
  isSingle,
  inboxUrl,
}: {
  recipients: NoticeRecipient[]
  isSingle: boolean
  inboxUrl: string
}) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const [firstRecipient] = recipients
  const earlierNotice = isSingle ? firstRecipient?.notices[0] : undefined
  return (
    <Form method="post" onSubmit={preventResubmit}>
      {earlierNotice && (
        <p className={styles.statusText}>
          Ya se le avisó de esto mismo: <DeliveryStatus status={earlierNotice.suerte} />. Si se lo mandas otra vez, le
          llegan dos.
        </p>
      )}
      {isSingle && firstRecipient?.occasion && (
        <p>
          Se le dice a {firstRecipient.correo} {NOTICE_PHRASES[firstRecipient.occasion]}
          {firstRecipient.note ? ', con tu nota.' : ', sin nota.'}
        </p>
      )}
      {isSingle ? (
        <input type="hidden" name="aviso" value={noticeKeyOf(firstRecipient!)} />
      ) : (
        <>
          <h2>Se puede avisar a {peopleInWords(recipients.length)}</h2>
          <ul className={styles.recipients}>
            {recipients.map((recipient) => (
              <li key={recipient.id}>
                <label>
                  <input type="checkbox" name="aviso" value={noticeKeyOf(recipient)} defaultChecked />
                  <span>{recipient.titular}</span>
                  <small>
                    {recipient.occasion && OCCASION_NAMES[recipient.occasion].toLowerCase()} · {recipient.correo}
                  </small>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className={styles.buttons}>
        <Button type="submit" look="main" isBusy={isBusy}>
          {earlierNotice ? 'Mandárselo otra vez' : isSingle ? 'Mandarle el correo' : 'Mandar los correos'}
        </Button>
        <Link to={isSingle && firstRecipient ? `/organizadores/inscripciones/${firstRecipient.id}` : inboxUrl}>
          No mandar nada
        </Link>
      </p>
    </Form>
  )
}

function SkippedRecipients({ selected, isSingle }: { selected: NoticeRecipient[]; isSingle: boolean }) {
  const recipientsWithoutEmail = selected.filter((recipient) => recipient.occasion && !recipient.correo)
  const recipientsWithoutOccasion = selected.filter((recipient) => !recipient.occasion)
  const notifiedRecipients = isSingle
    ? []
    : selected.filter((recipient) => recipient.occasion && recipient.correo && recipient.notices.length > 0)
  return (
    <>
      {recipientsWithoutEmail.length > 0 && (
        <section aria-labelledby="sin-correo">
          <h2 id="sin-correo">Sin correo: llámales por teléfono ({recipientsWithoutEmail.length})</h2>
          <RecipientList people={recipientsWithoutEmail} detailOf={(person) => <Phone {...person} />} />
        </section>
      )}
      {notifiedRecipients.length > 0 && (
        <section aria-labelledby="ya">
          <h2 id="ya">Ya se les avisó ({notifiedRecipients.length})</h2>
          <RecipientList
            people={notifiedRecipients}
            detailOf={({ notices }) => notices[0] && <DeliveryStatus status={notices[0].suerte} />}
          />
        </section>
      )}
      {recipientsWithoutOccasion.length > 0 && (
        <section aria-labelledby="sin-decidir">
          <h2 id="sin-decidir">Todavía no hay qué avisarles ({recipientsWithoutOccasion.length})</h2>
          <p>Se avisa cuando la inscripción está aceptada, rechazada o le falta un documento.</p>
          <RecipientList people={recipientsWithoutOccasion} detailOf={({ estado }) => ENTRY_STATE_NAMES[estado]} />
        </section>
      )}
    </>
  )
}

const Phone = ({ celular, telefono }: Pick<NoticeRecipient, 'celular' | 'telefono'>) =>
  telefono ? <a href={`tel:${telefono}`}>{celular}</a> : celular

const RecipientList = ({
  people,
  detailOf,
}: {
  people: NoticeRecipient[]
  detailOf(person: NoticeRecipient): React.ReactNode
}) => (
  <ul className={styles.recipients}>
    {people.map((person) => (
      <li key={person.id}>
        <p>
          <Link to={`/organizadores/inscripciones/${person.id}`}>{person.titular}</Link>
          <small>{detailOf(person)}</small>
        </p>
      </li>
    ))}
  </ul>
)

/** Shows the sending's outcome, and each mail's delivery status, which `useDeliveryStatus` keeps up to date. */
function NotifyOutcomes({
  outcomes,
  selected,
  hasMailServer,
}: {
  outcomes: NotifyOutcome[]
  selected: NoticeRecipient[]
  hasMailServer: boolean
}) {
  const notifiedIds = new Set(outcomes.flatMap(({ id, reason }) => (reason === undefined ? [id] : [])))
  const countWith = (status: 'espera' | 'enviado') =>
    selected.filter(({ id, notices }) => notifiedIds.has(id) && notices[0]?.suerte === status).length
  const waitingCount = countWith('espera')
  return (
    <>
      <p className={styles.statusText} role="status">
        {!hasMailServer
          ? 'Quedó guardado y no le llega a nadie: el sitio no tiene servidor de correo.'
          : waitingCount > 0
            ? `En espera de salir: ${waitingCount} de ${notifiedIds.size}. Esta pantalla cambia sola.`
            : `El servidor de correo aceptó ${countWith('enviado')} de ${notifiedIds.size}. Si alguno regresa, aparece en «Mensajes».`}
      </p>
      <ul className={styles.recipients}>
        {outcomes.map(({ id, reason }) => {
          const recipient = selected.find((selectedRecipient) => selectedRecipient.id === id)
          const notice = recipient?.notices[0]
          return (
            <li key={id}>
              <p>
                <Link to={`/organizadores/inscripciones/${id}`}>{recipient?.titular ?? entryCountInWords(1)}</Link>
                {!reason && notice && <DeliveryStatus status={notice.suerte} />}
              </p>
              {(reason || notice?.motivo) && (
                <p className={styles.reason}>{reason ? `No se mandó: ${reason}.` : notice?.motivo}</p>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}
