import type { ReactNode } from 'react'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Picture } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import styles from './page-header.module.css'

interface Props {
  title: string
  otherPage: { to: string; title: string }
  /** Portrait beside the title, with the person's name. */
  portrait?: { picture: Picture; personName: string } | undefined
  children: ReactNode
}

const KICKER = 'Material para prensa'

/** Renders the header of a press page: its title, and the terms of use of its pictures. */
export function PageHeader({ title, otherPage, portrait, children }: Props) {
  const content = (
    <>
      <p className={styles.other}>
        También: <Link to={otherPage.to}>{otherPage.title}</Link>
      </p>
      <div className={styles.terms}>
        {portrait && <p className={styles.who}>{portrait.personName}</p>}
        {children}
      </div>
    </>
  )
  return portrait ? (
    <PhotoHeader
      picture={portrait.picture}
      kicker={KICKER}
      title={title}
      sizes="(max-width: 599px) 80vw, (max-width: 900px) 30vw, 23rem"
      className={styles.withPortrait}
    >
      {content}
    </PhotoHeader>
  ) : (
    <header className={styles.headline}>
      <p className={styles.label}>{KICKER}</p>
      <h1>{title}</h1>
      {content}
    </header>
  )
}
