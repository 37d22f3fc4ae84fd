import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Picture } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import styles from './page-header.module.css'

interface Props {
  titulo: string
  /** The link to the other press page. */
  otra: { a: string; titulo: string }
  /** Portrait beside the title, and the name of the person. */
  retrato?: { imagen: Picture; quien: string } | undefined
  children: ReactNode
}

const LABEL = 'Material para prensa'

/** The head of a press page: its title, and the terms of use of its pictures. */
export function PageHeader({ titulo, otra, retrato, children }: Props) {
  const words = (
    <>
      <p className={styles.otra}>
        También: <Enlace to={otra.a}>{otra.titulo}</Enlace>
      </p>
      <div className={styles.terminos}>
        {retrato && <p className={styles.quien}>{retrato.quien}</p>}
        {children}
      </div>
    </>
  )
  return retrato ? (
    <PhotoHeader
      imagen={retrato.imagen}
      rotulo={LABEL}
      titulo={titulo}
      sizes="(max-width: 599px) 80vw, (max-width: 900px) 30vw, 23rem"
      className={styles.conRetrato}
    >
      {words}
    </PhotoHeader>
  ) : (
    <header className={styles.encabezado}>
      <p className={styles.rotulo}>{LABEL}</p>
      <h1>{titulo}</h1>
      {words}
    </header>
  )
}
