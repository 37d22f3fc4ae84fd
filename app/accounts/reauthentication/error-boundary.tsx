import { isRouteErrorResponse, useLocation, useRouteError } from 'react-router'
import { isAwaitingSignIn } from '#app/accounts/sign-in/login-wall.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './error-boundary.module.css'
import { isAwaitingReauthentication, ReauthenticationBoundary } from './prompt.tsx'

/** Labels of the links to the list of a part of the panel, by its path. Screens of other parts lead back to the entries. */
const BACK_LINKS: Record<string, string> = {
  '/organizadores/mensajes': 'Volver a los mensajes',
  '/organizadores/sitio': 'Volver a «El sitio»',
}

/**
 * Catches the errors of the panel's screens. For a form on hold it shows the login or the prompt of the reauthentication, for a
 * refusal its message; other errors go on to the boundary above.
 */
export function PanelErrorBoundary() {
  const error = useRouteError()
  const { pathname } = useLocation()
  if (isRouteErrorResponse(error) && (isAwaitingReauthentication(error.data) || isAwaitingSignIn(error.data)))
    return <ReauthenticationBoundary />
  if (!isRouteErrorResponse(error) || typeof error.data !== 'string') throw error
  const isForbidden = error.status === 403
  const part = pathname.split('/', 3).join('/')
  const backTo = !isForbidden && BACK_LINKS[part] ? part : '/organizadores'
  return (
    <>
      <h1 className={styles.title}>{error.status === 404 ? 'No está' : 'No se pudo abrir'}</h1>
      <p className={styles.fault} role="alert">
        {error.data}
      </p>
      <p>
        <Link to={backTo} className={buttonLook('outline')}>
          {isForbidden ? 'Ir al panel' : (BACK_LINKS[backTo] ?? 'Volver a las inscripciones')}
        </Link>
      </p>
    </>
  )
}
