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
import { BULK_ACTIONS, readFilter, toId, toParams } from '#app/panel/rules.ts'
import { useRememberedList } from '#app/panel/use-back-to-list.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/entries.page'
import styles from './entries.module.css'
import { EntryList } from './entry-list.tsx'
import { visitInbox } from './inbox-summary.server.ts'
import { InboxSummary } from './inbox-summary.tsx'
import { useScrollIntoView } from './use-scroll-into-view.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'inscripciones')
  // The frame shows the login wall instead of this screen.
  if (!access.isOpen) return null
  const { db, clock } = servicesOf(context).services
  const params = new URL(request.url).searchParams
  const filter = readFilter(params, (await readChosenEdition(request, context)).year)
  // The summary stands above the whole list only, not above a filtered one or a later page.
  const summary = params.size > 0 ? undefined : await visitInbox(db, access.session.userId, filter.edition, clock.now())
  const edge = (name: string) => toId(params.get(name)) || undefined
  const page = await listEntries(db, filter, { olderThan: edge('desde'), newerThan: edge('hasta') })
  return {
    filter,
    summary,
    ...page,
    maySeeBody: may(access.session.role, 'cuerpo'),
    mayDelete: may(access.session.role, 'privacidad'),
    now: clock.now(),
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Inscripciones' }, args)

const TYPES: { type: EntryType | undefined; text: string }[] = [
  { type: undefined, text: 'Todas' },
  { type: 'candidata', text: 'Candidatas' },
  { type: 'traje', text: 'Trajes típicos' },
]

/** Closes the list of actions on Escape, as a menu does; `closeBehind` closes the list when the focus leaves it. */
function closeByEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}
function closeBehind({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false
}

const STATE_PLURALS: Record<EntryState, string> = {
  recibida: 'Recibidas',
  'en-revision': 'En revisión',
  'falta-documento': 'Faltan documentos',
  aceptada: 'Aceptadas',
  rechazada: 'Rechazadas',
}

const Menu = ({ title, note, children }: { title: string; note: string; children: ReactNode }) => (
  <details className={styles.menu} onKeyDown={closeByEscape} onBlur={closeBehind}>
    <summary className={buttonLook('outline')}>{title}</summary>
    <div>
      <p>{note}</p>
      {children}
    </div>
  </details>
)

export default function EntriesScreen({ loaderData }: Route.ComponentProps) {
  const counts = useOutletContext<EntryCounts>()
  const { search } = useLocation()
  useRememberedList(search)
  const filters = useRef<HTMLElement>(null)
  useScrollIntoView(filters, '[aria-current]', search)
  if (!loaderData) return null
  const { filter, summary, rows, newerThan, olderThan, maySeeBody, mayDelete, now } = loaderData
  const { type, state, isOutsideAgeRange, text } = filter
  const to = (change: Partial<typeof filter>) => `/organizadores${toParams({ ...filter, ...change })}`
  const count = (one: EntryType | undefined, other?: EntryState) => {
    const countsByState = one ? [counts[one]] : Object.values(counts)
    return countsByState
      .flatMap((byState) => (other ? byState[other] : Object.values(byState)))
      .reduce((sum, number) => sum + number, 0)
      .toLocaleString('es-MX')
  }
  const chosenType = TYPES.find((one) => one.type === type)!
  const title = type ? chosenType.text : 'Inscripciones'
  const ageFilterItem = type !== 'traje' && (
    <li>
      <Link
        to={to({ isOutsideAgeRange: isOutsideAgeRange ? undefined : true })}
        aria-current={isOutsideAgeRange ? 'true' : undefined}
      >
        Fuera de {SUGGESTED_MIN_AGE}–{SUGGESTED_MAX_AGE}
      </Link>
    </li>
  )
  const page = (edge: string) => `${to({})}${toParams(filter) ? '&' : '?'}${edge}`
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

      <nav className={styles.filters} ref={filters} aria-label="Qué inscripciones">
        <ul>
          <li>
            <Link to={to({ state: undefined })} aria-current={state ? undefined : 'true'}>
              Cualquier estado
            </Link>
          </li>
          {ENTRY_STATES.map((one) => (
            <li key={one}>
              <Link to={to({ state: one })} aria-current={one === state ? 'true' : undefined}>
                {STATE_PLURALS[one]}{' '}
                <span data-waiting={(WAITING_STATES.includes(one) && count(type, one) !== '0') || undefined}>
                  {count(type, one)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
        <ul>
          {/* The chosen age filter stands first, so that it is in sight together with a chosen type. */}
          {isOutsideAgeRange && ageFilterItem}
          {TYPES.map((one) => (
            <li key={one.text}>
              <Link to={to({ type: one.type })} aria-current={one.type === type ? 'true' : undefined}>
                {one.text} <span>{count(one.type)}</span>
              </Link>
            </li>
          ))}
          {!isOutsideAgeRange && ageFilterItem}
        </ul>
      </nav>

      {rows.length === 0 ? (
        <p className={styles.nothing}>
          {text || state || isOutsideAgeRange ? (
            <>
              Ninguna inscripción es así
              {state && <> ({ENTRY_STATE_NAMES[state]})</>}.{' '}
              <Link to={to({ text: undefined, state: undefined, isOutsideAgeRange: undefined })}>
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
              <Link to={to({})}>Volver a las más recientes</Link>
              <Link to={page(`hasta=${newerThan}`)} rel="prev">
                Anteriores
              </Link>
            </>
          )}
          {olderThan !== undefined && (
            <Link to={page(`desde=${olderThan}`)} rel="next">
              Siguientes
            </Link>
          )}
        </nav>
      )}
      {/* The actions stand after the list, whose entries are chosen first; a wide screen shows them above. */}
      <div className={styles.actions}>
        <button type="submit" form="elegidas" formAction="/organizadores/impresion" className={buttonLook('outline')}>
          Imprimir
        </button>
        <Menu title="Exportar" note="Las elegidas; si no eliges ninguna, toda la lista.">
          {[
            ['xlsx', 'Excel (XLSX)'],
            ['csv', 'CSV'],
            ['zip', 'ZIP con documentos'],
          ].map(([format, name]) => (
            <button type="submit" form="elegidas" name="formato" value={format} key={format}>
              {name}
            </button>
          ))}
          {maySeeBody && type !== 'traje' && (
            <label>
              <input type="checkbox" name="cuerpo" value="si" form="elegidas" />
              Con fotos de cuerpo completo (ZIP)
            </label>
          )}
        </Menu>
        <Menu title="Varias a la vez" note="Marca en la lista las que quieras. Antes de hacerlo te preguntamos.">
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
          <button type="submit" form="elegidas" formAction="/organizadores/escribir">
            Escribir un mensaje a las elegidas
          </button>
          <button type="submit" form="elegidas" formAction="/organizadores/avisar">
            Avisar por correo a las elegidas
          </button>
        </Menu>
      </div>
    </div>
  )
}
