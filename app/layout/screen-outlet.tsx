import { Outlet, useRouteError } from 'react-router'
import { ErrorMessage } from './error-message.tsx'

/** The parent route of all screens. Its error boundary shows a screen's error within the layout, with the root loader's data. */
export default Outlet

export function ErrorBoundary() {
  return <ErrorMessage error={useRouteError()} />
}
