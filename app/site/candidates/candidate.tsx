import { useRef } from 'react'
import { avisoDe } from '#app/analytics/schema.ts'
import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { fundido } from '#app/ui/motion/reveal-in-view.ts'
import { Cohete, Rueda } from '#app/ui/ornaments/fair-drawings.tsx'
import { Banda } from '#app/ui/ornaments/sash.tsx'
import { MiniaturaVisor, Visor } from '#app/ui/photos/lightbox.tsx'
import { Foto } from '#app/ui/photos/photo.tsx'
import { Compartir } from '#app/ui/sharing/share-button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import { claseTono } from '#app/ui/styles/tone.ts'
import styles from './candidate.module.css'
import { useConfeti } from './use-birthday-confetti.ts'

interface Props {
  candidata: Omit<Edicion['candidatas'][number], 'semblanza' | 'antes' | 'prensa'>
  /** Her place on the screen, from 0, which decides the side of her photograph. */
  lugar: number
  /** The site's clock, once it is known. */
  hora: (() => Date) | undefined
  /** The text and the address with which she is shared. */
  texto: string
  url: string
}

/** Drawings beside the second and the fourth block (§2.4), and so on where there are more. */
const ADORNOS: Record<number, typeof Rueda> = { 1: Rueda, 3: Cohete }

/** A candidate in her own light, with her name on the sash. */
export function Candidata({ candidata, lugar, hora, texto, url }: Props) {
  const { id, nombre, edad, origen, cumple, carrera, signo, pasatiempos, tono, silueta, galeria } = candidata
  const bloque = useRef<HTMLElement>(null)
  useConfeti(bloque, cumple, hora)
  const Adorno = ADORNOS[lugar % 4]
  return (
    <article
      ref={bloque}
      id={id}
      className={unir(styles.candidata, claseTono(tono), lugar % 2 === 1 && styles.inversa)}
      aria-labelledby={`nombre-${id}`}
    >
      {Adorno && <Adorno className={styles.adorno} />}
      <div className={unir(styles.dentro, fundido)}>
        <Foto
          imagen={silueta}
          sizes="(max-width: 640px) 60vw, 46vw"
          className={styles.silueta}
          // The upper half of the first one stands in a phone's first view, larger than the picture of them all.
          primera={lugar === 0}
        />
        <div className={styles.ficha}>
          <Banda como="h2" id={`nombre-${id}`} className={styles.banda}>
            {nombre}
          </Banda>
          <dl>
            <dt>Edad</dt>
            <dd>{edad} años</dd>
            <dt>Origen</dt>
            <dd>{origen}</dd>
            <dt>Cumpleaños</dt>
            <dd>{cumple}</dd>
            <dt>Carrera</dt>
            <dd>{carrera}</dd>
            <dt>Signo Zodiacal</dt>
            <dd>{signo}</dd>
            <dt>Pasatiempos</dt>
            <dd>{pasatiempos}</dd>
          </dl>
          <div className={styles.minis}>
            {galeria.map((imagen, index) => (
              <MiniaturaVisor
                key={imagen.base}
                serie={id}
                numero={index + 1}
                imagen={imagen}
                sizes="(max-width: 900px) 30vw, 14vw"
                chica
              />
            ))}
          </div>
          <Compartir texto={texto} url={url} que={`a ${nombre}`} aviso={avisoDe('compartido', id)} />
        </div>
      </div>
      <Visor serie={id} nombre={`Fotografías de ${nombre}`} imagenes={galeria} pies={galeria.map(() => nombre)} />
    </article>
  )
}
