import { Outlet, useRouteError } from 'react-router'
import { MensajeDeError } from './error.tsx'

/** All screens: a fault in one of them is told inside the frame, which stays as it is. */
export default Outlet

export function ErrorBoundary() {
  return <MensajeDeError error={useRouteError()} />
}
