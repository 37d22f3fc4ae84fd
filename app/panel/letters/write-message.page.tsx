import { randomUUID } from 'node:crypto'
import { data, Form, redirect } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { readAppointment } from '#app/entries/letters/appointments.server.ts'
import { listRecipients } from '#app/entries/letters/data.server.ts'
import {
  appointmentDetails,
  appointmentDraft,
  checkMessage,
  MISSING_DOCUMENTS_DRAFT,
} from '#app/entries/letters/rules.ts'
import {
  MAX_LETTER_CHARACTERS,
  MAX_PLACE_CHARACTERS,
  type MessageDraft,
  NO_MAIL_SERVER_MESSAGE,
  type NoticeRecipient,
} from '#app/entries/letters/schema.ts'
import { sendMessage } from '#app/entries/letters/written-messages.server.ts'
import { readMailUsage } from '#app/mail/data.server.ts'
import { remainingMessages } from '#app/mail/rules.ts'
import { readChosenIds } from '#app/panel/chosen-ids.server.ts'
import entryStyles from '#app/panel/entry/entry.module.css'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { NothingChosen } from '#app/panel/nothing-chosen.tsx'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { leftOutInWords, MAX_SELECTED_ENTRIES, parseId, peopleInWords, readMessageDraft } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useInboxUrl } from '#app/panel/use-inbox-url.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/write-message.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './notify.module.css'
import { PlaceholderButtons } from './placeholder-buttons.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const { db, settings, clock } = servicesOf(context).services
  const { year } = await readChosenEdition(request, context)
  const { searchParams } = new URL(request.url)
  const { ids, leftOutCount } = await readChosenIds(db, searchParams, year)
  const selectedRecipients = await listRecipients(db, ids)
  const isAppointment = searchParams.has('cita') && selectedRecipients.length === 1
  const allLackDocuments =
    selectedRecipients.length > 0 && selectedRecipients.every(({ occasion }) => occasion === 'falta-documento')
  const appointment = isAppointment ? await readAppointment(db, selectedRecipients[0]!.id, clock.now()) : undefined
  return {
    selected: selectedRecipients,
    hasMailServer: settings.smtpUrl !== undefined,
    leftOut: leftOutInWords(leftOutCount),
    sendingId: randomUUID(),
    title: isAppointment ? (appointment ? 'Mover la cita' : 'Darle una cita') : 'Escribir un mensaje',
    isAppointment,
    draft: isAppointment ? appointmentDraft(appointment) : allLackDocuments ? MISSING_DOCUMENTS_DRAFT : EMPTY_DRAFT,
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const draft = readMessageDraft(form)
  const entryIds = form.getAll('id').map(parseId).filter(Boolean).slice(0, MAX_SELECTED_ENTRIES)
  const sendingId = form.get('envio')
  const messageCheck = checkMessage(draft, services.clock.now())
  const appointment = messageCheck.ok ? messageCheck.message.appointment : undefined
  const typedValues = {
    draft,
    entryIds,
    problems: messageCheck.ok ? {} : messageCheck.problems,
    appointment: appointment && appointmentDetails(appointment),
  }
  const refuse = (message: string, status = 422) =>
    data({ ok: false as const, message, isPreview: false, ...typedValues }, { status })
  if (entryIds.length === 0) return refuse('No elegiste a nadie. Marca a quién le escribes.')
  if (!messageCheck.ok) return refuse(Object.values(messageCheck.problems)[0]!)
  const intent = form.get('hacer')
  if (intent !== 'mandar' || !isUuid(sendingId))
    return { ok: true as const, message: '', isPreview: intent === 'ver', ...typedValues }
  // A message to hundreds of people in the committee's name cannot be taken back, so it needs reauthentication.
  await requireReauthentication(request, context, session, form)
  const { 'correo.cuota': quota } = await readEditionSettings(services.db)
  if (entryIds.length > remainingMessages(quota, await readMailUsage(services.db)))
    return refuse(
      'Hoy ya no caben tantos correos sin quitarle los suyos a la votación. Mándalo mañana, o a menos personas.',
    )
  const sendResult = await withDiskFullRefusal(services, async () => {
    await sendMessage(services, { ...messageCheck.message, sendingId, entryIds }, actorOf(context, session))
    return { ok: true as const }
  })
  return sendResult.ok
    ? redirect(`/organizadores/mensajes/enviado/${sendingId}`)
    : refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: args.loaderData?.title ?? 'Escribir un mensaje' }, args)

const EMPTY_DRAFT: MessageDraft = { asunto: '', texto: '', dia: '', hora: '', lugar: '' }
const FIELDS_WITH_PLACEHOLDERS: readonly (keyof MessageDraft)[] = ['asunto', 'texto']

/** Lets an organiser write a message, previews it as it arrives, and then sends it. */
export default function WriteMessagePage({ loaderData, actionData }: Route.ComponentProps) {
  const inboxUrl = useInboxUrl()
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (!loaderData) return null
  const { selected, hasMailServer, leftOut, sendingId, title, isAppointment, draft } = loaderData
  const chosenRecipients = actionData ? selected.filter(({ id }) => actionData.entryIds.includes(id)) : selected
  const isPreview = actionData?.isPreview === true
  const previewRecipient = chosenRecipients.find(({ correo }) => correo) ?? chosenRecipients[0]
  return (
    <>
      <p className={entryStyles.wayBack}>
        <Link to={inboxUrl}>Inscripciones</Link>
      </p>
      <ScreenHeading title={isPreview ? `¿Mandar el mensaje a ${peopleInWords(chosenRecipients.length)}?` : title} />
      {actionData && !actionData.ok && <OutcomeNotice outcome={actionData} />}
      <div className={styles.warnings}>
        {!hasMailServer && <Warning>{NO_MAIL_SERVER_MESSAGE}</Warning>}
        {leftOut && <Warning>{leftOut}</Warning>}
      </div>
      {selected.length === 0 ? (
        <NothingChosen inboxUrl={inboxUrl} />
      ) : (
        <div className={styles.columns}>
          <Form method="post" onSubmit={preventResubmit} className={isPreview ? styles.side : styles.draft} noValidate>
            {/* Each response but a refusal brings a new id, so that a message that is changed after sending is another message. */}
            <input type="hidden" name="envio" value={sendingId} key={sendingId} />
            {isPreview ? (
              <MessageConfirmation
                draft={actionData.draft}
                appointment={actionData.appointment}
                chosenRecipients={chosenRecipients}
                hasMailServer={hasMailServer}
              />
            ) : (
              <div className={styles.side}>
                <DraftFields
                  draft={actionData?.draft ?? draft}
                  problems={actionData?.problems ?? {}}
                  isAppointment={isAppointment}
                />
              </div>
            )}
            {!isPreview && <Recipients selectedRecipients={selected} chosenRecipients={chosenRecipients} />}
            <p className={styles.buttons}>
              {isPreview && (
                <Button type="submit" look="main" isBusy={isBusy} name="hacer" value="mandar">
                  Mandar el mensaje
                </Button>
              )}
              <Button
                type="submit"
                look={isPreview ? 'outline' : 'main'}
                isBusy={isBusy}
                name="hacer"
                value={isPreview ? 'cambiar' : 'ver'}
              >
                {isPreview ? 'Cambiar las palabras' : 'Ver cómo llega'}
              </Button>
              <Link to={inboxUrl}>No mandar nada</Link>
            </p>
          </Form>
          {isPreview && previewRecipient && (
            <LetterPreview
              title={
                hasMailServer && previewRecipient.correo
                  ? `Esto le llega a ${previewRecipient.titular}`
                  : 'Así dice el mensaje'
              }
              params={{ ocasion: 'mensaje', id: String(previewRecipient.id), ...actionData.draft }}
            />
          )}
        </div>
      )}
    </>
  )
}

interface DraftProps {
  draft: MessageDraft
  problems: Partial<Record<keyof MessageDraft, string>>
  /** Whether the message is about an appointment, whose fields then stand first. */
  isAppointment: boolean
}

function DraftFields({ draft, problems, isAppointment }: DraftProps) {
  const fieldProps = (name: keyof MessageDraft) => ({
    id: name,
    name,
    defaultValue: draft[name],
    error: problems[name],
    autoComplete: 'off',
  })
  const appointmentFields = (
    <fieldset className={styles.appointment}>
      <legend>{isAppointment ? 'La cita' : 'Una cita (opcional)'}</legend>
      <TextField {...fieldProps('dia')} label="Día" type="date" required={isAppointment} />
      <TextField {...fieldProps('hora')} label="Hora" type="time" required={isAppointment} />
      <TextField
        {...fieldProps('lugar')}
        label="Lugar"
        maxLength={MAX_PLACE_CHARACTERS}
        required={isAppointment}
        hint="La ven también con su folio. A quien dejó correo le llega un recordatorio el día antes."
      />
    </fieldset>
  )
  return (
    <>
      {isAppointment && appointmentFields}
      <TextField {...fieldProps('asunto')} label="Asunto" maxLength={MAX_LETTER_CHARACTERS.titulo} required />
      <TextAreaField {...fieldProps('texto')} label="Mensaje" rows={9} required hint="Cada renglón es un párrafo." />
      <PlaceholderButtons type="mensaje" fieldNames={FIELDS_WITH_PLACEHOLDERS} />
      {!isAppointment && appointmentFields}
    </>
  )
}

interface ConfirmationProps {
  draft: MessageDraft
  /** Day, hour and place in words. */
  appointment: string | undefined
  chosenRecipients: NoticeRecipient[]
  hasMailServer: boolean
}

/** Keeps the message's fields for the confirmation, and shows how many people it reaches by mail. */
function MessageConfirmation({ draft, appointment, chosenRecipients, hasMailServer }: ConfirmationProps) {
  const mailedCount = hasMailServer ? chosenRecipients.filter(({ correo }) => correo).length : 0
  const withoutMailCount = chosenRecipients.length - mailedCount
  return (
    <>
      {Object.entries(draft).map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      {chosenRecipients.map(({ id }) => (
        <input type="hidden" name="id" value={id} key={id} />
      ))}
      {appointment && (
        <p className={styles.statusText}>
          <b>Cita: {appointment}</b>
        </p>
      )}
      <p className={styles.statusText}>
        {mailedCount > 0 && `Por correo le llega a ${peopleInWords(mailedCount)}. `}
        {withoutMailCount > 0 &&
          `No le llega por correo a ${peopleInWords(withoutMailCount)}. ${
            withoutMailCount === 1
              ? 'Después aparece con su teléfono y estas mismas palabras, para llamarle.'
              : 'Después aparecen con su teléfono y estas mismas palabras, para llamarles.'
          }`}
      </p>
    </>
  )
}

const Recipients = ({
  selectedRecipients,
  chosenRecipients,
}: {
  selectedRecipients: NoticeRecipient[]
  chosenRecipients: NoticeRecipient[]
}) => (
  <div className={styles.chosen}>
    <h2>A quién ({selectedRecipients.length})</h2>
    <ul className={styles.recipients}>
      {selectedRecipients.map((recipient) => (
        <li key={recipient.id}>
          <label>
            <input
              type="checkbox"
              name="id"
              value={recipient.id}
              defaultChecked={chosenRecipients.includes(recipient)}
            />
            <span>{recipient.titular}</span>
            <small>{recipient.correo ?? `sin correo · ${recipient.celular}`}</small>
          </label>
        </li>
      ))}
    </ul>
  </div>
)
