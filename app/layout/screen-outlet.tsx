import { Outlet, useRouteError } from 'react-router'
import { ErrorMessage } from './error-message.tsx'

/** Parent of all screens: a fault in one of them is told here, inside the frame, which stays as it is. */
export default Outlet

export function ErrorBoundary() {
  return <ErrorMessage error={useRouteError()} />
}
