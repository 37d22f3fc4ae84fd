import type { ReactNode, Ref } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './banner.module.css'

interface BannerProps {
  tone: 'good' | 'bad'
  /** The outcome: the only content of the live region, so that a screen reader announces nothing else. */
  message: string
  /** Buttons or text below the message. */
  children?: ReactNode
  /** ARIA role of the message: by default `alert`, which interrupts a screen reader, for a bad outcome, else `status`. */
  role?: 'status' | 'alert'
  /** Banner's element, for callers that move the focus to the outcome. */
  ref?: Ref<HTMLDivElement>
  id?: string
}

/** Renders the outcome of an action, green or red. */
export function Banner({ tone, message, children, role = tone === 'good' ? 'status' : 'alert', ref, id }: BannerProps) {
  return (
    <div className={joinClasses(styles.banner, styles[tone])} ref={ref} id={id} tabIndex={-1}>
      <svg className={styles.mark} viewBox="0 0 24 24" aria-hidden="true">
        <path d={tone === 'good' ? 'm5 12.5 4.5 4.5L19 7.5' : 'M12 6v7.5m0 3.6v.4'} />
      </svg>
      <div className={styles.body}>
        <p className={styles.message} role={role}>
          {message}
        </p>
        {children}
      </div>
    </div>
  )
}

/** Renders a warning that is there from the start, and so needs no live region. */
export const Warning = ({ children, id }: { children: ReactNode; id?: string }) => (
  <p className={styles.warning} id={id}>
    {children}
  </p>
)
