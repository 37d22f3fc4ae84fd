import { Link } from '#app/ui/navigation/link.tsx'
import styles from './back-and-help.module.css'
import { SECTIONS, type Section } from './sections.ts'

interface Props {
  to?: string
  text?: string
  /** The screen is explained in this section of the handbook. */
  section: Section
}

export const BackAndHelp = ({ to = '/organizadores/sitio', text = 'El sitio', section }: Props) => (
  <p className={styles.back}>
    <Link to={to}>← {text}</Link>
    <HelpLink section={section} />
  </p>
)

/** Opens the handbook in a new tab, so that the form stays as it is. */
export const HelpLink = ({ section }: { section: Section }) => (
  <a href={`/organizadores/sitio/manual#${SECTIONS[section]}`} target="_blank" rel="noreferrer">
    ¿Cómo se hace?
  </a>
)
