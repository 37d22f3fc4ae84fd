import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Confetti } from '#app/ui/ornaments/confetti.tsx'
import { Orb } from '#app/ui/ornaments/orb.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { Redes } from '#app/ui/sharing/social-links.tsx'
import type { loadWinner } from '#app/voting/election/data.server.ts'
import { VoteWheel } from './vote-wheel.tsx'
import styles from './winner.module.css'

/** @source §9 */
const CONFETTI_PIECES = 60

interface Props {
  ganadora: NonNullable<Awaited<ReturnType<typeof loadWinner>>>
  anio: number
  /** The site's origin, for links that are shared. */
  sitio: string
  /** Number of confetti showers so far; 0 until hydration. */
  lluvias: number
  onLluvia: () => void
  /** Called when the confetti has fallen. */
  onCaida: () => void
  /** Further content of the row of buttons. */
  children?: ReactNode
}

/** The winner of the vote: picture, name, thanks and confetti. */
export function Winner({ ganadora, anio, sitio, lluvias, onLluvia, onCaida, children }: Props) {
  const { id, nombre, nombreCorto, felicitacion, mensaje, foto, redes, edad, origen, cumple, carrera, signo, tono } =
    ganadora
  const reduced = useReducedMotion()

  return (
    <section className={styles.ganadora} aria-labelledby="ganadora">
      <VoteWheel votos={0} tono={tono} />
      <Photo
        imagen={foto}
        sizes="(max-width: 700px) 88vw, (max-width: 900px) 100vw, 58vw"
        className={styles.foto}
        primera
      />
      <Orb className={styles.orbe} />
      <div className={styles.texto}>
        <p className={styles.rotulo}>{`Señorita Popularidad ${anio}`}</p>
        <h1 id="ganadora" data-letras={Math.min(14, longestWord(nombreCorto))}>
          {nombreCorto}
        </h1>
        <Sash como="p" className={styles.banda}>
          {felicitacion}
        </Sash>
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
          <ShareButton
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
      <Confetti piezas={CONFETTI_PIECES} vez={lluvias} onCaida={onCaida} />
    </section>
  )
}

/** Number of letters of a name's longest word. Words are never broken, so it decides the font size. */
const longestWord = (name: string) => Math.max(...name.split(/\s+/).map(({ length }) => length))
