import { type ComponentType, useEffect, useState } from 'react'
import { useMatches } from 'react-router'
import { onSession } from '#app/accounts/sessions/browser-signals.ts'
import type { SessionProps } from './session-line.tsx'

/** Renders the session line for signed-in visitors, and loads its script for them only. */
export function LazySessionLine() {
  const [Line, setLine] = useState<ComponentType<SessionProps>>()
  const handles = useMatches().map(({ handle }) => handle as Partial<Record<string, boolean>> | undefined)
  const hasHandle = (name: string) => handles.some((handle) => handle?.[name])
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
  return (
    Line && (
      <Line
        hasOwnSignOut={hasHandle('hasOwnSignOut')}
        staysOnSessionEnd={hasHandle('staysOnSessionEnd')}
        isResultsScreen={hasHandle('isResultsScreen')}
      />
    )
  )
}
