import { useId } from 'react'
import { unir } from '#app/ui/clases.ts'
import { Foto } from '#app/ui/foto.tsx'
import { IconoDescargar } from '#app/ui/iconos.tsx'
import type { Seccion } from './data.server.ts'
import styles from './seccion.module.css'

interface Props {
  seccion: Seccion
  /** Whether this is the screen's first section, which stands alone, as wide as the screen. */
  primera?: boolean
}

/** Photographs that belong together, each with its link, and all of them in one file. */
export function SeccionDePrensa({ seccion: { titulo, piezas, zip }, primera = false }: Props) {
  const id = useId()
  // On a phone's two columns an odd number would leave an empty place: the first upright photograph is then as wide as
  // both.
  const isUneven = piezas.filter(({ imagen }) => imagen.ancho <= imagen.alto).length % 2 === 1
  const sola = isUneven ? piezas.find(({ imagen }) => imagen.ancho <= imagen.alto) : undefined
  return (
    <section className={unir(styles.seccion, primera && styles.sola)} aria-labelledby={id}>
      <h2 id={id}>{titulo}</h2>
      <ul className={styles.piezas}>
        {piezas.map((pieza, index) => {
          const { archivo, leyenda, imagen } = pieza
          const isWide = imagen.ancho > imagen.alto
          return (
            <li key={archivo} className={isWide ? styles.ancha : pieza === sola ? styles.impar : undefined}>
              <figure>
                <Foto
                  imagen={imagen}
                  sizes={
                    isWide
                      ? '(max-width: 640px) 92vw, 60vw'
                      : `(max-width: 640px) ${pieza === sola ? 92 : 46}vw, (max-width: 1024px) 30vw, 20vw`
                  }
                  className={styles.foto}
                  primera={primera && index === 0}
                />
                <figcaption>
                  <span id={`${id}-${index}`}>{leyenda}</span>
                  <a href={`/descargas/${archivo}`} aria-describedby={`${id} ${id}-${index}`}>
                    <IconoDescargar />
                    Descargar
                  </a>
                </figcaption>
              </figure>
            </li>
          )
        })}
      </ul>
      {piezas.length > 1 && (
        <p className={styles.zip}>
          <a href={`/descargas/${zip}`} aria-describedby={id}>
            <IconoDescargar />
            Descargar las {piezas.length} en un ZIP
          </a>
        </p>
      )}
    </section>
  )
}
