import { type ReactNode, useEffect, useState } from 'react'
import styles from './collapsible-section.module.css'

/** Narrower than this, what is not needed for every entry is folded. The stylesheets have the same width. */
const NARROW_QUERY = '(max-width: 56.25em)'

/** Whether the screen is a phone's; known once the page is alive. */
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
  /** What its closed line says beside the title. */
  nota?: string | undefined
  /** Something came of it, which has to be seen. */
  abre?: boolean
  children: ReactNode
}

/** A section that a phone shows closed until its title is tapped; a wide screen, and one without script, always shows it. */
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
