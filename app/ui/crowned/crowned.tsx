import type { ReactNode } from 'react'
import { Confetti } from '#app/ui/ornaments/confetti.tsx'
import { Orb } from '#app/ui/ornaments/orb.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import styles from './crowned.module.css'

/** @source §9 */
const CONFETTI_PIECE_COUNT = 60

interface Props {
  /** Line above the name: «Señorita Popularidad 2025», «Reina 2025». */
  title: string
  /** Name, shown as large as it fits. */
  name: string
  photo: Picture
  sash: string
  /** Number of confetti showers so far; 0 until hydration. */
  showerCount: number
  /** Is called when a shower is over (`Confetti`). */
  onConfettiEnd?: () => void
  /** Drawing behind everything. */
  ornament?: ReactNode
  /** Content below the sash. */
  children: ReactNode
}

/** Renders the holder of a title: picture, name, sash and confetti. */
export function Crowned({ title, name, photo, sash, showerCount, onConfettiEnd, ornament, children }: Props) {
  return (
    <section className={styles.crowned} aria-labelledby="coronada">
      {ornament}
      <Photo
        picture={photo}
        sizes="(max-width: 640px) 88vw, (max-width: 900px) 100vw, 58vw"
        className={styles.photo}
        isFirst
      />
      <Orb className={styles.orb} />
      <div className={styles.text}>
        <p className={styles.label}>{title}</p>
        <h1 id="coronada" data-letter-count={Math.min(14, longestWordLength(name))}>
          {name}
        </h1>
        <Sash className={styles.sash}>{sash}</Sash>
        {children}
      </div>
      <Confetti pieceCount={CONFETTI_PIECE_COUNT} showerNumber={showerCount} onEnd={onConfettiEnd} />
    </section>
  )
}

/** Returns the number of letters of a name's longest word. It decides the font size, since words are not broken. */
const longestWordLength = (name: string) => Math.max(...name.split(/\s+/).map(({ length }) => length))
