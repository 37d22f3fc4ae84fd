import { Outlet, useRouteError } from 'react-router'
import { ErrorMessage } from './error-message.tsx'

/** This route is the parent of all screens: a screen's error is shown here, inside the layout, which stays. */
export default Outlet

export function ErrorBoundary() {
  return <ErrorMessage error={useRouteError()} />
}
