import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { dayOf } from '#app/core/time/mexico-dates.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Route } from './+types/visits.page'
import { List, Totals, VisitsByDay } from './charts.tsx'
import { readVisits } from './data.server.ts'
import { visitsOf } from './guards.server.ts'
import { PERIODS, SOURCE_NAMES } from './source-names.ts'
import { reportPath } from './sponsor-report.server.ts'
import styles from './visits.module.css'

const DAY_MS = 86_400_000
/** Days for which the address of a sponsor's report opens. */
const REPORT_DAYS = 120

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame of the panel shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'visitas')).abierta) return null
  const { services } = servicesOf(context)
  const asked = Number(new URL(request.url).searchParams.get('dias'))
  const dias = PERIODS.find((one) => one === asked) ?? 30
  const now = services.clock.now().getTime()
  const [from, hasta, expires] = [now - (dias - 1) * DAY_MS, now, now + REPORT_DAYS * DAY_MS].map((ms) =>
    dayOf(new Date(ms)),
  ) as [string, string, string]
  await visitsOf(context).flush()
  const { patrocinadores, candidatas } = await loadEdition()
  const sums = await readVisits(services.db, from, hasta)
  const nameOf = (id: string) => candidatas.find((una) => una.id === id)?.nombre ?? id
  return {
    dias,
    sumas: { ...sums, compartidos: sums.compartidos.map(({ cual, veces }) => ({ cual: nameOf(cual), veces })) },
    informes: patrocinadores.map(({ nombre }) => ({
      nombre,
      direccion: reportPath(services, { p: nombre, desde: from, hasta, vence: expires }),
    })),
  }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Visitas' }, args)

const PERIOD_NAMES = { 7: '7 días', 30: '30 días', 365: 'Un año' }

/** The panel's screen of visits: how many, from which sources, to which screens. */
export default function Visitas({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { dias, sumas, informes } = loaderData
  return (
    <div className={styles.visitas}>
      <h1>Visitas</h1>
      <nav className={styles.periodos} aria-label="De cuándo">
        {PERIODS.map((one) => (
          <Enlace key={one} to={`/organizadores/visitas?dias=${one}`} aria-current={one === dias ? 'true' : undefined}>
            {PERIOD_NAMES[one]}
          </Enlace>
        ))}
      </nav>
      <Totals
        cifras={[
          { cifra: sumas.visitas, texto: 'visitas' },
          { cifra: sumas.vistas, texto: 'pantallas vistas' },
        ]}
      />
      <VisitsByDay dias={sumas.porDia} />
      <div className={styles.listas}>
        <List
          titulo="Qué vieron"
          vacia="Todavía nada."
          filas={sumas.porPantalla
            .slice(0, 15)
            .map(({ cual, vistas }) => ({ nombre: cual === '/' ? '/ (portada)' : cual, cuenta: vistas }))}
        />
        <List
          titulo="De dónde llegaron"
          vacia="Todavía nadie."
          filas={sumas.porFuente.map(({ fuente, visitas }) => ({ nombre: SOURCE_NAMES[fuente], cuenta: visitas }))}
        />
        <List
          titulo="Toques en las marcas de patrocinadores"
          vacia="Todavía ninguno."
          filas={sumas.patrocinadores.map(({ cual, toques }) => ({ nombre: cual, cuenta: toques }))}
        />
        <List
          titulo="Candidatas compartidas"
          vacia="Todavía ninguna."
          filas={sumas.compartidos.map(({ cual, veces }) => ({ nombre: cual, cuenta: veces }))}
        />
      </div>
      {informes.length > 0 && (
        <details className={styles.informes}>
          <summary>Para mandar a un patrocinador</summary>
          <p>
            Cada enlace abre una página con estos días: cuánta gente visitó el sitio y cuántas veces tocaron su marca,
            sin nada de las demás. Sirve {REPORT_DAYS} días a quien lo tenga.
          </p>
          <ul>
            {informes.map(({ nombre, direccion }) => (
              <li key={nombre}>
                <a href={direccion} target="_blank" rel="noopener">
                  Página para {nombre}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className={styles.como}>
        Se cuenta en el servidor, sin cookies y sin guardar direcciones ni nada que diga de una persona: sólo sumas por
        día. No cuentan los programas que leen páginas, ni más de lo razonable desde una misma red.
      </p>
    </div>
  )
}
