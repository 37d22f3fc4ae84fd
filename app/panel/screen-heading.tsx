import type { ReactNode } from 'react'
import styles from './screen-heading.module.css'

/** Shows the title of a panel screen, with the actions that apply to the whole screen. */
export const ScreenHeading = ({ title, children }: { title: string; children?: ReactNode }) => (
  <header className={styles.headline}>
    <h1>{title}</h1>
    {children && <div className={styles.actions}>{children}</div>}
  </header>
)
