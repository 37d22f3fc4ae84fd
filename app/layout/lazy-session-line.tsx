import { type ComponentType, useEffect, useState } from 'react'
import { useMatches } from 'react-router'
import { onSesion } from '#app/accounts/sessions/browser-signals.ts'
import type { SesionProps } from './session-line.tsx'

/**
 * Loads the line at the foot of every screen for somebody signed in; for everybody else nothing, not even its script.
 */
export function Sesion() {
  const [Linea, setLinea] = useState<ComponentType<SesionProps>>()
  const handles = useMatches().map(({ handle }) => handle as Partial<Record<string, boolean>> | undefined)
  const isSaid = (name: string) => handles.some((handle) => handle?.[name])
  useEffect(
    () =>
      onSesion(() => {
        import('./session-line.tsx').then(
          ({ SesionLinea }) => setLinea(() => SesionLinea),
          () => {},
        )
      }),
    [],
  )
  return Linea && <Linea propia={isSaid('sesion')} sigue={isSaid('sigue')} resultados={isSaid('resultados')} />
}
