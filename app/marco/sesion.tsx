import { type ComponentType, useEffect, useState } from 'react'
import { useMatches } from 'react-router'
import { onSesion } from '#app/cuentas/sesion-abierta.ts'
import type { SesionProps } from './sesion-linea.tsx'

/**
 * Loads the line at the foot of every screen for somebody signed in; for everybody else nothing, not even its script.
 */
export function Sesion() {
  const [Linea, setLinea] = useState<ComponentType<SesionProps>>()
  const handles = useMatches().map(({ handle }) => handle as { sesion?: boolean; sigue?: boolean } | undefined)
  const propia = handles.some((handle) => handle?.sesion)
  const sigue = handles.some((handle) => handle?.sigue)
  useEffect(
    () =>
      onSesion(() => {
        import('./sesion-linea.tsx').then(
          ({ SesionLinea }) => setLinea(() => SesionLinea),
          () => {},
        )
      }),
    [],
  )
  return Linea && <Linea propia={propia} sigue={sigue} />
}
