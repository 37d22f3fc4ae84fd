import { Form } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { type AuditLogLine, listAuditLog } from '#app/audit/data.server.ts'
import { actionInWords, actorInWords, KINDS, sourceInWords, subjectInWords } from '#app/audit/schema.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { dayOf, endOfDay, formatDateTime } from '#app/core/time/mexico-dates.ts'
import { Heading } from '#app/panel/heading.tsx'
import { readField, toId } from '#app/panel/rules.ts'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/audit-log.page'
import styles from './audit-log.module.css'

const DAY_MS = 24 * 60 * 60_000

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'bitacora')).abierta) return null
  const params = new URL(request.url).searchParams
  const text = (name: string) => readField(params, name).slice(0, 254)
  const filter = {
    clase: Object.hasOwn(KINDS, text('clase')) ? text('clase') : 'Todo',
    persona: text('persona').toLowerCase(),
    desde: text('desde'),
    hasta: text('hasta'),
  }
  const [firstDay, lastDay] = [endOfDay(filter.desde), endOfDay(filter.hasta)]
  const edge = (name: string) => toId(params.get(name)) || undefined
  const page = await listAuditLog(
    servicesOf(context).services.db,
    {
      que: KINDS[filter.clase] || undefined,
      persona: filter.persona || undefined,
      desde: firstDay && new Date(firstDay.getTime() - DAY_MS + 1),
      hasta: lastDay,
    },
    { antes: edge('antes'), despues: edge('despues') },
  )
  return { filtro: filter, ...page, hoy: dayOf(new Date()) }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Bitácora' }, args)

/** The audit log: time, actor, action, subject and origin. It is append-only. */
export default function Bitacora({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { filtro, lineas, masNuevas, masAntiguas, hoy } = loaderData
  const asked = new URLSearchParams(Object.entries(filtro).filter(([, value]) => value !== ''))
  const page = (name: string, edge: number) =>
    `/organizadores/bitacora?${new URLSearchParams([...asked, [name, String(edge)]])}`
  return (
    <>
      <Heading titulo="Bitácora" />
      <p className={styles.nota}>
        Sólo crece: nadie puede cambiar ni borrar un renglón. Redes y cuentas desconocidas se guardan cifradas: dos
        iguales son la misma. De quien vota no se dice el correo ni la red: la hora en que entró delataría su voto.
      </p>
      <Form className={styles.filtro} role="search" key={asked.toString()}>
        <SelectField id="clase" name="clase" label="Qué" options={Object.keys(KINDS)} defaultValue={filtro.clase} />
        <TextField
          id="persona"
          name="persona"
          label="Correo de la cuenta"
          defaultValue={filtro.persona}
          autoComplete="off"
        />
        <TextField id="desde" name="desde" type="date" label="Desde" max={hoy} defaultValue={filtro.desde} />
        <TextField id="hasta" name="hasta" type="date" label="Hasta" max={hoy} defaultValue={filtro.hasta} />
        <button type="submit" className={buttonLook('outline')}>
          Filtrar
        </button>
      </Form>
      {lineas.length === 0 ? (
        <p className={styles.nota}>
          No hay renglones así. <Enlace to="/organizadores/bitacora">Quitar los filtros</Enlace>
        </p>
      ) : (
        <div className={styles.marco}>
          <table className={styles.lista}>
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
              {lineas.map((line) => (
                <Line key={line.id} linea={line} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(masNuevas !== undefined || masAntiguas !== undefined) && (
        <nav className={styles.paginas} aria-label="Páginas">
          {masNuevas !== undefined && (
            <>
              <Enlace to={`/organizadores/bitacora?${asked}`}>Volver a lo más reciente</Enlace>
              <Enlace to={page('despues', masNuevas)} rel="prev">
                Más nuevos
              </Enlace>
            </>
          )}
          {masAntiguas !== undefined && (
            <Enlace to={page('antes', masAntiguas)} rel="next">
              Más antiguos
            </Enlace>
          )}
        </nav>
      )}
    </>
  )
}

const Line = ({ linea }: { linea: AuditLogLine }) => {
  const { at, que, desde } = linea
  return (
    <tr>
      <td className={styles.cuando}>
        <time dateTime={at.toISOString()}>{formatDateTime(at)}</time>
      </td>
      <td className={styles.texto}>{actorInWords(linea)}</td>
      <td className={styles.texto}>{actionInWords(que)}</td>
      <td className={styles.texto}>
        <LineSubject linea={linea} />
      </td>
      <td className={styles.red} title={desde ?? undefined}>
        {sourceInWords(desde)}
      </td>
    </tr>
  )
}

function LineSubject({ linea }: { linea: AuditLogLine }) {
  const { que, inscripcion } = linea
  const text = subjectInWords(linea) ?? '—'
  // A deleted entry has no screen to link to.
  if (inscripcion === null || que.startsWith('borrado.')) return text
  return <Enlace to={`/organizadores/inscripciones/${inscripcion}`}>{text}</Enlace>
}
