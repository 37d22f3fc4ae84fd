import { type ReactNode, useEffect, useState } from 'react'
import styles from './collapsible-section.module.css'

/** Matches narrow screens as the stylesheets of this folder do. */
const NARROW_QUERY = '(max-width: 900px)'

/** Returns whether the screen is narrow (NARROW_QUERY); false before hydration. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(false)
  useEffect(() => {
    const query = matchMedia(NARROW_QUERY)
    const update = () => setNarrow(query.matches)
    update()
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [])
  return isNarrow
}

interface Props {
  id: string
  title: string
  /** Text beside the title of a closed section on a phone. */
  note?: string | undefined
  /** Opens the section, for example to show the result of its form; the organiser may close it again. */
  mustOpen?: boolean
  children: ReactNode
}

/** Shows a section that is closed on a phone until its title is tapped; on wide screens and without JavaScript it is open. */
export function CollapsibleSection({ id, title, note, mustOpen = false, children }: Props) {
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(mustOpen)
  useEffect(() => {
    if (mustOpen) setOpen(true)
  }, [mustOpen])
  return (
    <section className={styles.section} data-open={isOpen || undefined} aria-labelledby={id}>
      <h2 id={id}>
        {isNarrow ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {title} {note && !isOpen && <small>{note}</small>}
          </button>
        ) : (
          title
        )}
      </h2>
      <div className={styles.content}>{children}</div>
    </section>
  )
}
