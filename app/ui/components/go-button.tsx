import type { ComponentProps } from 'react'
import { navigateTo } from '#app/ui/navigation/navigate.ts'
import { Button } from './button.tsx'

/**
 * Renders a button that leads to a screen, where the specification asks for a button instead of a link. Its form works without
 * JavaScript.
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
