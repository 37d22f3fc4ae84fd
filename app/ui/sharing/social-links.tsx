import { FacebookIcon, InstagramIcon, SocialNetworkIcon } from '#app/ui/components/icons.tsx'
import styles from './social-links.module.css'

/** URLs of a person's or an organisation's pages on social networks. */
export interface SocialPages {
  facebook: string
  instagram: string
  tiktok?: string | undefined
  youtube?: string | undefined
  x?: string | undefined
  whatsapp?: string | undefined
  threads?: string | undefined
}

/** Networks that few people have. Their icons are in a file of their own, which only screens with one of them load. */
const FURTHER_NETWORKS = {
  tiktok: 'TikTok',
  youtube: 'YouTube',
  x: 'X',
  whatsapp: 'WhatsApp',
  threads: 'Threads',
} as const

/** Renders links to pages on social networks, each in a new tab. */
export function SocialLinks({ facebook, instagram, ...further }: SocialPages) {
  return (
    <p className={styles.networks}>
      <a href={facebook} target="_blank" rel="noopener noreferrer" aria-label="Facebook">
        <FacebookIcon />
      </a>
      <a href={instagram} target="_blank" rel="noopener noreferrer" aria-label="Instagram">
        <InstagramIcon />
      </a>
      {(Object.keys(FURTHER_NETWORKS) as (keyof typeof FURTHER_NETWORKS)[]).map(
        (network) =>
          further[network] && (
            <a
              key={network}
              href={further[network]}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={FURTHER_NETWORKS[network]}
            >
              <SocialNetworkIcon network={network} />
            </a>
          ),
      )}
    </p>
  )
}
