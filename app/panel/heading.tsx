import type { ReactNode } from 'react'
import styles from './heading.module.css'

/** Title of a screen of the panel, and what can be done with all of it. */
export const Heading = ({ titulo, children }: { titulo: string; children?: ReactNode }) => (
  <header className={styles.encabezado}>
    <h1>{titulo}</h1>
    {children && <div className={styles.acciones}>{children}</div>}
  </header>
)
