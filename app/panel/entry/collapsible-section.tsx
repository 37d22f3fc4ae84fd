import { type ReactNode, useEffect, useState } from 'react'
import styles from './collapsible-section.module.css'

/** On narrower screens, sections that not every entry needs are folded. The stylesheets use the same width. */
const NARROW_QUERY = '(max-width: 56.25em)'

/** Whether the screen is as narrow as a phone's; false before hydration. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(false)
  useEffect(() => {
    const query = matchMedia(NARROW_QUERY)
    const tell = () => setNarrow(query.matches)
    tell()
    query.addEventListener('change', tell)
    return () => query.removeEventListener('change', tell)
  }, [])
  return isNarrow
}

interface Props {
  id: string
  titulo: string
  /** Text beside the title while the section is closed. */
  nota?: string | undefined
  /** Whether the section has to open, for example to show the result of its form. */
  abre?: boolean
  children: ReactNode
}

/** A section that a phone shows closed until its title is tapped; on wide screens and without JavaScript it is open. */
export function CollapsibleSection({ id, titulo, nota, abre = false, children }: Props) {
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(abre)
  useEffect(() => {
    if (abre) setOpen(true)
  }, [abre])
  return (
    <section className={styles.plegable} data-abierta={isOpen || undefined} aria-labelledby={id}>
      <h2 id={id}>
        {isNarrow ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {titulo} {nota && !isOpen && <small>{nota}</small>}
          </button>
        ) : (
          titulo
        )}
      </h2>
      <div className={styles.dentro}>{children}</div>
    </section>
  )
}
