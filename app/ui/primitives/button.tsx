import type { ComponentProps } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './button.module.css'

type Look = 'main' | 'outline' | 'quiet'

/** The looks of a button, for a link that stands where a button would. */
export const buttonLook = (look: Look = 'main') => joinClasses(styles.button, styles[look])

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** Whether it is at work: it stays focusable and says so. The caller has to ignore further presses. */
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
