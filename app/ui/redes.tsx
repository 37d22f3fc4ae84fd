import { IconoFacebook, IconoInstagram } from './iconos.tsx'
import styles from './redes.module.css'

/** Links to somebody's pages on both networks, each in another tab. */
export function Redes({ facebook, instagram }: { facebook: string; instagram: string }) {
  return (
    <p className={styles.redes}>
      <a href={facebook} target="_blank" rel="noopener noreferrer" aria-label="Facebook">
        <IconoFacebook />
      </a>
      <a href={instagram} target="_blank" rel="noopener noreferrer" aria-label="Instagram">
        <IconoInstagram />
      </a>
    </p>
  )
}
