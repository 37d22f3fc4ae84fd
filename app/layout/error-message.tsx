import { use } from 'react'
import { isRouteErrorResponse } from 'react-router'
import { ErrorIdContext } from '#app/core/http/error-id.ts'
import { Mensaje } from '#app/ui/primitives/message-screen.tsx'
import { NoEncontrada } from './not-found.tsx'

const esNoEncontrada = (error: unknown) => isRouteErrorResponse(error) && error.status === 404

export const tituloDelError = (error: unknown) => (esNoEncontrada(error) ? 'Página no encontrada' : 'Algo falló')

/** What the visitor reads when a screen cannot be shown. */
export function MensajeDeError({ error }: { error: unknown }) {
  const id = use(ErrorIdContext)
  if (esNoEncontrada(error)) return <NoEncontrada />
  return (
    <Mensaje rotulo="Error" titulo="Se fue la luz un momento">
      <p>La pantalla no pudo mostrarse, y la falla es nuestra. Inténtalo de nuevo en unos minutos.</p>
      {/* Only the server knows the id; the browser leaves its text as it is. */}
      <p suppressHydrationWarning>{id ? `Si sigue igual, escríbenos y dinos este número: ${id}` : ''}</p>
    </Mensaje>
  )
}
