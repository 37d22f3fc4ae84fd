import type { ReactNode } from 'react'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './sash.module.css'

interface Props {
  como?: 'h1' | 'h2' | 'h3' | 'p'
  id?: string
  className?: string | undefined
  children: ReactNode
}

/** The satin sash with a name on it, three degrees askew. The screen decides where it crosses a photograph's edge. */
export function Banda({ como: Elemento = 'p', id, className, children }: Props) {
  return (
    <Elemento id={id} className={unir(styles.banda, className)}>
      <span>{children}</span>
    </Elemento>
  )
}
