import { Link } from '#app/ui/navigation/link.tsx'
import styles from './back-and-help.module.css'
import { HANDBOOK_SECTIONS, type HandbookSection } from './handbook-sections.ts'

interface Props {
  to?: string
  text?: string
  /** Section of the handbook that explains the screen. */
  section: HandbookSection
}

export const BackAndHelp = ({ to = '/organizadores/sitio', text = 'El sitio', section }: Props) => (
  <p className={styles.back}>
    <Link to={to}>← {text}</Link>
    <HelpLink section={section} />
  </p>
)

/** Links to the handbook in a new tab, so that the form keeps its state. */
export const HelpLink = ({ section }: { section: HandbookSection }) => (
  <a href={`/organizadores/sitio/manual#${HANDBOOK_SECTIONS[section]}`} target="_blank" rel="noreferrer">
    ¿Cómo se hace?
  </a>
)
