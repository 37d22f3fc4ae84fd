import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, refuseIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
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
import entry from '#app/panel/entry/entry.module.css'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Heading } from '#app/panel/heading.tsx'
import { NothingChosen } from '#app/panel/nothing-chosen.tsx'
import { Notice } from '#app/panel/notice.tsx'
import { countInWords, toId } from '#app/panel/rules.ts'
import { useBackToList } from '#app/panel/use-back-to-list.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/notify.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './notify.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { db, settings } = servicesOf(context).services
  const { year } = await readChosenEdition(request, context)
  const ids = await readChosenIds(db, new URL(request.url).searchParams, year)
  return { selected: await listRecipients(db, ids), hasMailServer: settings.smtpUrl !== undefined }
}

/** Without a reason, the entry's message was queued; that says nothing of its delivery. */
interface Outcome {
  id: number
  reason?: string
}

/** Builds a checkbox's value, which identifies a message: entry, occasion, change, and the message's number for that change. */
const messageKeyOf = ({ id, occasion, changeId, notices }: NoticeRecipient) =>
  `${id}:${occasion}:${changeId}:${notices.length + 1}`

function readRequests(form: FormData) {
  return form.getAll('aviso').flatMap((text) => {
    const [id, occasion, step, ordinal] = String(text).split(':')
    const knownOccasion = parseOccasion(occasion)
    const requested = { entryId: toId(id), changeId: toId(step), noticeNumber: toId(ordinal) }
    return knownOccasion && requested.entryId && requested.changeId && requested.noticeNumber
      ? [{ ...requested, occasion: knownOccasion }]
      : []
  })
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const actor = actorOf(context, session)
  const requests = readRequests(await request.formData())
  const refuse = (message: string, status: number, outcomes: Outcome[] = []) =>
    data({ ok: false as const, message, outcomes }, { status })
  if (requests.length === 0) return refuse('No elegiste a nadie. Marca a quién se le avisa.', 422)
  const outcomes: Outcome[] = []
  for (const requested of requests) {
    const done = await refuseIfDiskFull(services, () => notify(services.db, services, requested, actor))
    if (done.ok) outcomes.push({ id: requested.entryId })
    else if (done.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS, outcomes)
    else outcomes.push({ id: requested.entryId, reason: NOTICE_MESSAGES[done.reason] })
  }
  return { ok: true as const, message: '', outcomes }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Avisar por correo' }, args)

const peopleInWords = (number: number) => (number === 1 ? 'una persona' : `${number} personas`)

/** Shows the recipients and the first letter, asks for confirmation, and then shows the delivery status of each message. */
export default function NotifyScreen({ loaderData, actionData }: Route.ComponentProps) {
  const wayBack = useBackToList()
  const currentNotices = useDeliveryStatus((loaderData?.selected ?? []).flatMap(({ notices }) => notices))
  if (!loaderData) return null
  const { hasMailServer } = loaderData
  const selected = loaderData.selected.map((one) => ({
    ...one,
    notices: one.notices.map((notice) => currentNotices.find(({ id }) => id === notice.id) ?? notice),
  }))
  const [singleRecipient] = selected
  const isSingle = selected.length === 1 && singleRecipient !== undefined
  const toNotify = selected.filter((one) => one.occasion && one.correo && (isSingle || one.notices.length === 0))
  const [first] = toNotify
  const title = actionData?.ok
    ? 'Avisos por correo'
    : toNotify.length > 0
      ? `¿Avisar por correo a ${isSingle ? singleRecipient.titular : peopleInWords(toNotify.length)}?`
      : 'Nadie a quien avisar'
  return (
    <>
      <p className={entry.wayBack}>
        {isSingle ? (
          <Link to={`/organizadores/inscripciones/${singleRecipient.id}`}>{singleRecipient.titular}</Link>
        ) : (
          <Link to={wayBack}>Inscripciones</Link>
        )}
      </p>
      <Heading title={title} />
      {actionData && !actionData.ok && <Notice outcome={actionData} />}
      {!hasMailServer && selected.length > 0 && <Warning>{NO_MAIL_SERVER_MESSAGE}</Warning>}
      {selected.length === 0 && <NothingChosen listPath={wayBack} />}
      {actionData?.ok ? (
        <SentMessages outcomes={actionData.outcomes} selected={selected} hasMailServer={hasMailServer} />
      ) : (
        <div className={styles.columns}>
          <div className={styles.side}>
            {first && <Prompt recipients={toNotify} isSingle={isSingle} wayBack={wayBack} />}
            <SkippedRecipients selected={selected} isSingle={isSingle} />
          </div>
          {first?.occasion && (
            <LetterPreview
              title={isSingle ? 'Esto le llega' : `Esto le llega a ${first.titular}`}
              params={{ id: String(first.id) }}
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

function Prompt({
  recipients,
  isSingle,
  wayBack,
}: {
  recipients: NoticeRecipient[]
  isSingle: boolean
  wayBack: string
}) {
  const { isBusy, once } = useSubmitOnce()
  const [first] = recipients
  const before = isSingle ? first?.notices[0] : undefined
  return (
    <Form method="post" onSubmit={once}>
      {before && (
        <p className={styles.said}>
          Ya se le avisó de esto mismo: <DeliveryStatus status={before.suerte} />. Si se lo mandas otra vez, le llegan
          dos.
        </p>
      )}
      {isSingle && first?.occasion && (
        <p>
          Se le dice a {first.correo} {NOTICE_PHRASES[first.occasion]}
          {first.note ? ', con tu nota.' : ', sin nota.'}
        </p>
      )}
      {isSingle ? (
        <input type="hidden" name="aviso" value={messageKeyOf(first!)} />
      ) : (
        <>
          <h2>Se puede avisar a {peopleInWords(recipients.length)}</h2>
          <ul className={styles.people}>
            {recipients.map((one) => (
              <li key={one.id}>
                <label>
                  <input type="checkbox" name="aviso" value={messageKeyOf(one)} defaultChecked />
                  <span>{one.titular}</span>
                  <small>
                    {one.occasion && OCCASION_NAMES[one.occasion].toLowerCase()} · {one.correo}
                  </small>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className={styles.buttons}>
        <Button type="submit" look="main" isBusy={isBusy}>
          {before ? 'Mandárselo otra vez' : isSingle ? 'Mandarle el correo' : 'Mandar los correos'}
        </Button>
        <Link to={isSingle && first ? `/organizadores/inscripciones/${first.id}` : wayBack}>No mandar nada</Link>
      </p>
    </Form>
  )
}

function SkippedRecipients({ selected, isSingle }: { selected: NoticeRecipient[]; isSingle: boolean }) {
  const withoutEmail = selected.filter((one) => one.occasion && !one.correo)
  const undecided = selected.filter((one) => !one.occasion)
  const alreadyNotified = isSingle ? [] : selected.filter((one) => one.occasion && one.correo && one.notices.length > 0)
  return (
    <>
      {withoutEmail.length > 0 && (
        <section aria-labelledby="sin-correo">
          <h2 id="sin-correo">Sin correo: llámales por teléfono ({withoutEmail.length})</h2>
          <People people={withoutEmail} detailOf={(person) => <Phone {...person} />} />
        </section>
      )}
      {alreadyNotified.length > 0 && (
        <section aria-labelledby="ya">
          <h2 id="ya">Ya se les avisó ({alreadyNotified.length})</h2>
          <People
            people={alreadyNotified}
            detailOf={({ notices }) => notices[0] && <DeliveryStatus status={notices[0].suerte} />}
          />
        </section>
      )}
      {undecided.length > 0 && (
        <section aria-labelledby="sin-decidir">
          <h2 id="sin-decidir">Todavía no hay qué avisarles ({undecided.length})</h2>
          <p>Se avisa cuando la inscripción está aceptada, rechazada o le falta un documento.</p>
          <People people={undecided} detailOf={({ estado }) => ENTRY_STATE_NAMES[estado]} />
        </section>
      )}
    </>
  )
}

const Phone = ({ celular, telefono }: Pick<NoticeRecipient, 'celular' | 'telefono'>) =>
  telefono ? <a href={`tel:${telefono}`}>{celular}</a> : celular

const People = ({
  people,
  detailOf,
}: {
  people: NoticeRecipient[]
  detailOf(person: NoticeRecipient): React.ReactNode
}) => (
  <ul className={styles.people}>
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

/** Shows the delivery status of each message, which updates until the mail server has answered. */
function SentMessages({
  outcomes,
  selected,
  hasMailServer,
}: {
  outcomes: Outcome[]
  selected: NoticeRecipient[]
  hasMailServer: boolean
}) {
  const queued = outcomes.filter(({ reason }) => reason === undefined)
  const waiting = selected.filter(({ notices }) => notices[0]?.suerte === 'espera').length
  const sent = selected.filter(
    ({ id, notices }) => notices[0]?.suerte === 'enviado' && queued.some((one) => one.id === id),
  ).length
  return (
    <>
      <p className={styles.said} role="status">
        {!hasMailServer
          ? 'Quedó guardado y no le llega a nadie: el sitio no tiene servidor de correo.'
          : waiting > 0
            ? `En espera de salir: ${waiting} de ${queued.length}. Esta pantalla cambia sola.`
            : `El servidor de correo aceptó ${sent} de ${queued.length}. Si alguno regresa, aparece en «Mensajes».`}
      </p>
      <ul className={styles.people}>
        {outcomes.map(({ id, reason }) => {
          const one = selected.find((chosen) => chosen.id === id)
          const notice = one?.notices[0]
          return (
            <li key={id}>
              <p>
                <Link to={`/organizadores/inscripciones/${id}`}>{one?.titular ?? countInWords(1)}</Link>
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
