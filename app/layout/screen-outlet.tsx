import { Outlet, useRouteError } from 'react-router'
import { ErrorMessage } from './error-message.tsx'

/** This route is the parent of all screens: an error of a screen is shown here, and the root loader's data stay. */
export default Outlet

export function ErrorBoundary() {
  return <ErrorMessage error={useRouteError()} />
}
