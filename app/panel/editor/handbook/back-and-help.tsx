import { Enlace } from '#app/ui/links/link.tsx'
import styles from './back-and-help.module.css'
import { SECTIONS, type Section } from './sections.ts'

interface Props {
  a?: string
  texto?: string
  /** The screen's section in the handbook. */
  como: Section
}

/** A link back, and a link to the screen's section of the handbook. */
export const BackAndHelp = ({ a = '/organizadores/sitio', texto = 'El sitio', como }: Props) => (
  <p className={styles.volver}>
    <Enlace to={a}>← {texto}</Enlace>
    <HelpLink como={como} />
  </p>
)

/** Opens the handbook in a new tab, so that the form stays as it is. */
export const HelpLink = ({ como }: { como: Section }) => (
  <a href={`/organizadores/sitio/manual#${SECTIONS[como]}`} target="_blank" rel="noreferrer">
    ¿Cómo se hace?
  </a>
)
