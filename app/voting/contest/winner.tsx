import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Lluvia } from '#app/ui/ornaments/confetti.tsx'
import { Orbe } from '#app/ui/ornaments/orb.tsx'
import { Banda } from '#app/ui/ornaments/sash.tsx'
import { Foto } from '#app/ui/photos/photo.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { Compartir } from '#app/ui/sharing/share-button.tsx'
import { Redes } from '#app/ui/sharing/social-links.tsx'
import type { loadGanadora } from '#app/voting/election/data.server.ts'
import { RuedaDelVoto } from './vote-wheel.tsx'
import styles from './winner.module.css'

/** @source §9 */
const PIEZAS = 60

interface Props {
  ganadora: NonNullable<Awaited<ReturnType<typeof loadGanadora>>>
  anio: number
  /** The site's origin, for links that are shared. */
  sitio: string
  /** Counts the showers of confetti; 0 until the page is alive. */
  lluvias: number
  onLluvia: () => void
  /** The confetti has fallen. */
  onCaida: () => void
  /** What else stands in the row of buttons. */
  children?: ReactNode
}

/** The winner of the vote: her picture, her name, her thanks, and confetti over it all. */
export function Ganadora({ ganadora, anio, sitio, lluvias, onLluvia, onCaida, children }: Props) {
  const { id, nombre, nombreCorto, felicitacion, mensaje, foto, redes, edad, origen, cumple, carrera, signo, tono } =
    ganadora
  const reduced = useReducedMotion()

  return (
    <section className={styles.ganadora} aria-labelledby="ganadora">
      <RuedaDelVoto votos={0} tono={tono} />
      <Foto
        imagen={foto}
        sizes="(max-width: 700px) 88vw, (max-width: 900px) 100vw, 58vw"
        className={styles.foto}
        primera
      />
      <Orbe className={styles.orbe} />
      <div className={styles.texto}>
        <p className={styles.rotulo}>{`Señorita Popularidad ${anio}`}</p>
        <h1 id="ganadora" data-letras={Math.min(14, longestWord(nombreCorto))}>
          {nombreCorto}
        </h1>
        <Banda como="p" className={styles.banda}>
          {felicitacion}
        </Banda>
        <p className={styles.mensaje}>{mensaje}</p>
        <p className={styles.datos}>
          <Enlace to={`/candidatas#${id}`}>{nombre}</Enlace>
          <span>
            <span className="solo-lectores">Edad: </span>
            {edad} años
          </span>
          {[origen, cumple, carrera, signo].map((dato) => (
            <span key={dato}>{dato}</span>
          ))}
        </p>
        <div className={styles.pie}>
          <Compartir
            look="main"
            texto={`${nombre} es Señorita Popularidad ${anio}:`}
            url={`${sitio}/misspopularidad`}
            que={`que ganó ${nombreCorto}`}
          />
          <Redes {...redes} />
          <div className={styles.quietos}>
            <Enlace to="/misspopularidad/acta" className={styles.acta}>
              Consulta el acta y comprueba tu voto
            </Enlace>
            {children}
            {!reduced && lluvias > 0 && (
              <Button look="quiet" onClick={onLluvia}>
                Más confeti
              </Button>
            )}
          </div>
        </div>
      </div>
      <Lluvia piezas={PIEZAS} vez={lluvias} onCaida={onCaida} />
    </section>
  )
}

/** How many letters the longest word of a name has. No word is broken, so it decides the size of them all. */
const longestWord = (name: string) => Math.max(...name.split(/\s+/).map(({ length }) => length))
