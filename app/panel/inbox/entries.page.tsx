import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Form, useLocation, useOutletContext } from 'react-router'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { listEntries } from '#app/entries/data.server.ts'
import { SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import {
  ENTRY_STATE_NAMES,
  ENTRY_STATES,
  type EntryCounts,
  type EntryState,
  WAITING_STATES,
} from '#app/entries/schema.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { BULK_ACTIONS, filterQuery, parseId, readFilter } from '#app/panel/rules.ts'
import { useRememberInboxQuery } from '#app/panel/use-inbox-url.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/entries.page'
import styles from './entries.module.css'
import { EntryList } from './entry-list.tsx'
import { recordLookAndReadSummary } from './inbox-summary.server.ts'
import { InboxSummary } from './inbox-summary.tsx'
import { useScrollIntoView } from './use-scroll-into-view.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'inscripciones')
  if (!access.isOpen) return null
  const { db, clock } = servicesOf(context).services
  const params = new URL(request.url).searchParams
  const filter = readFilter(params, (await readChosenEdition(request, context)).year)
  // The summary is shown above the unfiltered list's first page only.
  const summary =
    params.size > 0 ? undefined : await recordLookAndReadSummary(db, access.session.userId, filter.edition, clock.now())
  const readCursor = (name: string) => parseId(params.get(name)) || undefined
  const page = await listEntries(db, filter, { olderThan: readCursor('desde'), newerThan: readCursor('hasta') })
  return {
    filter,
    summary,
    isChoosing: params.has('elegir'),
    ...page,
    maySeeFullBodyPhotos: may(access.session.role, 'cuerpo'),
    mayDelete: may(access.session.role, 'privacidad'),
    now: clock.now(),
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Inscripciones' }, args)

const TYPE_FILTERS: { type: EntryType | undefined; label: string }[] = [
  { type: undefined, label: 'Todas' },
  { type: 'candidata', label: 'Candidatas' },
  { type: 'traje', label: 'Trajes típicos' },
]

/** Closes a menu on Escape, and returns the focus to its button. */
function closeOnEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}

function closeOnBlur({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false
}

const STATE_PLURALS: Record<EntryState, string> = {
  recibida: 'Recibidas',
  'en-revision': 'En revisión',
  'falta-documento': 'Faltan documentos',
  aceptada: 'Aceptadas',
  rechazada: 'Rechazadas',
}

const WRITE_TO_CHOSEN_LABEL = 'Escribirles un mensaje'

const ActionMenu = ({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) => (
  <details className={styles.menu} onKeyDown={closeOnEscape} onBlur={closeOnBlur}>
    <summary className={buttonLook('outline')}>{title}</summary>
    <div>
      <p>{note}</p>
      {children}
    </div>
  </details>
)

export default function EntriesPage({ loaderData }: Route.ComponentProps) {
  const counts = useOutletContext<EntryCounts>()
  const { search } = useLocation()
  useRememberInboxQuery(search)
  const filters = useRef<HTMLElement>(null)
  useScrollIntoView(filters, '[aria-current]', search)
  if (!loaderData) return null
  const { filter, summary, isChoosing, rows, newerThan, olderThan, maySeeFullBodyPhotos, mayDelete, now } = loaderData
  const { type, state, isOutsideAgeRange, text } = filter
  const urlWith = (change: Partial<typeof filter>) => `/organizadores${filterQuery({ ...filter, ...change })}`
  const countText = (countedType: EntryType | undefined, countedState?: EntryState) => {
    const countsByState = countedType ? [counts[countedType]] : Object.values(counts)
    return countsByState
      .flatMap((byState) => (countedState ? byState[countedState] : Object.values(byState)))
      .reduce((sum, count) => sum + count, 0)
      .toLocaleString('es-MX')
  }
  const hasEntries = Object.values(counts).some((byState) => Object.values(byState).some((count) => count > 0))
  const chosenTypeFilter = TYPE_FILTERS.find((typeFilter) => typeFilter.type === type)!
  const title = type ? chosenTypeFilter.label : 'Inscripciones'
  const ageFilterItem = type !== 'traje' && (
    <li>
      <Link
        to={urlWith({ isOutsideAgeRange: isOutsideAgeRange ? undefined : true })}
        aria-current={isOutsideAgeRange ? 'true' : undefined}
      >
        Fuera de {SUGGESTED_MIN_AGE}–{SUGGESTED_MAX_AGE}
      </Link>
    </li>
  )
  const pageUrl = (cursorQuery: string) => `${urlWith({})}${filterQuery(filter) ? '&' : '?'}${cursorQuery}`
  return (
    <div className={styles.page}>
      <header className={styles.headline}>
        <h1>{title}</h1>
        {summary && <InboxSummary {...summary} />}
      </header>

      <Form action="/organizadores" role="search" className={styles.searchBox}>
        {type && <input type="hidden" name="tipo" value={type} />}
        {state && <input type="hidden" name="estado" value={state} />}
        {isOutsideAgeRange && <input type="hidden" name="edad" value="fuera" />}
        <input
          type="search"
          name="buscar"
          key={text}
          defaultValue={text}
          maxLength={120}
          aria-label="Buscar por nombre, folio, correo o celular"
          placeholder="Nombre, folio o celular"
          autoComplete="off"
        />
        <button type="submit" className={buttonLook('quiet')}>
          Buscar
        </button>
      </Form>

      {hasEntries && (
        <nav className={styles.filters} ref={filters} aria-label="Qué inscripciones">
          <ul>
            <li>
              <Link to={urlWith({ state: undefined })} aria-current={state ? undefined : 'true'}>
                Cualquier estado
              </Link>
            </li>
            {ENTRY_STATES.map((entryState) => (
              <li key={entryState}>
                <Link to={urlWith({ state: entryState })} aria-current={entryState === state ? 'true' : undefined}>
                  {STATE_PLURALS[entryState]}{' '}
                  <span
                    data-waiting={
                      (WAITING_STATES.includes(entryState) && countText(type, entryState) !== '0') || undefined
                    }
                  >
                    {countText(type, entryState)}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          <ul>
            {/* A chosen age filter comes first, so that it is in sight together with a chosen type. */}
            {isOutsideAgeRange && ageFilterItem}
            {TYPE_FILTERS.map((typeFilter) => (
              <li key={typeFilter.label}>
                <Link
                  to={urlWith({ type: typeFilter.type })}
                  aria-current={typeFilter.type === type ? 'true' : undefined}
                >
                  {typeFilter.label} <span>{countText(typeFilter.type)}</span>
                </Link>
              </li>
            ))}
            {!isOutsideAgeRange && ageFilterItem}
          </ul>
        </nav>
      )}

      {isChoosing && rows.length > 0 && (
        <p className={styles.choosing}>
          Marca a quiénes les escribes y toca «{WRITE_TO_CHOSEN_LABEL}». Con los filtros ves sólo las que te interesan.
        </p>
      )}

      {rows.length === 0 ? (
        <p className={styles.nothing}>
          {text || state || isOutsideAgeRange ? (
            <>
              Ninguna inscripción es así
              {state && <> ({ENTRY_STATE_NAMES[state]})</>}.{' '}
              <Link to={urlWith({ text: undefined, state: undefined, isOutsideAgeRange: undefined })}>
                Quitar los filtros
              </Link>
            </>
          ) : (
            'Todavía no hay inscripciones. En cuanto alguien envíe un formulario completo, aparecerá aquí.'
          )}
        </p>
      ) : (
        <EntryList
          rows={rows}
          hasOtherPages={newerThan !== undefined || olderThan !== undefined}
          filter={filter}
          now={now}
        />
      )}

      {(newerThan !== undefined || olderThan !== undefined) && (
        <nav className={styles.pages} aria-label="Páginas">
          {newerThan !== undefined && (
            <>
              <Link to={urlWith({})}>Volver a las más recientes</Link>
              <Link to={pageUrl(`hasta=${newerThan}`)} rel="prev">
                Anteriores
              </Link>
            </>
          )}
          {olderThan !== undefined && (
            <Link to={pageUrl(`desde=${olderThan}`)} rel="next">
              Siguientes
            </Link>
          )}
        </nav>
      )}
      {/* The actions follow the list, whose entries are chosen first; a wide screen shows them above it. */}
      {hasEntries && (
        <div className={styles.actions}>
          <button
            type="submit"
            form="elegidas"
            formAction="/organizadores/escribir"
            className={joinClasses(buttonLook('outline'), styles.forChosen)}
          >
            {WRITE_TO_CHOSEN_LABEL}
          </button>
          <button type="submit" form="elegidas" formAction="/organizadores/impresion" className={buttonLook('outline')}>
            Imprimir
          </button>
          <ActionMenu title="Exportar" note="Las elegidas; si no eliges ninguna, toda la lista.">
            {[
              ['xlsx', 'Excel (XLSX)'],
              ['csv', 'CSV'],
              ['zip', 'ZIP con documentos'],
            ].map(([format, name]) => (
              <button type="submit" form="elegidas" name="formato" value={format} key={format}>
                {name}
              </button>
            ))}
            {maySeeFullBodyPhotos && type !== 'traje' && (
              <label>
                <input type="checkbox" name="cuerpo" value="si" form="elegidas" />
                Con fotos de cuerpo completo (ZIP)
              </label>
            )}
          </ActionMenu>
          <ActionMenu
            title="Varias a la vez"
            note={
              <>
                <span className={styles.forNone}>Marca en la lista las que quieras. </span>
                Antes de hacerlo te preguntamos.
              </>
            }
          >
            <button type="submit" form="elegidas" formAction="/organizadores/avisar">
              Mandarles su resultado
            </button>
            {Object.entries(BULK_ACTIONS)
              .filter(([intent]) => mayDelete || intent !== 'borrar')
              .map(([intent, { buttonText }]) => (
                <button
                  type="submit"
                  form="elegidas"
                  formAction="/organizadores/varias"
                  name="hacer"
                  value={intent}
                  key={intent}
                >
                  {buttonText}
                </button>
              ))}
          </ActionMenu>
        </div>
      )}
    </div>
  )
}
