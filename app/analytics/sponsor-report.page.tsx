import { data } from 'react-router'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateRange, isoDateOf } from '#app/core/time/mexico-dates.ts'
import type { Route } from './+types/sponsor-report.page'
import { CountList, Totals, VisitsByDay } from './charts.tsx'
import { readVisits } from './data.server.ts'
import { SOURCE_NAMES } from './source-names.ts'
import { readSponsorReport } from './sponsor-report.server.ts'
import styles from './visits.module.css'

export const handle = { noindex: true, prefetch: false }

/**
 * Loads a sponsor's report, with the visits of the site and the taps on the sponsor's logo. Answers 404 for a forged or expired
 * link.
 */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const report = readSponsorReport(services, params.clave, isoDateOf(services.clock.now()))
  if (!report) throw data('Este enlace ya no sirve. Pide otro al comité organizador.', { status: 404 })
  const { nombre, anio } = await loadEditionCard()
  const { visits, views, byDay, bySource, sponsors } = await readVisits(services.db, report.desde, report.hasta)
  return {
    title: `${nombre} ${anio}`,
    sponsor: report.p,
    dayRange: formatDateRange(report.desde, report.hasta),
    visits,
    views,
    byDay,
    bySource,
    taps: sponsors.find(({ name }) => name === report.p)?.taps ?? 0,
  }
}

export const headers = () => ({ ...PRIVATE_HEADERS, 'referrer-policy': 'no-referrer' })

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Visitas del sitio' }, args)

export default function SponsorReportPage({ loaderData }: Route.ComponentProps) {
  const { title, sponsor, dayRange, visits, views, byDay, bySource, taps } = loaderData
  return (
    <section className={styles.report}>
      <h1>{sponsor}</h1>
      <p className={styles.lead}>
        Visitas del sitio de {title}, {dayRange}.
      </p>
      <Totals
        figures={[
          { value: visits, label: 'visitas al sitio' },
          { value: views, label: 'pantallas vistas' },
          { value: taps, label: 'toques en tu marca' },
        ]}
      />
      <VisitsByDay days={byDay} />
      <CountList
        title="De dónde llegaron"
        emptyText="Todavía nadie."
        rows={bySource.map(({ source, visits }) => ({ name: SOURCE_NAMES[source], count: visits }))}
      />
      <p className={styles.method}>
        Cada visita es una pantalla abierta desde fuera del sitio. Se cuentan en el servidor, sin cookies ni datos de
        nadie; los programas que dicen que lo son, como los de los buscadores, no cuentan.
      </p>
    </section>
  )
}
