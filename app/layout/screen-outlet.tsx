import { Outlet, useRouteError } from 'react-router'
import { MensajeDeError } from './error-message.tsx'

/** Parent of all screens: a fault in one of them is told here, inside the frame, which stays as it is. */
export default Outlet

export function ErrorBoundary() {
  return <MensajeDeError error={useRouteError()} />
}
