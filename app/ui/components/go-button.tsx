import type { ComponentProps } from 'react'
import { navigateTo } from '#app/ui/navigation/navigate.ts'
import { Button } from './button.tsx'

/**
 * A button that leads to a screen, where the specification asks for a button and not a link. Its form makes it work
 * without JavaScript.
 */
export function GoButton({ to, className, ...button }: { to: string } & Omit<ComponentProps<typeof Button>, 'type'>) {
  return (
    <form
      action={to}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        navigateTo(to)
      }}
    >
      <Button {...button} type="submit" />
    </form>
  )
}
