import type { ReactNode } from 'react'
import { Button } from '#app/ui/components/button.tsx'
import styles from '#app/ui/crowned/crowned.module.css'
import { Crowned } from '#app/ui/crowned/crowned.tsx'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { SocialLinks } from '#app/ui/sharing/social-links.tsx'
import type { loadWinner } from '#app/voting/election/data.server.ts'
import { VoteWheel } from './vote-wheel.tsx'

interface Props {
  winner: NonNullable<Awaited<ReturnType<typeof loadWinner>>>
  year: number
  siteOrigin: string
  /** Number of confetti showers so far; 0 until hydration. */
  showers: number
  onShower: () => void
  /** Is called when the confetti has fallen. */
  onFallen: () => void
  /** Further buttons of the row. */
  children?: ReactNode
}

export function Winner({ winner, year, siteOrigin, showers, onShower, onFallen, children }: Props) {
  const { id, nombre, nombreCorto, felicitacion, mensaje, foto, redes, edad, origen, cumple, carrera, signo, tono } =
    winner
  const hasReducedMotion = useReducedMotion()

  return (
    <Crowned
      title={`Señorita Popularidad ${year}`}
      name={nombreCorto}
      photo={foto}
      sash={felicitacion}
      showerCount={showers}
      onConfettiEnd={onFallen}
      ornament={<VoteWheel votes={0} tone={tono} />}
    >
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
        <div className={styles.quiet}>
          <Link to="/misspopularidad/acta">Consulta el acta y comprueba tu voto</Link>
          {children}
          {!hasReducedMotion && showers > 0 && (
            <Button look="quiet" onClick={onShower}>
              Más confeti
            </Button>
          )}
        </div>
      </div>
    </Crowned>
  )
}
