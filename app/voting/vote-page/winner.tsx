import type { ReactNode } from 'react'
import { Button } from '#app/ui/components/button.tsx'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { Confetti } from '#app/ui/ornaments/confetti.tsx'
import { Orb } from '#app/ui/ornaments/orb.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { SocialLinks } from '#app/ui/sharing/social-links.tsx'
import type { loadWinner } from '#app/voting/election/data.server.ts'
import { VoteWheel } from './vote-wheel.tsx'
import styles from './winner.module.css'

/** A shower has this many pieces of confetti (§9). */
const CONFETTI_PIECES = 60

interface Props {
  winner: NonNullable<Awaited<ReturnType<typeof loadWinner>>>
  year: number
  /** `siteOrigin` is the site's origin, for links that are shared. */
  siteOrigin: string
  /** `showers` is the number of confetti showers so far; 0 until hydration. */
  showers: number
  onShower: () => void
  /** `onFallen` is called when the confetti has fallen. */
  onFallen: () => void
  /** `children` are further content of the row of buttons. */
  children?: ReactNode
}

/** Renders the winner of the vote: picture, name, thanks and confetti. */
export function Winner({ winner, year, siteOrigin, showers, onShower, onFallen, children }: Props) {
  const { id, nombre, nombreCorto, felicitacion, mensaje, foto, redes, edad, origen, cumple, carrera, signo, tono } =
    winner
  const reduced = useReducedMotion()

  return (
    <section className={styles.winner} aria-labelledby="ganadora">
      <VoteWheel votes={0} tone={tono} />
      <Photo
        picture={foto}
        sizes="(max-width: 640px) 88vw, (max-width: 900px) 100vw, 58vw"
        className={styles.photo}
        isFirst
      />
      <Orb className={styles.orb} />
      <div className={styles.text}>
        <p className={styles.label}>{`Señorita Popularidad ${year}`}</p>
        <h1 id="ganadora" data-letter-count={Math.min(14, longestWord(nombreCorto))}>
          {nombreCorto}
        </h1>
        <Sash as="p" className={styles.sash}>
          {felicitacion}
        </Sash>
        <p className={styles.message}>{mensaje}</p>
        <p className={styles.data}>
          <Link to={`/candidatas#${id}`}>{nombre}</Link>
          <span>
            <span className="visually-hidden">Edad: </span>
            {edad} años
          </span>
          {[origen, cumple, carrera, signo].map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
        <div className={styles.footer}>
          <ShareButton
            look="main"
            text={`${nombre} es Señorita Popularidad ${year}:`}
            url={`${siteOrigin}/misspopularidad`}
            subject={`que ganó ${nombreCorto}`}
          />
          <SocialLinks {...redes} />
          <div className={styles.still}>
            <Link to="/misspopularidad/acta" className={styles.record}>
              Consulta el acta y comprueba tu voto
            </Link>
            {children}
            {!reduced && showers > 0 && (
              <Button look="quiet" onClick={onShower}>
                Más confeti
              </Button>
            )}
          </div>
        </div>
      </div>
      <Confetti pieceCount={CONFETTI_PIECES} showerNumber={showers} onEnd={onFallen} />
    </section>
  )
}

/** Returns the number of letters of a name's longest word. Words are never broken, so that number decides the font size. */
const longestWord = (name: string) => Math.max(...name.split(/\s+/).map(({ length }) => length))
