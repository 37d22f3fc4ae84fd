import { data } from 'react-router'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { delDiaAlDia, diaDe } from '#app/core/time/mexico-dates.ts'
import type { Route } from './+types/sponsor-report.page'
import { Lista, PorDia, Totales } from './charts.tsx'
import { readVisitas } from './data.server.ts'
import { NOMBRE_DE_FUENTE } from './source-names.ts'
import { readInforme } from './sponsor-report.server.ts'
import styles from './visits.module.css'

export const handle = { noindex: true, prefetch: false }

/** What a sponsor is sent: how many came, and how often its own mark was tapped. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const informe = readInforme(services, params.clave, diaDe(services.clock.now()))
  if (!informe) throw data('Este enlace ya no sirve. Pide otro al comité organizador.', { status: 404 })
  const { nombre, anio } = await loadFicha()
  const { visitas, vistas, porDia, porFuente, patrocinadores } = await readVisitas(
    services.db,
    informe.desde,
    informe.hasta,
  )
  return {
    titulo: `${nombre} ${anio}`,
    patrocinador: informe.p,
    dias: delDiaAlDia(informe.desde, informe.hasta),
    ...{ visitas, vistas, porDia, porFuente },
    toques: patrocinadores.find(({ cual }) => cual === informe.p)?.toques ?? 0,
  }
}

export const headers = () => ({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Visitas del sitio' }, args)

export default function PaginaDePatrocinador({ loaderData }: Route.ComponentProps) {
  const { titulo, patrocinador, dias, visitas, vistas, porDia, porFuente, toques } = loaderData
  return (
    <section className={styles.informe}>
      <h1>{patrocinador}</h1>
      <p className={styles.entrada}>
        Visitas del sitio de {titulo}, {dias}.
      </p>
      <Totales
        cifras={[
          { cifra: visitas, texto: 'visitas al sitio' },
          { cifra: vistas, texto: 'pantallas vistas' },
          { cifra: toques, texto: 'toques en tu marca' },
        ]}
      />
      <PorDia dias={porDia} />
      <Lista
        titulo="De dónde llegaron"
        vacia="Todavía nadie."
        filas={porFuente.map(({ fuente, visitas: cuenta }) => ({ nombre: NOMBRE_DE_FUENTE[fuente], cuenta }))}
      />
      <p className={styles.como}>
        Cada visita es una pantalla abierta desde fuera del sitio. Se cuentan en el servidor, sin cookies ni datos de
        nadie; los programas que leen páginas no cuentan.
      </p>
    </section>
  )
}
