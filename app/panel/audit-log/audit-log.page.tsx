import { Form } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { type AuditLogLine, listAuditLog } from '#app/audit/data.server.ts'
import { actionInWords, actorInWords, EVENT_FILTERS, networkInWords, subjectInWords } from '#app/audit/schema.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { endOfDay, formatDateTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { parseId, readField } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/audit-log.page'
import styles from './audit-log.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'bitacora')).isOpen) return null
  const params = new URL(request.url).searchParams
  const paramOf = (name: string) => readField(params, name).slice(0, 254)
  const filter = {
    clase: Object.hasOwn(EVENT_FILTERS, paramOf('clase')) ? paramOf('clase') : 'Todo',
    persona: paramOf('persona').toLowerCase(),
    desde: paramOf('desde'),
    hasta: paramOf('hasta'),
  }
  // Mexico has no daylight saving time, so the first day began 24 hours before its end.
  const [endOfFirstDay, endOfLastDay] = [endOfDay(filter.desde), endOfDay(filter.hasta)]
  const readCursor = (name: string) => parseId(params.get(name)) || undefined
  const { db, clock } = servicesOf(context).services
  const page = await listAuditLog(
    db,
    {
      que: EVENT_FILTERS[filter.clase] || undefined,
      account: filter.persona || undefined,
      from: endOfFirstDay && new Date(endOfFirstDay.getTime() - DAY_MS + 1),
      to: endOfLastDay,
    },
    { before: readCursor('antes'), after: readCursor('despues') },
  )
  return { filter, ...page, today: isoDateOf(clock.now()) }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Bitácora' }, args)

export default function AuditLogPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { filter, lines, newerThan, olderThan, today } = loaderData
  const filterParams = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''))
  const pageUrl = (name: string, cursor: number) =>
    `/organizadores/bitacora?${new URLSearchParams([...filterParams, [name, String(cursor)]])}`
  return (
    <>
      <ScreenHeading title="Bitácora" />
      <p className={styles.note}>
        Sólo crece: nadie puede cambiar ni borrar un renglón. Redes y cuentas desconocidas se guardan cifradas: dos
        iguales son la misma. De quien vota no se dice el correo ni la red: la hora en que entró delataría su voto.
      </p>
      <Form className={styles.filter} role="search" key={filterParams.toString()}>
        <SelectField
          id="clase"
          name="clase"
          label="Qué"
          options={Object.keys(EVENT_FILTERS)}
          defaultValue={filter.clase}
        />
        <TextField
          id="persona"
          name="persona"
          label="Correo de la cuenta"
          defaultValue={filter.persona}
          autoComplete="off"
        />
        <TextField id="desde" name="desde" type="date" label="Desde" max={today} defaultValue={filter.desde} />
        <TextField id="hasta" name="hasta" type="date" label="Hasta" max={today} defaultValue={filter.hasta} />
        <button type="submit" className={buttonLook('outline')}>
          Filtrar
        </button>
      </Form>
      {lines.length === 0 ? (
        <p className={styles.note}>
          No hay renglones así. <Link to="/organizadores/bitacora">Quitar los filtros</Link>
        </p>
      ) : (
        <div className={styles.frame}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Cuándo</th>
                <th scope="col">Quién</th>
                <th scope="col">Qué</th>
                <th scope="col">A qué o a quién</th>
                <th scope="col">Desde</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <AuditLogRow key={line.id} line={line} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(newerThan !== undefined || olderThan !== undefined) && (
        <nav className={styles.pagination} aria-label="Páginas">
          {newerThan !== undefined && (
            <>
              <Link to={`/organizadores/bitacora?${filterParams}`}>Volver a lo más reciente</Link>
              <Link to={pageUrl('despues', newerThan)} rel="prev">
                Más nuevos
              </Link>
            </>
          )}
          {olderThan !== undefined && (
            <Link to={pageUrl('antes', olderThan)} rel="next">
              Más antiguos
            </Link>
          )}
        </nav>
      )}
    </>
  )
}

const AuditLogRow = ({ line }: { line: AuditLogLine }) => {
  const { at, que, desde } = line
  return (
    <tr>
      <td className={styles.when}>
        <time dateTime={at.toISOString()}>{formatDateTime(at)}</time>
      </td>
      <td className={styles.text}>{actorInWords(line)}</td>
      <td className={styles.text}>{actionInWords(que)}</td>
      <td className={joinClasses(styles.text, subjectInWords(line) === undefined && styles.withoutSubject)}>
        <SubjectText line={line} />
      </td>
      <td className={styles.network} title={desde ?? undefined}>
        {networkInWords(desde)}
      </td>
    </tr>
  )
}

function SubjectText({ line }: { line: AuditLogLine }) {
  const { que, inscripcion } = line
  const subjectText = subjectInWords(line) ?? '—'
  // A deleted entry has no screen to link to.
  if (inscripcion === null || que.startsWith('borrado.')) return subjectText
  return <Link to={`/organizadores/inscripciones/${inscripcion}`}>{subjectText}</Link>
}
