import { FacebookIcon, InstagramIcon, SocialNetworkIcon } from '#app/ui/primitives/icons.tsx'
import styles from './social-links.module.css'

/** Addresses of a person's or an organisation's pages on social networks. */
export interface SocialPages {
  facebook: string
  instagram: string
  tiktok?: string | undefined
  youtube?: string | undefined
  x?: string | undefined
  whatsapp?: string | undefined
  threads?: string | undefined
}

/** Networks that few people have. Their icons are a separate file, so that only screens with such an icon load it. */
const MAS = { tiktok: 'TikTok', youtube: 'YouTube', x: 'X', whatsapp: 'WhatsApp', threads: 'Threads' } as const

/** Links to pages on social networks, each in a new tab. */
export function Redes({ facebook, instagram, ...mas }: SocialPages) {
  return (
    <p className={styles.redes}>
      <a href={facebook} target="_blank" rel="noopener noreferrer" aria-label="Facebook">
        <FacebookIcon />
      </a>
      <a href={instagram} target="_blank" rel="noopener noreferrer" aria-label="Instagram">
        <InstagramIcon />
      </a>
      {(Object.keys(MAS) as (keyof typeof MAS)[]).map(
        (red) =>
          mas[red] && (
            <a key={red} href={mas[red]} target="_blank" rel="noopener noreferrer" aria-label={MAS[red]}>
              <SocialNetworkIcon red={red} />
            </a>
          ),
      )}
    </p>
  )
}
