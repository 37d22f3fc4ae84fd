import { useEffect, useState } from 'react'
import { data } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime, formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { readEntry } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import { readAppointment } from '#app/entries/letters/appointments.server.ts'
import { readContact } from '#app/entries/letters/data.server.ts'
import { notifyOfTransition } from '#app/entries/letters/mutations.server.ts'
import { listMessages } from '#app/entries/letters/written-messages.server.ts'
import { listLikelyDuplicates } from '#app/entries/likely-duplicates.server.ts'
import { readNeighbours } from '#app/entries/neighbours.server.ts'
import { checkContact, contactFieldsOf, parseEntryState } from '#app/entries/rules.ts'
import type { EntryState, ShownValue } from '#app/entries/schema.ts'
import { CHANGE_MESSAGES, ENTRY_STATE_NAMES, ENTRY_TYPE_NAMES } from '#app/entries/schema.ts'
import { changeState, correctContact, requestDocument, undoChange } from '#app/entries/states/mutations.server.ts'
import { DocumentViewer, useOpenDocument } from '#app/panel/document-viewer/viewer.tsx'
import { documentTokenOf } from '#app/panel/guards.server.ts'
import { parseId, readField, readFilter } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { StateLabel } from '#app/panel/state-label.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/entry.page'
import { AppointmentSection } from './appointment-section.tsx'
import { cancelAppointmentInWords } from './cancel-appointment.server.ts'
import { CollapsibleSection, useIsNarrow } from './collapsible-section.tsx'
import { ContactCorrection } from './contact-correction.tsx'
import { ContactSection } from './contact-section.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { DecisionForm, DocumentRequestForm } from './decision-forms.tsx'
import styles from './entry.module.css'
import { EntryBreadcrumbs } from './entry-breadcrumbs.tsx'
import { EntryHistory } from './history.tsx'
import { LikelyDuplicates } from './likely-duplicates.tsx'
import { makeCandidate, makeCandidateMessage, readCandidateStatus } from './make-candidate.server.ts'
import { MakeCandidate } from './make-candidate.tsx'

/** `showsFrames`: the content security policy allows the frame in which PDFs are shown. */
export const handle = { showsFrames: true }

const notFoundResponse = () =>
  data('Esa inscripción no existe. Puede ser que alguien la haya borrado.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'inscripciones')
  if (!access.isOpen) return null
  const { services } = servicesOf(context)
  const { db } = services
  const entry = await readEntry(db, parseId(params.id))
  if (!entry) throw notFoundResponse()
  const { ids: _, ...filter } = readFilter(new URL(request.url).searchParams, entry.edicion)
  const [candidate, contact, messages, appointment, neighbours, duplicates] = await Promise.all([
    readCandidateStatus(db, entry.id),
    readContact(services, entry),
    listMessages(db, { entryId: entry.id }),
    readAppointment(db, entry.id, services.clock.now()),
    readNeighbours(db, filter, entry.id),
    listLikelyDuplicates(db, entry.id),
  ])
  const documentUrl = (id: number) =>
    `/organizadores/documentos/${id}?llave=${documentTokenOf(context, access.session, id)}`
  const maySeeFullBodyPhotos = may(access.session.role, 'cuerpo')
  const documents = entry.documents.map((entryDocument) => ({
    ...entryDocument,
    url: maySeeFullBodyPhotos || !kindOf(entryDocument.clase).isReserved ? documentUrl(entryDocument.id) : undefined,
  }))
  const mayDelete = may(access.session.role, 'privacidad')
  return {
    entry: { ...entry, documents },
    candidate,
    contact,
    messages,
    appointment,
    filter,
    neighbours,
    duplicates,
    maySeeFullBodyPhotos,
    mayDelete,
    now: services.clock.now(),
  }
}

const NO_SITE_PERMISSION_MESSAGE =
  'Llevarla al sitio es de quien escribe el sitio, y tu cuenta no lo hace. Pídeselo a quien lleva «El sitio».'

const BAR_DECISIONS: Readonly<Record<string, EntryState>> = { aceptar: 'aceptada', rechazar: 'rechazada' }

/** Handles the forms of the screen; a refusal returns the typed values, so that the form keeps them. */
export async function action({ params, request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const { db } = services
  const form = await request.formData()
  const fieldText = (name: string) => readField(form, name)
  const seenEntry = { id: parseId(params.id), version: parseId(fieldText('version')), at: services.clock.now() }
  const actor = actorOf(context, session)
  const intent = fieldText('hacer')
  /** The form beside which the result is shown. */
  const formName = fieldText('desde') === 'barra' ? 'barra' : intent
  const targetState = BAR_DECISIONS[intent] ?? parseEntryState(fieldText('estado'))
  const note = fieldText('nota')
  const isForEntrant = form.get('paraPersona') === 'si'
  const contactFields = Object.values(FORMS)
    .flatMap(contactFieldsOf)
    .filter(({ name }) => form.has(name))
  const typedValues = Object.fromEntries(contactFields.map(({ name }) => [name, fieldText(name)]))
  const sentValues = {
    formName,
    intent,
    note,
    isForEntrant,
    state: targetState,
    documentId: fieldText('documento'),
    typedValues,
  }
  if (intent === 'candidata') {
    if (!may(session.role, 'sitio'))
      return data({ ok: false as const, message: NO_SITE_PERMISSION_MESSAGE, ...sentValues }, { status: 403 })
    const candidateResult = await makeCandidate(services, seenEntry.id, actor)
    const message = makeCandidateMessage(candidateResult)
    if (candidateResult.ok) return { ok: true as const, formName, intent, message }
    return data(
      { ok: false as const, message, ...sentValues },
      { status: candidateResult.reason === 'busy' ? 503 : 422 },
    )
  }
  if (intent === 'cancelar-cita') {
    const appointment = { entryId: seenEntry.id, code: fieldText('cita') }
    return { ...(await cancelAppointmentInWords(services, appointment, actor)), errors: {}, ...sentValues }
  }
  const notify = (tx: typeof db) => notifyOfTransition(tx, services, seenEntry.id, actor)
  const documentRequest = { documentId: parseId(fieldText('documento')), note, notify }
  const changeResult = await withDiskFullRefusal(services, async () => {
    if (intent === 'deshacer') return undoChange(db, seenEntry, actor)
    if (intent === 'pedir') return requestDocument(db, seenEntry, documentRequest, actor)
    if (intent === 'contacto') return correctContact(db, seenEntry, typedValues, actor)
    return targetState
      ? changeState(db, seenEntry, { to: targetState, note, isForEntrant }, actor)
      : ({ ok: false, reason: 'estado' } as const)
  })
  if (changeResult.ok)
    return {
      ok: true as const,
      formName,
      intent,
      message: formName === 'barra' ? BAR_MESSAGES[intent]! : SAVED_MESSAGE,
    }
  if (changeResult.reason === 'sin-espacio')
    return data({ ok: false as const, message: DISK_FULL_MESSAGE, ...sentValues }, { status: DISK_FULL_STATUS })
  const message =
    changeResult.reason === 'version'
      ? `No se guardó: mientras tanto ${changeResult.author ?? 'la persona inscrita'} cambió esta inscripción${
          changeResult.at ? ` (${formatDateTime(changeResult.at)})` : ''
        } y ahora está «${ENTRY_STATE_NAMES[changeResult.estado]}». Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`
      : CHANGE_MESSAGES[changeResult.reason]
  const contactCheck = checkContact({ fields: contactFields }, typedValues)
  const errors = Object.fromEntries(
    (contactCheck.ok ? [] : contactCheck.campos).map(({ campo, message }) => [campo, message]),
  )
  return data(
    { ok: false as const, message, ...sentValues, errors },
    { status: changeResult.reason === 'version' ? 409 : 422 },
  )
}

const SAVED_MESSAGE = 'Listo: el cambio quedó guardado.'
const BAR_MESSAGES: Readonly<Record<string, string>> = {
  aceptar: 'Listo: quedó aceptada.',
  rechazar: 'Listo: quedó rechazada.',
  deshacer: 'Se deshizo: está como antes.',
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateUnlessDocumentView as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Inscripción' }, args)

export default function EntryPage({ loaderData, actionData }: Route.ComponentProps) {
  // The key resets the state when another entry opens.
  return loaderData && <EntryContent key={loaderData.entry.id} loaderData={loaderData} actionData={actionData} />
}

interface EntryContentProps {
  loaderData: NonNullable<Route.ComponentProps['loaderData']>
  actionData: Route.ComponentProps['actionData']
}

function EntryContent({ loaderData, actionData }: EntryContentProps) {
  const {
    entry,
    candidate,
    contact,
    messages,
    appointment,
    now,
    filter,
    neighbours,
    duplicates,
    maySeeFullBodyPhotos,
    mayDelete,
  } = loaderData
  const { id, tipo, folio, titular, detalle, estado, edad, receivedAt, fields } = entry
  const openDocument = useOpenDocument(entry.documents)
  const isNarrow = useIsNarrow()
  const [isRequesting, setIsRequesting] = useState(false)
  const currentDocuments = entry.documents.filter(({ replacedAt }) => !replacedAt)
  const replacedDocuments = entry.documents.filter(({ replacedAt }) => replacedAt)
  const outcomeOf = (formName: string) => (actionData?.formName === formName ? actionData : undefined)
  const requestOutcome = outcomeOf('pedir')
  useEffect(() => {
    if (requestOutcome?.ok) setIsRequesting(false)
  }, [requestOutcome])
  return (
    <>
      <EntryBreadcrumbs neighbours={neighbours} filter={filter} />
      <ScreenHeading title={titular} />
      <p className={styles.summary}>
        <StateLabel state={estado} /> {detalle ?? ENTRY_TYPE_NAMES[tipo]}
        {edad !== null && <>, {edad} años</>} · folio <b className={styles.folio}>{folio}</b> · recibida{' '}
        <time dateTime={receivedAt.toISOString()} title={formatDateTime(receivedAt)}>
          {formatPastMoment(receivedAt, now)}
        </time>
      </p>
      <LikelyDuplicates duplicates={duplicates} />
      <div className={styles.columns}>
        <section aria-labelledby="documentos" className={styles.documents}>
          <h2 id="documentos" className="visually-hidden">
            Documentos
          </h2>
          {entry.hasIdenticalVoterCardSides && (
            <p className={styles.flag}>Los dos lados de la credencial son el mismo archivo.</p>
          )}
          <DocumentViewer documents={[...currentDocuments, ...replacedDocuments]} now={now} />
        </section>
        <div className={styles.sidebar}>
          <DecisionBar
            entry={entry}
            filter={filter}
            nextWaiting={neighbours.nextWaiting}
            hasOpenDocument={openDocument !== undefined}
            outcome={outcomeOf('barra')}
            onRequestDocument={() => setIsRequesting(true)}
          />
          <div className={styles.scroller}>
            <ContactSection contact={contact} />
            <AppointmentSection
              entryId={id}
              appointment={appointment}
              phoneWithoutMail={contact.correo && contact.hasSmtp ? undefined : contact.celular}
              outcome={outcomeOf('cancelar-cita')}
            />
            <CollapsibleSection
              id="datos"
              title="Datos"
              note={entry.celular}
              mustOpen={outcomeOf('contacto') !== undefined}
            >
              <dl className={styles.data}>
                {fields.map((field) => (
                  <ShownField key={field.label} {...field} />
                ))}
              </dl>
              <ContactCorrection entry={entry} outcome={outcomeOf('contacto')} />
            </CollapsibleSection>
            <DecisionForm entry={entry} outcome={outcomeOf('decidir')} />
            <DocumentRequestForm
              entry={entry}
              documents={currentDocuments}
              openDocument={currentDocuments.find((entryDocument) => entryDocument.id === openDocument?.id)}
              now={now}
              outcome={requestOutcome}
              isSheet={isRequesting && isNarrow}
              onClose={() => setIsRequesting(false)}
            />
            {candidate && <MakeCandidate candidate={candidate} outcome={outcomeOf('candidata')} />}
            <EntryHistory entry={entry} messages={messages} outcome={outcomeOf('deshacer')} />
            <CollapsibleSection id="llevar" title="Llevar y borrar">
              <form action="/organizadores/exportar" className={styles.download}>
                <input type="hidden" name="formato" value="zip" />
                <input type="hidden" name="id" value={id} />
                {tipo === 'candidata' && maySeeFullBodyPhotos && (
                  <label className={styles.checkbox}>
                    <input type="checkbox" name="cuerpo" value="si" />
                    Con fotos de cuerpo completo
                  </label>
                )}
                <Button type="submit" look="outline">
                  Descargar en ZIP
                </Button>
                <a href={`/organizadores/impresion?id=${id}`} className={buttonLook('outline')}>
                  Imprimir
                </a>
              </form>
              {mayDelete && (
                <p className={styles.deletion}>
                  <Link to={`/organizadores/privacidad?id=${id}`}>Borrar a solicitud de la persona</Link>
                </p>
              )}
            </CollapsibleSection>
          </div>
        </div>
      </div>
    </>
  )
}

const ShownField = ({ label, text, flag }: ShownValue) => (
  <div>
    <dt>{label}</dt>
    <dd>
      {text}
      {flag && <em> {flag}</em>}
    </dd>
  </div>
)
