import type { ReactNode } from 'react'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { buttonLook } from './button.tsx'
import styles from './message-screen.module.css'

interface Props {
  kicker: string
  title: string
  /** Drawing behind the text; by default the upper half of a lit Ferris wheel. */
  ornament?: ReactNode
  /** Path and text of the main link; by default it leads to the home. */
  mainLink?: readonly [path: string, text: string] | undefined
  extraLink?: ReactNode
  children: ReactNode
}

/** Renders a screen with a single message, for example that it does not exist. */
export function MessageScreen({
  kicker,
  title,
  ornament,
  mainLink: [path, text] = ['/', 'Volver al inicio'],
  extraLink,
  children,
}: Props) {
  return (
    <section className={styles.message} data-horizon={ornament ? undefined : ''}>
      {ornament ?? <span className={styles.wheel} aria-hidden="true" />}
      <p className={styles.label}>{kicker}</p>
      <h1>{title}</h1>
      <div className={styles.text}>{children}</div>
      <div className={styles.links}>
        <Link to={path} className={joinClasses(buttonLook(), styles.mainLink)}>
          {text}
        </Link>
        {extraLink}
      </div>
    </section>
  )
}
