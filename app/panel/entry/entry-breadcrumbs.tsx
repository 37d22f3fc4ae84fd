import type { EntryFilter, Neighbour } from '#app/entries/schema.ts'
import { entryUrl } from '#app/panel/rules.ts'
import { OTHER_SECTIONS_ID } from '#app/panel/shell/sections.ts'
import { useInboxUrl } from '#app/panel/use-inbox-url.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './entry.module.css'
import { KeyboardShortcuts } from './keyboard-shortcuts.tsx'

interface Props {
  neighbours: { previous?: Neighbour | undefined; next?: Neighbour | undefined }
  filter: EntryFilter
}

/** Shows the ways from an entry to the list, to its neighbours in the list and, on a phone, to the panel's other sections. */
export function EntryBreadcrumbs({ neighbours, filter }: Props) {
  const inboxUrl = useInboxUrl()
  return (
    <nav className={styles.breadcrumbs} aria-label="Lista">
      <Link to={inboxUrl} className={styles.wayBack}>
        Inscripciones
      </Link>
      {neighbours.previous && (
        <Link
          to={entryUrl(neighbours.previous.id, filter)}
          rel="prev"
          data-shortcut="k p"
          title={neighbours.previous.titular}
        >
          Anterior
        </Link>
      )}
      {neighbours.next && (
        <Link to={entryUrl(neighbours.next.id, filter)} rel="next" data-shortcut="j n" title={neighbours.next.titular}>
          Siguiente
        </Link>
      )}
      <KeyboardShortcuts />
      {/* On a phone the decisions stand where the panel's bar has this button. */}
      <button type="button" popoverTarget={OTHER_SECTIONS_ID} className={styles.otherSections}>
        Más
      </button>
    </nav>
  )
}
