import type { ListedEdition } from '#app/cms/editions/years.server.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './publish-link.module.css'

/** Returns the title of the screen that lists a draft's changes. Only the displayed edition is published there. */
export const publishTitle = ({ isCurrent }: Pick<ListedEdition, 'isCurrent'>) => (isCurrent ? 'Publicar' : 'Cambios')

interface Props {
  edition: ListedEdition
  changeCount: number
  className?: string | undefined
}

/** Links to the screen that lists a draft's changes and publishes them. */
export const PublishLink = ({ edition, changeCount, className }: Props) => (
  <Link
    to="/organizadores/sitio/publicar"
    className={joinClasses(buttonLook(changeCount > 0 && edition.isCurrent ? 'main' : 'outline'), className)}
  >
    {publishTitle(edition)} {changeCount > 0 && <b className={styles.changeCount}>{changeCount}</b>}
  </Link>
)
