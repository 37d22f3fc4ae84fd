import { usePingUrl } from '#app/analytics/use-ping-url.ts'
import styles from './sponsors.module.css'

interface Sponsor {
  name: string
  logoUrl: string
  /** URL of the sponsor's page on a social network. */
  pageUrl: string
  networkName: string
}

export function Sponsors({ sponsors }: { sponsors: Sponsor[] }) {
  const pingUrlOf = usePingUrl()
  return (
    <section className={styles.sponsors} aria-labelledby="patrocinadores">
      <h2 id="patrocinadores">NUESTROS PATROCINADORES</h2>
      <ul>
        {sponsors.map(({ name, logoUrl, pageUrl, networkName }) => (
          <li key={logoUrl}>
            <a
              href={pageUrl}
              target="_blank"
              // A browser that supports `ping` reports the click by itself, also without JavaScript.
              ping={pingUrlOf('patrocinador', name)}
              rel="noopener noreferrer"
              aria-label={`${name} en ${networkName} (se abre en otra pestaña)`}
            >
              <img src={logoUrl} alt={name} width="240" height="96" loading="lazy" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
