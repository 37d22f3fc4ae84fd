import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { Route } from './+types/status.page'
import { listDiagnosticos } from './data.server.ts'
import { remedioParaComite } from './rules.ts'
import type { DiagnosticoGuardado, Nivel } from './schema.ts'
import styles from './status.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await abrirPuerta(request, context, 'estado')).abierta) return null
  return { diagnosticos: await listDiagnosticos(servicesOf(context).services.db) }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Estado' }, args)

const EN_PALABRAS: Record<Nivel, string> = { ok: 'Bien', aviso: 'Revisar', falla: 'No funciona' }

const RESUMEN: Record<Nivel, string> = {
  ok: 'Todo está bien.',
  aviso: 'El sitio funciona. Hay algo que conviene revisar.',
  falla: 'Algo no funciona. Abajo dice qué hacer.',
}

/** How the site is, as its watch found it within the last minutes. */
export default function Estado({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { diagnosticos } = loaderData
  const worst = diagnosticos[0]?.nivel
  return (
    <>
      <h1 className={styles.titulo}>Estado</h1>
      {worst === undefined ? (
        <p className={styles.resumen}>El sitio acaba de arrancar y todavía se está revisando. Vuelve en un minuto.</p>
      ) : (
        <p className={styles.resumen} data-nivel={worst}>
          {RESUMEN[worst]}
        </p>
      )}
      <ul className={styles.lista}>
        {diagnosticos.map((one) => (
          <Renglon key={one.de} {...one} />
        ))}
      </ul>
      {diagnosticos[0] && (
        <p className={styles.pie}>
          El sitio se revisa solo cada minuto; lo de otras máquinas, cada diez. Lo último:{' '}
          {enMexico(newest(diagnosticos))}. Cuando algo deja de funcionar, te llega un correo, y otro cuando se compone.
        </p>
      )}
    </>
  )
}

const newest = (all: readonly DiagnosticoGuardado[]) =>
  new Date(Math.max(...all.map(({ vistoAt }) => vistoAt.getTime())))

function Renglon({ de, titulo, nivel, dice, remedio, desde }: DiagnosticoGuardado) {
  return (
    <li className={styles.renglon} data-nivel={nivel}>
      <h2>{titulo}</h2>
      <p className={styles.nivel}>{EN_PALABRAS[nivel]}</p>
      <div className={styles.dicho}>
        <p>{dice}</p>
        {nivel !== 'ok' && remedio && <p className={styles.remedio}>{remedioParaComite(de, remedio)}</p>}
        {nivel === 'falla' && <p className={styles.desde}>Desde el {enMexico(desde)}.</p>}
      </div>
    </li>
  )
}
