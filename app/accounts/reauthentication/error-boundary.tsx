import { isRouteErrorResponse, useRouteError } from 'react-router'
import { isAwaitingSignIn } from '#app/accounts/sign-in/login-wall.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './error-boundary.module.css'
import { isAwaitingReauthentication, ReauthenticationBoundary } from './prompt.tsx'

/**
 * Catches the errors of the panel's screens. For a form on hold it shows the login or the prompt of the reauthentication, for a
 * refusal its message; other errors go on to the boundary above.
 */
export function PanelErrorBoundary() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && (isAwaitingReauthentication(error.data) || isAwaitingSignIn(error.data)))
    return <ReauthenticationBoundary />
  if (!isRouteErrorResponse(error) || typeof error.data !== 'string') throw error
  return (
    <>
      <h1 className={styles.title}>{error.status === 404 ? 'No está' : 'No se pudo abrir'}</h1>
      <p className={styles.fault} role="alert">
        {error.data}
      </p>
      <p>
        <Link to="/organizadores" className={buttonLook('outline')}>
          {error.status === 403 ? 'Ir al panel' : 'Volver a las inscripciones'}
        </Link>
      </p>
    </>
  )
}
