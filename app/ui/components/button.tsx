import type { ComponentProps } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './button.module.css'

type Look = 'main' | 'outline' | 'quiet'

/** Classes of a button's look, also for a link that looks like a button. */
export const buttonLook = (look: Look = 'main') => joinClasses(styles.button, styles[look])

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** Whether the button's action is running: the button stays focusable, and the caller has to ignore further clicks. */
  busy?: boolean
}

export function Button({ look, busy = false, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || undefined}
      className={joinClasses(buttonLook(look), className)}
    />
  )
}
