import { useId } from 'react'
import { buttonLook } from '#app/ui/components/button.tsx'
import { DownloadIcon } from '#app/ui/components/icons.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { PressSection } from './data.server.ts'
import styles from './photo-section.module.css'

interface Props {
  section: PressSection
  /** Whether the section is the first of the screen and has a single photograph, which is then as wide as the screen. */
  isFirst?: boolean
}

/** Renders photographs that belong together, each with a download link, and a link to all of them in a ZIP. */
export function PhotoSection({ section: { title, pieces, zip, tone, inPairs }, isFirst = false }: Props) {
  const id = useId()
  // In a phone's two columns an odd number of upright photographs would leave a gap, so one of them is as wide as both columns:
  // the first, or for a candidate the last, which usually shows her dress.
  const uprightPieces = pieces.filter(({ picture }) => picture.width <= picture.height)
  const loneUpright = uprightPieces.length % 2 === 1 ? uprightPieces.at(tone ? -1 : 0) : undefined
  return (
    <section
      className={joinClasses(styles.section, isFirst && styles.alone, inPairs && styles.ofCouples)}
      aria-labelledby={id}
    >
      <div className={styles.heading}>
        <h2 id={id} className={tone && toneClass(tone)} data-tone={tone}>
          {title}
        </h2>
        {pieces.length > 1 && (
          <a href={`/descargas/${zip}`} aria-describedby={id} className={buttonLook('outline')}>
            <DownloadIcon />
            Descargar las {pieces.length} en un ZIP
          </a>
        )}
      </div>
      <ul className={joinClasses(styles.pieces, tone && styles.ofCandidate, inPairs && styles.inPairs)}>
        {pieces.map((piece, index) => {
          const { fileName, caption, version, picture } = piece
          const isWide = picture.width > picture.height
          return (
            <li key={fileName} className={isWide ? styles.wide : piece === loneUpright ? styles.odd : undefined}>
              <figure>
                <Photo
                  picture={picture}
                  sizes={
                    isWide
                      ? `(max-width: 640px) 92vw, ${isFirst ? 90 : 60}vw`
                      : `(max-width: 640px) ${piece === loneUpright ? 92 : 46}vw, ${inPairs ? '(max-width: 1024px) 44vw, 21vw' : pieces.length > 2 ? '30vw' : '(max-width: 1024px) 44vw, 30vw'}`
                  }
                  className={styles.photo}
                  isFirst={isFirst && index === 0}
                />
                <figcaption>
                  <span id={`${id}-${index}`}>
                    {caption}
                    {version && (
                      <>
                        <span className={styles.comma}>, </span>
                        <span className={styles.version}>{version}</span>
                      </>
                    )}
                  </span>
                  <a href={`/descargas/${fileName}`} aria-describedby={`${id} ${id}-${index}`}>
                    <DownloadIcon />
                    Descargar
                  </a>
                </figcaption>
              </figure>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
