import { typedText } from '#app/core/text/typed-text.ts'

/** Supported networks in the order of the screens; forms show the example URLs. */
export const SOCIAL_NETWORKS = {
  facebook: { name: 'Facebook', example: 'https://www.facebook.com/azahares' },
  instagram: { name: 'Instagram', example: 'https://www.instagram.com/azahares' },
  tiktok: { name: 'TikTok', example: 'https://www.tiktok.com/azahares' },
  youtube: { name: 'YouTube', example: 'https://www.youtube.com/azahares' },
  x: { name: 'X', example: 'https://www.x.com/azahares' },
  whatsapp: { name: 'WhatsApp', example: 'https://wa.me/azahares' },
  threads: { name: 'Threads', example: 'https://www.threads.net/azahares' },
} as const

export type SocialNetwork = keyof typeof SOCIAL_NETWORKS

/**
 * Hosts of the networks, which are matched as a whole, so that a host that merely contains a network's name does not match.
 * `canonical` replaces a host for telephones or a language by the host that serves the same page to all visitors.
 */
const NETWORK_HOSTS: readonly { network: SocialNetwork; host: RegExp; canonical?: string }[] = [
  {
    network: 'facebook',
    host: /^(?:(?:www|m|mbasic|touch|mobile|web|[a-z]{2}-[a-z]{2})\.facebook\.com|facebook\.com|(?:www\.|m\.)?fb\.com)$/,
    canonical: 'www.facebook.com',
  },
  { network: 'facebook', host: /^(?:www\.)?fb\.(?:me|watch)$/ },
  { network: 'instagram', host: /^(?:(?:www|m)\.)?(?:instagram\.com|instagr\.am)$/, canonical: 'www.instagram.com' },
  { network: 'tiktok', host: /^(?:www\.)?tiktok\.com$/, canonical: 'www.tiktok.com' },
  { network: 'tiktok', host: /^(?:m|vm|vt|lite)\.tiktok\.com$/ },
  { network: 'youtube', host: /^(?:(?:www|m)\.)?youtube\.com$/, canonical: 'www.youtube.com' },
  { network: 'youtube', host: /^(?:www\.)?youtu\.be$|^music\.youtube\.com$/ },
  { network: 'x', host: /^(?:(?:www|m|mobile)\.)?twitter\.com$/, canonical: 'twitter.com' },
  { network: 'x', host: /^(?:(?:www|m|mobile)\.)?x\.com$/, canonical: 'x.com' },
  { network: 'whatsapp', host: /^(?:www\.)?wa\.me$|^(?:(?:www|chat|api|web)\.)?whatsapp\.com$/ },
  { network: 'threads', host: /^(?:www\.)?threads\.(?:net|com)$/ },
]

/** Matches hosts through which networks redirect their outgoing links. */
const REDIRECT_HOST_PATTERN = /^(?:l|lm)\.(?:facebook|instagram)\.com$/

/**
 * Parses a page's URL, or the URL in a redirect of REDIRECT_HOST_PATTERN.
 * @returns undefined for another host, a host without a path, a URL with user, password or port, and for other text
 */
function parsePage(text: string, isRedirected = false): { network: SocialNetwork; url: URL } | undefined {
  const normalizedText = typedText(text)
  const absoluteUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(normalizedText)
    ? normalizedText
    : `https://${normalizedText.replace(/^\/+/, '')}`
  let url: URL
  try {
    // Older telephones lack URL.canParse.
    url = new URL(absoluteUrl)
  } catch {
    return undefined
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return undefined
  const host = url.hostname.replace(/\.$/, '')
  if (REDIRECT_HOST_PATTERN.test(host) && !isRedirected) return parsePage(url.searchParams.get('u') ?? '', true)
  if (`${url.pathname}${url.search}` === '/') return undefined
  const match = NETWORK_HOSTS.find(({ host: pattern }) => pattern.test(host))
  if (!match) return undefined
  url.protocol = 'https:'
  url.hostname = match.canonical ?? host
  return { network: match.network, url }
}

/** Returns the network of a page's URL, as it was copied; undefined for other URLs. */
export const socialNetworkOf = (url: string): SocialNetwork | undefined => parsePage(url)?.network

/** Returns a page's URL with https and the canonical host; other URLs stay as they are. */
export const normalizePageUrl = (url: string): string => parsePage(url)?.url.href ?? url

/** Returns the network's name for a link, or «su página» for a URL of no supported network. */
export const networkName = (url: string): string => {
  const network = socialNetworkOf(url)
  return network ? SOCIAL_NETWORKS[network].name : 'su página'
}
