import { Enlace } from '#app/ui/links/link.tsx'
import styles from './back-and-help.module.css'
import { SECTIONS, type Section } from './sections.ts'

interface Props {
  a?: string
  texto?: string
  /** What the screen is called in the handbook. */
  como: Section
}

/** The way back, and the handbook's section about what is done here. */
export const BackAndHelp = ({ a = '/organizadores/sitio', texto = 'El sitio', como }: Props) => (
  <p className={styles.volver}>
    <Enlace to={a}>← {texto}</Enlace>
    <HelpLink como={como} />
  </p>
)

/** In a tab of its own: whoever is writing goes on where she was. */
export const HelpLink = ({ como }: { como: Section }) => (
  <a href={`/organizadores/sitio/manual#${SECTIONS[como]}`} target="_blank" rel="noreferrer">
    ¿Cómo se hace?
  </a>
)
