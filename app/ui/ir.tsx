import type { ComponentProps } from 'react'
import { useNavigate } from 'react-router'
import { Button } from './button.tsx'

/**
 * A button that leads to a screen, where the specification has a button and not a link. It is a form, so that it works
 * without JavaScript.
 */
export function Ir({ a, className, ...button }: { a: string } & Omit<ComponentProps<typeof Button>, 'type'>) {
  const navigate = useNavigate()
  return (
    <form
      action={a}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        navigate(a, { preventScrollReset: true })
      }}
    >
      <Button {...button} type="submit" />
    </form>
  )
}
