import type { ComponentProps } from 'react'
import styles from './button.module.css'
import { unir } from './clases.ts'

type Look = 'main' | 'outline' | 'quiet'

/** The looks of a button, for a link that stands where one would. */
export const buttonLook = (look: Look = 'main') => unir(styles.button, styles[look])

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** At work: stays focusable and says so; pressing it again is the caller's to ignore. */
  busy?: boolean
}

export function Button({ look, busy = false, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} aria-disabled={busy || undefined} className={unir(buttonLook(look), className)} />
  )
}
