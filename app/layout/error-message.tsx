import { use } from 'react'
import { isRouteErrorResponse } from 'react-router'
import { ErrorIdContext } from '#app/core/http/error-id.ts'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { NotFound } from './not-found.tsx'

const isNotFound = (error: unknown) => isRouteErrorResponse(error) && error.status === 404

export const errorTitle = (error: unknown) => (isNotFound(error) ? 'Página no encontrada' : 'Algo falló')

/** Shows a message in place of a screen that failed or does not exist. */
export function ErrorMessage({ error }: { error: unknown }) {
  const id = use(ErrorIdContext)
  if (isNotFound(error)) return <NotFound />
  return (
    <MessageScreen kicker="Error" title="Se fue la luz un momento">
      <p>La pantalla no pudo mostrarse, y la falla es nuestra. Inténtalo de nuevo en unos minutos.</p>
      {/* Only the server knows the error id; hydration leaves the text as served. */}
      <p suppressHydrationWarning>{id ? `Si sigue igual, escríbenos y dinos este número: ${id}` : ''}</p>
    </MessageScreen>
  )
}
