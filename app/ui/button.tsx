import type { ComponentProps } from 'react'
import styles from './button.module.css'
import { unir } from './clases.ts'

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'main' | 'outline' | 'quiet'
  /** At work: stays focusable and says so; pressing it again is the caller's to ignore. */
  busy?: boolean
}

export function Button({ look = 'main', busy = false, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || undefined}
      className={unir(styles.button, styles[look], className)}
    />
  )
}
