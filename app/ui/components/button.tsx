import type { ComponentProps } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './button.module.css'

type Look = 'main' | 'outline' | 'quiet'

/** Returns the classes of a button's look, also for links that look like buttons. */
export const buttonLook = (look: Look = 'main') => joinClasses(styles.button, styles[look])

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** Whether the action is running. The button stays focusable, so the caller has to ignore further clicks. */
  isBusy?: boolean
}

export function Button({ look, isBusy = false, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy || undefined}
      className={joinClasses(buttonLook(look), className)}
    />
  )
}
