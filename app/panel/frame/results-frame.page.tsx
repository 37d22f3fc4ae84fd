import { Outlet } from 'react-router'
import { cuentasOf, organizadorDe } from '#app/accounts/guards.server.ts'
import type { Route } from './+types/results-frame.page'
import styles from './frame.module.css'
import { readMarco } from './frame.server.ts'
import { Marco } from './frame.tsx'

/** Puts the results, whose address is their own, into the panel's frame for whoever enters it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const sesion = await organizadorDe(request, cuentasOf(context), 'resultados')
  if (!sesion || sesion.resultadosMs <= 0) return null
  // The results stand by themselves where the frame cannot be read.
  return readMarco(request, context, sesion.rol).then(
    ({ marco }) => marco,
    () => null,
  )
}

export default function Votacion({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return <Outlet />
  return (
    <Marco {...loaderData} conSalida>
      <div className={styles.aparte}>
        <Outlet />
      </div>
    </Marco>
  )
}
