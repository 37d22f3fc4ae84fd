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
  title: string
  /** Text beside the title while the section is closed. */
  note?: string | undefined
  /** Whether the section has to open, for example to show the result of its form. */
  mustOpen?: boolean
  children: ReactNode
}

/** A section that a phone shows closed until its title is tapped; on wide screens and without JavaScript it is open. */
export function CollapsibleSection({ id, title, note, mustOpen = false, children }: Props) {
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(mustOpen)
  useEffect(() => {
    if (mustOpen) setOpen(true)
  }, [mustOpen])
  return (
    <section className={styles.foldable} data-abierta={isOpen || undefined} aria-labelledby={id}>
      <h2 id={id}>
        {isNarrow ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {title} {note && !isOpen && <small>{note}</small>}
          </button>
        ) : (
          title
        )}
      </h2>
      <div className={styles.inside}>{children}</div>
    </section>
  )
}
