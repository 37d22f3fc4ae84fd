import { type ReactNode, useEffect, useState } from 'react'
import { CheckField } from '#app/ui/forms/field.tsx'

/** Returns the `type` of password fields, and the box that shows what is typed in them. @param id of the box */
export function useShownPassword(id: string): { type: 'text' | 'password'; box: ReactNode } {
  const [isShown, setIsShown] = useState(false)
  // Without JavaScript the box can show nothing.
  const [isHydrated, setIsHydrated] = useState(false)
  useEffect(() => setIsHydrated(true), [])
  return {
    type: isShown ? 'text' : 'password',
    box: (
      <CheckField
        id={id}
        label="Ver contraseña"
        disabled={!isHydrated}
        checked={isShown}
        onChange={({ target }) => setIsShown(target.checked)}
      />
    ),
  }
}
