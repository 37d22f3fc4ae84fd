import { Enlace } from '#app/ui/links/link.tsx'
import styles from './back-and-help.module.css'
import { SECCIONES, type Seccion } from './sections.ts'

interface Props {
  a?: string
  texto?: string
  /** What the screen is called in the handbook. */
  como: Seccion
}

/** The way back, and the handbook's section about what is done here. */
export const Volver = ({ a = '/organizadores/sitio', texto = 'El sitio', como }: Props) => (
  <p className={styles.volver}>
    <Enlace to={a}>← {texto}</Enlace>
    <ComoSeHace como={como} />
  </p>
)

/** In a tab of its own: whoever is writing goes on where she was. */
export const ComoSeHace = ({ como }: { como: Seccion }) => (
  <a href={`/organizadores/sitio/manual#${SECCIONES[como]}`} target="_blank" rel="noreferrer">
    ¿Cómo se hace?
  </a>
)
