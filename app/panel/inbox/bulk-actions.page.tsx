import type { FormEvent } from 'react'
import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_STATUS, diskFullMidwayMessage, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { listChosenEntries } from '#app/entries/data.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { CHANGE_MESSAGES, ENTRY_STATE_NAMES, ENTRY_TYPE_NAMES, MAX_NOTE_CHARACTERS } from '#app/entries/schema.ts'
import { changeState, undoChange } from '#app/entries/states/mutations.server.ts'
import { readChosenIds } from '#app/panel/chosen-ids.server.ts'
import entryStyles from '#app/panel/entry/entry.module.css'
import formStyles from '#app/panel/forms.module.css'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { NothingChosen } from '#app/panel/nothing-chosen.tsx'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import {
  BULK_ACTION_STATES,
  BULK_ACTIONS,
  type BulkAction,
  bulkOutcomeInWords,
  entryCountInWords,
  leftOutInWords,
  readBulkAction,
  readField,
  readSelectedEntries,
} from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { StateLabel } from '#app/panel/state-label.tsx'
import { useInboxUrl } from '#app/panel/use-inbox-url.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/bulk-actions.page'
import styles from './bulk-actions.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'inscripciones')).isOpen) return null
  const params = new URL(request.url).searchParams
  const { year } = await readChosenEdition(request, context)
  const { db } = servicesOf(context).services
  const { ids, leftOutCount } = await readChosenIds(db, params, year)
  const selectedEntries = ids.length === 0 ? [] : await listChosenEntries(db, year, ids)
  return {
    intent: readBulkAction(params.get('hacer')) ?? ('rechazar' as const),
    selected: selectedEntries,
    leftOut: leftOutInWords(leftOutCount),
  }
}

interface EntryOutcome {
  id: number
  /** Version that the entry has after the change, needed for the undo. */
  version: number
  folio: string
  /** Undefined for a deletion. */
  titular?: string | undefined
  /** Code of a deletion's acknowledgement. */
  acknowledgement?: string | undefined
  /** Whether a deletion is only begun, and the site finishes it later. */
  isPending?: boolean
  /** Why the entry was left unchanged; undefined if it was changed. */
  reason?: string
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const isUndo = form.get('hacer') === 'deshacer'
  const intent = readBulkAction(form.get('hacer'))
  const selectedEntries = readSelectedEntries(form)
  const note = readField(form, 'nota')
  const isForEntrant = form.get('paraPersona') === 'si'
  const refuse = (message: string, status = 422, outcomes: EntryOutcome[] = []) =>
    data(
      {
        ok: false as const,
        message,
        intent,
        isUndo,
        outcomes,
        at: services.clock.now(),
        note,
        isForEntrant,
      },
      { status },
    )
  if ((!intent && !isUndo) || selectedEntries.length === 0)
    return refuse('No elegiste ninguna. Vuelve a la lista y marca las que quieras.')
  if (intent === 'borrar' && !may(session.role, 'privacidad'))
    return refuse('Tu cuenta no borra inscripciones: pídeselo a quien administra.', 403)
  if (intent === 'borrar' && !form.has('seguro')) return refuse('Marca que entiendes que no se puede deshacer.')
  if ([...note].length > MAX_NOTE_CHARACTERS) return refuse(CHANGE_MESSAGES.nota)
  if (intent === 'borrar') await requireReauthentication(request, context, session, form)

  const actor = actorOf(context, session)
  const { year } = await readChosenEdition(request, context)
  const storedEntries = await listChosenEntries(
    services.db,
    year,
    selectedEntries.map(({ id }) => id),
  )
  const outcomes: EntryOutcome[] = []
  for (const { id, version } of selectedEntries) {
    const { folio, titular } = storedEntries.find((entry) => entry.id === id) ?? {}
    // An entry without a folio was deleted meanwhile, or is of another edition.
    if (!folio) continue
    const changeResult = await withDiskFullRefusal(services, async () => {
      if (intent === 'borrar') return deleteEntry(services, id, 'solicitud', actor)
      const seenEntry = { id, version, at: services.clock.now() }
      const change =
        isUndo || !intent
          ? await undoChange(services.db, seenEntry, actor)
          : await changeState(services.db, seenEntry, { to: BULK_ACTION_STATES[intent], note, isForEntrant }, actor)
      return change.ok ? { ...change, acknowledgementCode: undefined, isPending: false } : change
    })
    const outcome = { id, version: version + 1, folio, titular: intent === 'borrar' ? undefined : titular }
    if (changeResult.ok)
      outcomes.push({
        ...outcome,
        acknowledgement: changeResult.acknowledgementCode,
        isPending: changeResult.isPending,
      })
    else if (changeResult.reason === 'sin-espacio')
      return refuse(diskFullMidwayMessage(outcomes), DISK_FULL_STATUS, outcomes)
    else if (changeResult.reason === 'version')
      outcomes.push({
        ...outcome,
        reason: `mientras tanto ${changeResult.author ?? 'la persona inscrita'} la cambió, y está «${ENTRY_STATE_NAMES[changeResult.estado]}»`,
      })
    else outcomes.push({ ...outcome, reason: SKIP_REASONS[changeResult.reason] ?? 'ya no existe' })
  }
  return {
    ok: true as const,
    message: bulkOutcomeInWords(intent, outcomes),
    intent,
    isUndo,
    outcomes,
    at: services.clock.now(),
  }
}

const SKIP_REASONS: Readonly<Record<string, string>> = {
  estado: 'ya estaba así',
  'sin-cambio': 'ya no hay nada que deshacer',
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export { revalidateAfterFullDisk as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Varias inscripciones' }, args)

/** Asks to confirm an action on several entries, and then shows the result of each. */
export default function BulkActionsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const inboxUrl = useInboxUrl()
  if (!loaderData) return null
  const { selected, intent, leftOut } = loaderData
  const { verb } = BULK_ACTIONS[intent]
  const mustConfirm = !actionData?.ok && !actionData?.isUndo && selected.length > 0
  return (
    <>
      <p className={entryStyles.wayBack}>
        <Link to={inboxUrl}>Inscripciones</Link>
      </p>
      <ScreenHeading title={mustConfirm ? `¿${verb} ${entryCountInWords(selected.length)}?` : 'Varias a la vez'} />
      {actionData && <OutcomeNotice outcome={actionData} />}
      {actionData && actionData.outcomes.length > 0 && <OutcomeList {...actionData} />}
      {!actionData && selected.length === 0 && <NothingChosen inboxUrl={inboxUrl} />}
      {actionData && <UndoForm {...actionData} isBusy={isBusy} preventResubmit={preventResubmit} />}
      {mustConfirm && leftOut && <Warning>{leftOut}</Warning>}
      {mustConfirm && (
        <Form method="post" onSubmit={preventResubmit} className={styles.question}>
          <input type="hidden" name="hacer" value={intent} />
          <ul className={styles.selectedEntries}>
            {selected.map(({ id, version, folio, titular, detalle, tipo, estado }) => (
              <li key={id}>
                <label>
                  <input type="checkbox" name="id" value={`${id}:${version}`} defaultChecked />
                  <span>
                    {titular} <small>{detalle ?? ENTRY_TYPE_NAMES[tipo]}</small>
                  </span>
                </label>
                <span className={styles.folio}>{folio}</span>
                <StateLabel state={estado} />
              </li>
            ))}
          </ul>
          <div className={formStyles.form}>
            {intent === 'borrar' ? (
              <>
                <p>
                  Se borran sus datos, sus documentos con sus versiones anteriores y los correos que se les enviaron. De
                  cada una queda un acuse.
                </p>
                <label className={formStyles.checkbox}>
                  <input type="checkbox" name="seguro" required />
                  Entiendo que no se puede deshacer
                </label>
              </>
            ) : (
              <>
                <label htmlFor="nota">Nota (opcional, para la organización)</label>
                <textarea
                  id="nota"
                  name="nota"
                  rows={3}
                  maxLength={MAX_NOTE_CHARACTERS}
                  defaultValue={actionData?.ok === false ? actionData.note : undefined}
                />
                <label className={formStyles.checkbox}>
                  <input
                    type="checkbox"
                    name="paraPersona"
                    value="si"
                    defaultChecked={actionData?.ok === false && actionData.isForEntrant}
                  />
                  Cada persona también la lee, con su folio
                </label>
              </>
            )}
            <p className={formStyles.buttons}>
              <Button type="submit" look="outline" isBusy={isBusy}>
                {BULK_ACTIONS[intent].buttonText}
              </Button>
              <Link to={inboxUrl} className={styles.cancel}>
                Dejarlas como están
              </Link>
            </p>
          </div>
        </Form>
      )}
    </>
  )
}

interface UndoProps {
  intent: BulkAction | undefined
  outcomes: EntryOutcome[]
  isBusy: boolean
  preventResubmit(event: FormEvent<HTMLFormElement>): void
}

/** Shows the button that undoes the action, unless it was a deletion; an entry that has changed since is then left as it is. */
function UndoForm({ intent, outcomes, isBusy, preventResubmit }: UndoProps) {
  const changedOutcomes = outcomes.filter(({ reason }) => reason === undefined)
  if (!intent || intent === 'borrar' || changedOutcomes.length === 0) return null
  return (
    <Form method="post" onSubmit={preventResubmit} className={styles.undo}>
      {changedOutcomes.map(({ id, version }) => (
        <input type="hidden" name="id" value={`${id}:${version}`} key={id} />
      ))}
      <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="deshacer">
        Deshacer {changedOutcomes.length === 1 ? 'el cambio' : `los ${changedOutcomes.length} cambios`}
      </Button>
    </Form>
  )
}

interface OutcomeListProps {
  intent: BulkAction | undefined
  outcomes: EntryOutcome[]
  at: Date
}

/** Lists the result of each entry. A deleted entry's folio and acknowledgement are never shown together again. */
const OutcomeList = ({ intent, outcomes, at }: OutcomeListProps) => (
  <section className={formStyles.acknowledgement} aria-labelledby="resultado">
    <h2 id="resultado">{intent === 'borrar' ? 'Acuses de borrado' : 'Qué pasó con cada una'}</h2>
    {intent === 'borrar' && (
      <p>
        Del {formatDateTime(at)}, hora de la Ciudad de México. Guárdalos para quien te los pida: no se vuelven a mostrar
        juntos.
      </p>
    )}
    <ul className={styles.outcomes}>
      {outcomes.map(({ folio, titular, acknowledgement, isPending, reason }) => (
        <li key={folio}>
          <span className={styles.folio}>{folio}</span> {titular && `${titular}, `}
          {reason ? (
            `no: ${reason}`
          ) : acknowledgement ? (
            <>
              <b>{acknowledgement}</b>
              {isPending && ', empezado: el sitio lo termina por sí solo'}
            </>
          ) : intent && intent !== 'borrar' ? (
            ENTRY_STATE_NAMES[BULK_ACTION_STATES[intent]]
          ) : (
            'como antes'
          )}
        </li>
      ))}
    </ul>
  </section>
)
