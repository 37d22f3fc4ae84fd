import { type ComponentType, useEffect, useState } from 'react'
import { onSession } from '#app/accounts/sessions/browser-signals.ts'

/** Renders the session line for signed-in visitors, and loads its script only on devices that have the mark of a session. */
export function LazySessionLine() {
  const [Line, setLine] = useState<ComponentType>()
  useEffect(
    () =>
      onSession(() => {
        import('./session-line.tsx').then(
          ({ SessionLine }) => setLine(() => SessionLine),
          () => {},
        )
      }),
    [],
  )
  return Line && <Line />
}
