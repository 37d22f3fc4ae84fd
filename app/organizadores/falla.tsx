import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Confirmar, isPorConfirmar } from '#app/cuentas/confirmar.tsx'
import { isPorEntrar } from '#app/cuentas/puerta.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { Encabezado } from './encabezado.tsx'
import styles from './falla.module.css'

/** What a screen of the panel says instead of itself, within the panel; a fault of ours is for the site's own words. */
export function Falla() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && (isPorConfirmar(error.data) || isPorEntrar(error.data))) return <Confirmar />
  if (!isRouteErrorResponse(error) || typeof error.data !== 'string') throw error
  return (
    <>
      <Encabezado titulo={error.status === 404 ? 'No está' : 'No se pudo abrir'} />
      <p className={styles.falla} role="alert">
        {error.data}
      </p>
      <p>
        <Enlace to="/organizadores">Volver a las inscripciones</Enlace>
      </p>
    </>
  )
}
