import type { ComponentProps } from 'react'
import { irA } from '#app/ui/links/navigate.ts'
import { Button } from './button.tsx'

/**
 * A button that leads to a screen, where the specification asks for a button and not a link. Its form makes it work
 * without JavaScript.
 */
export function Ir({ a, className, ...button }: { a: string } & Omit<ComponentProps<typeof Button>, 'type'>) {
  return (
    <form
      action={a}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        irA(a)
      }}
    >
      <Button {...button} type="submit" />
    </form>
  )
}
