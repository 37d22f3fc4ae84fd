import { useEffect, useState } from 'react'
import { data } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime, formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, refuseIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
import { readEntry } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import { readContact } from '#app/entries/letters/data.server.ts'
import { notifyOfTransition } from '#app/entries/letters/mutations.server.ts'
import { listMessages } from '#app/entries/letters/written-messages.server.ts'
import { listLikelyDuplicates } from '#app/entries/likely-duplicates.server.ts'
import { readNeighbours } from '#app/entries/neighbours.server.ts'
import { checkContact, contactFieldsOf, parseState } from '#app/entries/rules.ts'
import type { EntryState, ShownValue } from '#app/entries/schema.ts'
import { CHANGE_MESSAGES, ENTRY_STATE_NAMES, ENTRY_TYPE_NAMES } from '#app/entries/schema.ts'
import { changeState, correctContact, requestDocument, undoChange } from '#app/entries/states/mutations.server.ts'
import { DocumentViewer, useOpenDocument } from '#app/panel/document-viewer/viewer.tsx'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { documentTokenOf } from '#app/panel/guards.server.ts'
import { Heading } from '#app/panel/heading.tsx'
import { entryAddress, readField, readFilter, toId } from '#app/panel/rules.ts'
import { useBackToList } from '#app/panel/use-back-to-list.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/entry.page'
import { CollapsibleSection, useIsNarrow } from './collapsible-section.tsx'
import { Contact } from './contact.tsx'
import { ContactCorrection } from './contact-correction.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { DecisionForm, DocumentRequestForm } from './decision-forms.tsx'
import styles from './entry.module.css'
import { EntryHistory } from './history.tsx'
import { KeyboardShortcuts } from './keyboard-shortcuts.tsx'
import { makeCandidate, makeCandidateMessage, readCandidateStatus } from './make-candidate.server.ts'
import { MakeCandidate } from './make-candidate.tsx'
import { SimilarEntries } from './similar-entries.tsx'

/** With `showsFrames` the content security policy allows frames, in which PDFs are shown. */
export const handle = { showsFrames: true }

const notFound = () => data('Esa inscripción no existe. Puede ser que alguien la haya borrado.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'inscripciones')
  // The frame shows the login wall instead of this screen.
  if (!access.isOpen) return null
  const { services } = servicesOf(context)
  const { db } = services
  const entry = await readEntry(db, toId(params.id))
  if (!entry) throw notFound()
  const { ids: _, ...filter } = readFilter(new URL(request.url).searchParams, entry.edicion)
  const [candidate, contact, messages, neighbours, duplicates] = await Promise.all([
    readCandidateStatus(db, entry.id),
    readContact(services, entry),
    listMessages(db, { entryId: entry.id }),
    readNeighbours(db, filter, entry.id),
    listLikelyDuplicates(db, entry.id),
  ])
  const address = (id: number) =>
    `/organizadores/documentos/${id}?llave=${documentTokenOf(context, access.session, id)}`
  const maySeeBody = may(access.session.role, 'cuerpo')
  const documents = entry.documents.map((one) => ({
    ...one,
    address: maySeeBody || !kindOf(one.clase).isReserved ? address(one.id) : undefined,
  }))
  const mayDelete = may(access.session.role, 'privacidad')
  return {
    entry: { ...entry, documents },
    candidate,
    contact,
    messages,
    filter,
    neighbours,
    duplicates,
    maySeeBody,
    mayDelete,
    now: services.clock.now(),
  }
}

const MAY_NOT_EDIT_SITE =
  'Llevarla al sitio es de quien escribe el sitio, y tu cuenta no lo hace. Pídeselo a quien lleva «El sitio».'

const BAR_DECISIONS: Readonly<Record<string, EntryState>> = { aceptar: 'aceptada', rechazar: 'rechazada' }

/** Carries out a form of the screen; a refusal returns the typed values, so that they stay. */
export async function action({ params, request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const { db } = services
  const form = await request.formData()
  const text = (name: string) => readField(form, name)
  const view = { id: toId(params.id), version: toId(text('version')), at: services.clock.now() }
  const actor = actorOf(context, session)
  const intent = text('hacer')
  /** The result is shown beside this form. */
  const place = text('desde') === 'barra' ? 'barra' : intent
  const to = BAR_DECISIONS[intent] ?? parseState(text('estado'))
  const note = text('nota')
  const isForPerson = form.get('paraPersona') === 'si'
  const contactFields = Object.values(FORMS)
    .flatMap(contactFieldsOf)
    .filter(({ name }) => form.has(name))
  const typedValues = Object.fromEntries(contactFields.map(({ name }) => [name, text(name)]))
  const sentValues = {
    place,
    intent,
    note,
    isForPerson,
    state: to,
    documentId: text('documento'),
    typedValues,
  }
  if (intent === 'candidata') {
    if (!may(session.role, 'sitio'))
      return data({ ok: false as const, message: MAY_NOT_EDIT_SITE, ...sentValues }, { status: 403 })
    const done = await makeCandidate(services, view.id, actor)
    const message = makeCandidateMessage(done)
    if (done.ok) return { ok: true as const, place, intent, message }
    return data({ ok: false as const, message, ...sentValues }, { status: done.reason === 'busy' ? 503 : 422 })
  }
  const notify = (tx: typeof db) => notifyOfTransition(tx, services, view.id, actor)
  const requested = { documentId: toId(text('documento')), note, notify }
  const done = await refuseIfDiskFull(services, async () => {
    if (intent === 'deshacer') return undoChange(db, view, actor)
    if (intent === 'pedir') return requestDocument(db, view, requested, actor)
    if (intent === 'contacto') return correctContact(db, view, typedValues, actor)
    return to
      ? changeState(db, view, { to, note, isForEntrant: isForPerson }, actor)
      : ({ ok: false, reason: 'estado' } as const)
  })
  if (done.ok)
    return {
      ok: true as const,
      place,
      intent,
      message: place === 'barra' ? BAR_MESSAGES[intent]! : SAVED_MESSAGE,
    }
  if (done.reason === 'sin-espacio')
    return data({ ok: false as const, message: DISK_FULL_MESSAGE, ...sentValues }, { status: DISK_FULL_STATUS })
  const message =
    done.reason === 'version'
      ? `No se guardó: mientras tanto ${done.author ?? 'la persona inscrita'} cambió esta inscripción${
          done.at ? ` (${formatDateTime(done.at)})` : ''
        } y ahora está «${ENTRY_STATE_NAMES[done.estado]}». Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`
      : CHANGE_MESSAGES[done.reason]
  const checked = checkContact({ fields: contactFields }, typedValues)
  const errors = Object.fromEntries((checked.ok ? [] : checked.campos).map(({ campo, message }) => [campo, message]))
  return data({ ok: false as const, message, ...sentValues, errors }, { status: done.reason === 'version' ? 409 : 422 })
}

const SAVED_MESSAGE = 'Listo: el cambio quedó guardado.'
const BAR_MESSAGES: Readonly<Record<string, string>> = {
  aceptar: 'Listo: quedó aceptada.',
  rechazar: 'Listo: quedó rechazada.',
  deshacer: 'Se deshizo: está como antes.',
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateUnlessView as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Inscripción' }, args)

export default function EntryScreen({ loaderData, actionData }: Route.ComponentProps) {
  // The key drops the messages of one entry when another one opens.
  return loaderData && <EntryContent key={loaderData.entry.id} loaderData={loaderData} actionData={actionData} />
}

interface EntryContentProps {
  loaderData: NonNullable<Route.ComponentProps['loaderData']>
  actionData: Route.ComponentProps['actionData']
}

function EntryContent({ loaderData, actionData }: EntryContentProps) {
  const { entry, candidate, contact, messages, now, filter, neighbours, duplicates, maySeeBody, mayDelete } = loaderData
  const { id, tipo, folio, titular, detalle, estado, edad, receivedAt, fields } = entry
  const listPath = useBackToList()
  const openDocument = useOpenDocument(entry.documents)
  const isNarrow = useIsNarrow()
  const [isRequesting, setIsRequesting] = useState(false)
  const currentDocuments = entry.documents.filter(({ replacedAt }) => !replacedAt)
  const replacedDocuments = entry.documents.filter(({ replacedAt }) => replacedAt)
  const outcomeOf = (place: string) => (actionData?.place === place ? actionData : undefined)
  const requestOutcome = outcomeOf('pedir')
  useEffect(() => {
    if (requestOutcome?.ok) setIsRequesting(false)
  }, [requestOutcome])
  return (
    <>
      <nav className={styles.path} aria-label="Lista">
        <Link to={listPath} className={styles.wayBack}>
          Inscripciones
        </Link>
        {neighbours.previous && (
          <Link
            to={entryAddress(neighbours.previous.id, filter)}
            rel="prev"
            data-shortcut="k p"
            title={neighbours.previous.titular}
          >
            Anterior
          </Link>
        )}
        {neighbours.next && (
          <Link
            to={entryAddress(neighbours.next.id, filter)}
            rel="next"
            data-shortcut="j n"
            title={neighbours.next.titular}
          >
            Siguiente
          </Link>
        )}
        <KeyboardShortcuts />
      </nav>
      <Heading title={titular} />
      <p className={styles.summary}>
        <StateLabel state={estado} /> {detalle ?? ENTRY_TYPE_NAMES[tipo]}
        {edad !== null && <>, {edad} años</>} · folio <b className={styles.folio}>{folio}</b> · recibida{' '}
        <time dateTime={receivedAt.toISOString()} title={formatDateTime(receivedAt)}>
          {formatPastMoment(receivedAt, now)}
        </time>
      </p>
      <SimilarEntries duplicates={duplicates} />
      <div className={styles.columns}>
        <section aria-labelledby="documentos" className={styles.documents}>
          <h2 id="documentos" className="visually-hidden">
            Documentos
          </h2>
          {entry.hasIdenticalVoterCardSides && (
            <p className={styles.mark}>Los dos lados de la credencial son el mismo archivo.</p>
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
            <Contact contact={contact} />
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
              openDocument={currentDocuments.find((one) => one.id === openDocument?.id)}
              now={now}
              outcome={requestOutcome}
              isSheet={isRequesting && isNarrow}
              onClose={() => setIsRequesting(false)}
            />
            {candidate && <MakeCandidate candidate={candidate} outcome={outcomeOf('candidata')} />}
            <EntryHistory entry={entry} messages={messages} outcome={outcomeOf('deshacer')} />
            <CollapsibleSection id="llevar" title="Llevar y borrar">
              <form action="/organizadores/exportar" className={styles.carry}>
                <input type="hidden" name="formato" value="zip" />
                <input type="hidden" name="id" value={id} />
                {tipo === 'candidata' && maySeeBody && (
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
                <p className={styles.erase}>
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
