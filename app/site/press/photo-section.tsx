import { useId } from 'react'
import { Photo } from '#app/ui/photos/photo.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { DownloadIcon } from '#app/ui/primitives/icons.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { Section } from './data.server.ts'
import styles from './photo-section.module.css'

interface Props {
  seccion: Section
  /** Whether this is the screen's first section, which stands alone, as wide as the screen. */
  primera?: boolean
}

/** Photographs that belong together, each with a download link, and one ZIP of all. */
export function PhotoSection({ seccion: { titulo, piezas, zip, tono, enPares }, primera = false }: Props) {
  const id = useId()
  // In a phone's two columns an odd number of upright photographs would leave a gap: one of them is then as wide as
  // both columns, for a candidate the last one, which shows her dress.
  const upright = piezas.filter(({ imagen }) => imagen.ancho <= imagen.alto)
  const sola = upright.length % 2 === 1 ? upright.at(tono ? -1 : 0) : undefined
  return (
    <section
      className={joinClasses(styles.seccion, primera && styles.sola, enPares && styles.deParejas)}
      aria-labelledby={id}
    >
      <div className={styles.cabeza}>
        <h2 id={id} className={tono && toneClass(tono)} data-tono={tono}>
          {titulo}
        </h2>
        {piezas.length > 1 && (
          <a href={`/descargas/${zip}`} aria-describedby={id} className={buttonLook('outline')}>
            <DownloadIcon />
            Descargar las {piezas.length} en un ZIP
          </a>
        )}
      </div>
      <ul className={joinClasses(styles.piezas, tono && styles.deCandidata, enPares && styles.enPares)}>
        {piezas.map((piece, index) => {
          const { archivo, leyenda, version, imagen } = piece
          const isWide = imagen.ancho > imagen.alto
          return (
            <li key={archivo} className={isWide ? styles.ancha : piece === sola ? styles.impar : undefined}>
              <figure>
                <Photo
                  imagen={imagen}
                  sizes={
                    isWide
                      ? `(max-width: 640px) 92vw, ${primera ? 90 : 60}vw`
                      : `(max-width: 640px) ${piece === sola ? 92 : 46}vw, ${enPares ? '(max-width: 1024px) 44vw, 21vw' : piezas.length > 2 ? '30vw' : '(max-width: 1024px) 44vw, 30vw'}`
                  }
                  className={styles.foto}
                  primera={primera && index === 0}
                />
                <figcaption>
                  <span id={`${id}-${index}`}>
                    {leyenda}
                    {version && (
                      <>
                        <span className={styles.coma}>, </span>
                        <span className={styles.version}>{version}</span>
                      </>
                    )}
                  </span>
                  <a href={`/descargas/${archivo}`} aria-describedby={`${id} ${id}-${index}`}>
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
