import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Form, useLocation, useOutletContext } from 'react-router'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { listEntries } from '#app/entries/data.server.ts'
import { SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { type Counts, type EntryState, STATE_NAMES, STATES } from '#app/entries/schema.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Heading } from '#app/panel/heading.tsx'
import { BULK_ACTIONS, readFilter, toId, toParams } from '#app/panel/rules.ts'
import { useRememberedList } from '#app/panel/use-back-to-list.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/entries.page'
import styles from './entries.module.css'
import { EntryList } from './entry-list.tsx'
import { readInboxSummary } from './inbox-summary.server.ts'
import { InboxSummary } from './inbox-summary.tsx'
import { useScrollIntoView } from './use-scroll-into-view.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'inscripciones')
  // The frame shows the login wall instead of this screen.
  if (!entrance.abierta) return null
  const { services } = servicesOf(context)
  const { db, clock } = services
  const params = new URL(request.url).searchParams
  const filter = readFilter(params, (await readChosenEdition(request, context)).anio)
  // The summary stands above the whole list only, not above a filtered one or a later page.
  const inboxSummary = params.size > 0 ? undefined : await readInboxSummary(services, entrance.sesion, filter.edicion)
  const edge = (name: string) => toId(params.get(name)) || undefined
  const page = await listEntries(db, filter, { desde: edge('desde'), hasta: edge('hasta') })
  return {
    filtro: filter,
    escritorio: inboxSummary,
    ...page,
    veCuerpo: may(entrance.sesion.rol, 'cuerpo'),
    borra: may(entrance.sesion.rol, 'privacidad'),
    ahora: clock.now(),
  }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Inscripciones' }, args)

const TYPES: { tipo: EntryType | undefined; texto: string }[] = [
  { tipo: undefined, texto: 'Todas' },
  { tipo: 'candidata', texto: 'Candidatas' },
  { tipo: 'traje', texto: 'Trajes típicos' },
]

/** Like a menu, the list of actions closes on Escape, and when the focus leaves it. */
function closeByEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}
function closeBehind({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false
}

/** Names of the filters by state, in the plural. */
const STATE_PLURALS: Record<EntryState, string> = {
  recibida: 'Recibidas',
  'en-revision': 'En revisión',
  'falta-documento': 'Faltan documentos',
  aceptada: 'Aceptadas',
  rechazada: 'Rechazadas',
}

/** A menu of actions on the chosen entries. */
const Menu = ({ titulo, nota, children }: { titulo: string; nota: string; children: ReactNode }) => (
  <details className={styles.menu} onKeyDown={closeByEscape} onBlur={closeBehind}>
    <summary className={buttonLook('outline')}>{titulo}</summary>
    <div>
      <p>{nota}</p>
      {children}
    </div>
  </details>
)

/** Every entry of the edition, newest first. */
export default function Inscripciones({ loaderData }: Route.ComponentProps) {
  const accounts = useOutletContext<Counts>()
  const { search } = useLocation()
  useRememberedList(search)
  const filters = useRef<HTMLElement>(null)
  useScrollIntoView(filters, '[aria-current]', search)
  if (!loaderData) return null
  const { filtro, escritorio, renglones, antes, sigue, veCuerpo, borra, ahora } = loaderData
  const { tipo, estado, fueraDeEdad, texto } = filtro
  const to = (change: Partial<typeof filtro>) => `/organizadores${toParams({ ...filtro, ...change })}`
  const count = (one: EntryType | undefined, other?: EntryState) => {
    const counted = one ? [accounts[one]] : Object.values(accounts)
    return counted
      .flatMap((byState) => (other ? byState[other] : Object.values(byState)))
      .reduce((sum, number) => sum + number, 0)
      .toLocaleString('es-MX')
  }
  const chosen = TYPES.find((one) => one.tipo === tipo)!
  const title = tipo ? chosen.texto : 'Inscripciones'
  const outside = tipo !== 'traje' && (
    <li>
      <Enlace to={to({ fueraDeEdad: fueraDeEdad ? undefined : true })} aria-current={fueraDeEdad ? 'true' : undefined}>
        Fuera de {SUGGESTED_MIN_AGE}–{SUGGESTED_MAX_AGE}
      </Enlace>
    </li>
  )
  const page = (edge: string) => `${to({})}${toParams(filtro) ? '&' : '?'}${edge}`
  return (
    <>
      <Heading titulo={title}>
        <button type="submit" form="elegidas" formAction="/organizadores/impresion" className={buttonLook('outline')}>
          Imprimir
        </button>
        <Menu titulo="Exportar" nota="Las elegidas; si no eliges ninguna, toda la lista.">
          {[
            ['xlsx', 'Excel (XLSX)'],
            ['csv', 'CSV'],
            ['zip', 'ZIP con documentos'],
          ].map(([format, name]) => (
            <button type="submit" form="elegidas" name="formato" value={format} key={format}>
              {name}
            </button>
          ))}
          {veCuerpo && tipo !== 'traje' && (
            <label>
              <input type="checkbox" name="cuerpo" value="si" form="elegidas" />
              Con fotos de cuerpo completo (ZIP)
            </label>
          )}
        </Menu>
        <Menu titulo="Varias a la vez" nota="Marca en la lista las que quieras. Antes de hacerlo te preguntamos.">
          {Object.entries(BULK_ACTIONS)
            .filter(([intent]) => borra || intent !== 'borrar')
            .map(([intent, { boton }]) => (
              <button
                type="submit"
                form="elegidas"
                formAction="/organizadores/varias"
                name="hacer"
                value={intent}
                key={intent}
              >
                {boton}
              </button>
            ))}
          <button type="submit" form="elegidas" formAction="/organizadores/avisar">
            Avisar por correo a las elegidas
          </button>
        </Menu>
      </Heading>

      {escritorio && accounts && <InboxSummary escritorio={escritorio} conteo={accounts} />}

      <Form action="/organizadores" role="search" className={styles.buscar}>
        {tipo && <input type="hidden" name="tipo" value={tipo} />}
        {estado && <input type="hidden" name="estado" value={estado} />}
        {fueraDeEdad && <input type="hidden" name="edad" value="fuera" />}
        <input
          type="search"
          name="buscar"
          key={texto}
          defaultValue={texto}
          maxLength={120}
          aria-label="Buscar por nombre, folio, correo o celular"
          placeholder="Buscar por nombre, folio o celular"
          autoComplete="off"
        />
        <button type="submit" className={buttonLook('outline')}>
          Buscar
        </button>
      </Form>

      <nav className={styles.filtros} ref={filters} aria-label="Qué inscripciones">
        <ul>
          {/* The chosen age filter stands first, so that it is in sight together with a chosen type. */}
          {fueraDeEdad && outside}
          {TYPES.map((one) => (
            <li key={one.texto}>
              <Enlace to={to({ tipo: one.tipo })} aria-current={one.tipo === tipo ? 'true' : undefined}>
                {one.texto} <span>{count(one.tipo)}</span>
              </Enlace>
            </li>
          ))}
          {!fueraDeEdad && outside}
        </ul>
        <ul>
          <li>
            <Enlace to={to({ estado: undefined })} aria-current={estado ? undefined : 'true'}>
              Cualquier estado
            </Enlace>
          </li>
          {STATES.map((one) => (
            <li key={one}>
              <Enlace to={to({ estado: one })} aria-current={one === estado ? 'true' : undefined}>
                {STATE_PLURALS[one]} <span>{count(tipo, one)}</span>
              </Enlace>
            </li>
          ))}
        </ul>
      </nav>

      {renglones.length === 0 ? (
        <p className={styles.nada}>
          {texto || estado || fueraDeEdad ? (
            <>
              Ninguna inscripción es así
              {estado && <> ({STATE_NAMES[estado]})</>}.{' '}
              <Enlace to={to({ texto: undefined, estado: undefined, fueraDeEdad: undefined })}>
                Quitar los filtros
              </Enlace>
            </>
          ) : (
            'Todavía no hay inscripciones. En cuanto alguien envíe un formulario completo, aparecerá aquí.'
          )}
        </p>
      ) : (
        <EntryList renglones={renglones} filtro={filtro} ahora={ahora} />
      )}

      {(antes !== undefined || sigue !== undefined) && (
        <nav className={styles.paginas} aria-label="Páginas">
          {antes !== undefined && (
            <>
              <Enlace to={to({})}>Volver a las más recientes</Enlace>
              <Enlace to={page(`hasta=${antes}`)} rel="prev">
                Anteriores
              </Enlace>
            </>
          )}
          {sigue !== undefined && (
            <Enlace to={page(`desde=${sigue}`)} rel="next">
              Siguientes
            </Enlace>
          )}
        </nav>
      )}
    </>
  )
}
