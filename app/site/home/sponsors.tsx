import { useAviso } from '#app/analytics/use-ping-address.ts'
import styles from './sponsors.module.css'

interface Sponsor {
  nombre: string
  marca: string
  /** Address of the sponsor's page on a social network, and the network's name. */
  red: string
  enRed: string
}

export function Sponsors({ patrocinadores }: { patrocinadores: Sponsor[] }) {
  const avisoDe = useAviso()
  return (
    <section className={styles.patrocinadores} aria-labelledby="patrocinadores">
      <h2 id="patrocinadores">NUESTROS PATROCINADORES</h2>
      <ul>
        {patrocinadores.map(({ nombre, marca, red, enRed }) => (
          <li key={marca}>
            <a
              href={red}
              target="_blank"
              // The browser reports the click by a `ping`, also without JavaScript.
              ping={avisoDe('patrocinador', nombre)}
              rel="noopener noreferrer"
              aria-label={`${nombre} en ${enRed} (se abre en otra pestaña)`}
            >
              <img src={marca} alt={nombre} width="240" height="96" loading="lazy" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
