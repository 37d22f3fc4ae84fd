import type { ReactNode } from 'react'
import {
  IconoFacebook,
  IconoInstagram,
  IconoThreads,
  IconoTikTok,
  IconoWhatsApp,
  IconoX,
  IconoYouTube,
} from './iconos.tsx'
import styles from './redes.module.css'

/** Addresses of somebody's pages. */
export interface PaginasEnRedes {
  facebook: string
  instagram: string
  tiktok?: string | undefined
  youtube?: string | undefined
  x?: string | undefined
  whatsapp?: string | undefined
  threads?: string | undefined
}

const REDES: readonly [red: keyof PaginasEnRedes, nombre: string, icono: () => ReactNode][] = [
  ['facebook', 'Facebook', IconoFacebook],
  ['instagram', 'Instagram', IconoInstagram],
  ['tiktok', 'TikTok', IconoTikTok],
  ['youtube', 'YouTube', IconoYouTube],
  ['x', 'X', IconoX],
  ['whatsapp', 'WhatsApp', IconoWhatsApp],
  ['threads', 'Threads', IconoThreads],
]

/** Links to somebody's pages on the networks, each in another tab. */
export function Redes(paginas: PaginasEnRedes) {
  return (
    <p className={styles.redes}>
      {REDES.map(
        ([red, nombre, Icono]) =>
          paginas[red] && (
            <a key={red} href={paginas[red]} target="_blank" rel="noopener noreferrer" aria-label={nombre}>
              <Icono />
            </a>
          ),
      )}
    </p>
  )
}
