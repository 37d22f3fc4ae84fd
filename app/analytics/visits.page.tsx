import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/visits.page'
import { CountList, Totals, VisitsByDay } from './charts.tsx'
import { readVisits } from './data.server.ts'
import { visitsOf } from './guards.server.ts'
import { PERIOD_DAYS, SOURCE_NAMES } from './source-names.ts'
import { reportPath } from './sponsor-report.server.ts'
import styles from './visits.module.css'

/** The URL of a sponsor's report opens for this many days. */
const REPORT_DAYS = 120

export async function loader({ request, context }: Route.LoaderArgs) {
  // The panel's layout shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'visitas')).isOpen) return null
  const { services } = servicesOf(context)
  const requestedDays = Number(new URL(request.url).searchParams.get('dias'))
  const days = PERIOD_DAYS.find((period) => period === requestedDays) ?? 30
  const nowMs = services.clock.now().getTime()
  const [firstDay, lastDay, expiryDay] = [nowMs - (days - 1) * DAY_MS, nowMs, nowMs + REPORT_DAYS * DAY_MS].map((ms) =>
    isoDateOf(new Date(ms)),
  ) as [string, string, string]
  await visitsOf(context).flush()
  const { patrocinadores, candidatas } = await loadEdition()
  const sums = await readVisits(services.db, firstDay, lastDay)
  const nameOf = (id: string) => candidatas.find((candidate) => candidate.id === id)?.nombre ?? id
  return {
    days,
    sums: {
      ...sums,
      shares: sums.shares.map(({ candidateId, count }) => ({ name: nameOf(candidateId), count })),
    },
    reports: patrocinadores.map(({ nombre }) => ({
      sponsorName: nombre,
      path: reportPath(services, { p: nombre, desde: firstDay, hasta: lastDay, vence: expiryDay }),
    })),
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Visitas al sitio web' }, args)

const PERIOD_NAMES = { 7: '7 días', 30: '30 días', 365: 'Un año' }

export default function VisitsPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { days, sums, reports } = loaderData
  return (
    <div className={styles.visits}>
      <h1>Visitas al sitio web</h1>
      <nav className={styles.periods} aria-label="De cuándo">
        {PERIOD_DAYS.map((period) => (
          <Link
            key={period}
            to={`/organizadores/visitas?dias=${period}`}
            aria-current={period === days ? 'true' : undefined}
          >
            {PERIOD_NAMES[period]}
          </Link>
        ))}
      </nav>
      <Totals
        figures={[
          { value: sums.visits, label: 'visitas' },
          { value: sums.views, label: 'pantallas vistas' },
        ]}
      />
      <VisitsByDay days={sums.byDay} />
      <div className={styles.lists}>
        <CountList
          title="Qué vieron"
          emptyText="Todavía nada."
          rows={sums.byScreen
            .slice(0, 15)
            .map(({ path, views }) => ({ name: path === '/' ? '/ (portada)' : path, count: views }))}
        />
        <CountList
          title="De dónde llegaron"
          emptyText="Todavía nadie."
          rows={sums.bySource.map(({ source, visits }) => ({ name: SOURCE_NAMES[source], count: visits }))}
        />
        <CountList
          title="Toques en las marcas de patrocinadores"
          emptyText="Todavía ninguno."
          rows={sums.sponsors.map(({ name, taps }) => ({ name, count: taps }))}
        />
        <CountList title="Candidatas compartidas" emptyText="Todavía ninguna." rows={sums.shares} />
      </div>
      {reports.length > 0 && (
        <details className={styles.reports}>
          <summary>Para mandar a un patrocinador</summary>
          <p>
            Cada enlace abre una página con estos días: cuánta gente visitó el sitio y cuántas veces tocaron su marca,
            sin nada de las demás. Sirve {REPORT_DAYS} días a quien lo tenga.
          </p>
          <ul>
            {reports.map(({ sponsorName, path }) => (
              <li key={sponsorName}>
                <a href={path} target="_blank" rel="noopener">
                  Página para {sponsorName}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className={styles.method}>
        Se cuenta en el servidor, sin cookies y sin guardar direcciones ni nada que diga de una persona: sólo sumas por
        día. No cuentan los programas que dicen que lo son, como los de los buscadores; ni, de los toques y de lo
        compartido, más de lo razonable desde una misma red. Las visitas no tienen ese tope, porque muchos celulares del
        pueblo pueden salir por una misma red: un programa insistente podría inflarlas.
      </p>
    </div>
  )
}
