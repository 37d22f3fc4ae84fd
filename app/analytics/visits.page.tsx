import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { diaDe } from '#app/core/time/mexico-dates.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Route } from './+types/visits.page'
import { Lista, PorDia, Totales } from './charts.tsx'
import { readVisitas } from './data.server.ts'
import { visitasOf } from './guards.server.ts'
import { NOMBRE_DE_FUENTE, PERIODOS } from './source-names.ts'
import { direccionDeInforme } from './sponsor-report.server.ts'
import styles from './visits.module.css'

const DAY_MS = 86_400_000
/** For how long a sponsor's page opens. */
const INFORME_DAYS = 120

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'visitas')).abierta) return null
  const { services } = servicesOf(context)
  const asked = Number(new URL(request.url).searchParams.get('dias'))
  const dias = PERIODOS.find((one) => one === asked) ?? 30
  const now = services.clock.now().getTime()
  const [desde, hasta, vence] = [now - (dias - 1) * DAY_MS, now, now + INFORME_DAYS * DAY_MS].map((ms) =>
    diaDe(new Date(ms)),
  ) as [string, string, string]
  await visitasOf(context).flush()
  const { patrocinadores, candidatas } = await loadEdicion()
  const sumas = await readVisitas(services.db, desde, hasta)
  const nameOf = (id: string) => candidatas.find((una) => una.id === id)?.nombre ?? id
  return {
    dias,
    sumas: { ...sumas, compartidos: sumas.compartidos.map(({ cual, veces }) => ({ cual: nameOf(cual), veces })) },
    informes: patrocinadores.map(({ nombre }) => ({
      nombre,
      direccion: direccionDeInforme(services, { p: nombre, desde, hasta, vence }),
    })),
  }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Visitas' }, args)

const NOMBRE_DE_PERIODO = { 7: '7 días', 30: '30 días', 365: 'Un año' }

/** Who came: how many, from where, to what. */
export default function Visitas({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { dias, sumas, informes } = loaderData
  return (
    <div className={styles.visitas}>
      <h1>Visitas</h1>
      <nav className={styles.periodos} aria-label="De cuándo">
        {PERIODOS.map((one) => (
          <Enlace key={one} to={`/organizadores/visitas?dias=${one}`} aria-current={one === dias ? 'true' : undefined}>
            {NOMBRE_DE_PERIODO[one]}
          </Enlace>
        ))}
      </nav>
      <Totales
        cifras={[
          { cifra: sumas.visitas, texto: 'visitas' },
          { cifra: sumas.vistas, texto: 'pantallas vistas' },
        ]}
      />
      <PorDia dias={sumas.porDia} />
      <div className={styles.listas}>
        <Lista
          titulo="Qué vieron"
          vacia="Todavía nada."
          filas={sumas.porPantalla
            .slice(0, 15)
            .map(({ cual, vistas }) => ({ nombre: cual === '/' ? '/ (portada)' : cual, cuenta: vistas }))}
        />
        <Lista
          titulo="De dónde llegaron"
          vacia="Todavía nadie."
          filas={sumas.porFuente.map(({ fuente, visitas }) => ({ nombre: NOMBRE_DE_FUENTE[fuente], cuenta: visitas }))}
        />
        <Lista
          titulo="Toques en las marcas de patrocinadores"
          vacia="Todavía ninguno."
          filas={sumas.patrocinadores.map(({ cual, toques }) => ({ nombre: cual, cuenta: toques }))}
        />
        <Lista
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
            sin nada de las demás. Sirve {INFORME_DAYS} días a quien lo tenga.
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
