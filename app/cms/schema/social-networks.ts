import { typedText } from '#app/core/text/typed-text.ts'

/** The networks on which somebody may have a page, in the order in which screens show them, with the domain of an example. */
export const SOCIAL_NETWORKS = {
  facebook: { nombre: 'Facebook', ejemplo: 'https://www.facebook.com/azahares' },
  instagram: { nombre: 'Instagram', ejemplo: 'https://www.instagram.com/azahares' },
  tiktok: { nombre: 'TikTok', ejemplo: 'https://www.tiktok.com/azahares' },
  youtube: { nombre: 'YouTube', ejemplo: 'https://www.youtube.com/azahares' },
  x: { nombre: 'X', ejemplo: 'https://www.x.com/azahares' },
  whatsapp: { nombre: 'WhatsApp', ejemplo: 'https://wa.me/azahares' },
  threads: { nombre: 'Threads', ejemplo: 'https://www.threads.net/azahares' },
} as const

export type RedSocial = keyof typeof SOCIAL_NETWORKS

/**
 * Hosts of the networks, whole: one that only contains such a name is another's. Where a network answers the same page under
 * several, for telephones or languages say, the one under which everybody can open it.
 */
const HOSTS: readonly { red: RedSocial; host: RegExp; canonical?: string }[] = [
  {
    red: 'facebook',
    host: /^(?:(?:www|m|mbasic|touch|mobile|web|[a-z]{2}-[a-z]{2})\.facebook\.com|facebook\.com|(?:www\.|m\.)?fb\.com)$/,
    canonical: 'www.facebook.com',
  },
  { red: 'facebook', host: /^(?:www\.)?fb\.(?:me|watch)$/ },
  { red: 'instagram', host: /^(?:(?:www|m)\.)?(?:instagram\.com|instagr\.am)$/, canonical: 'www.instagram.com' },
  { red: 'tiktok', host: /^(?:www\.)?tiktok\.com$/, canonical: 'www.tiktok.com' },
  { red: 'tiktok', host: /^(?:m|vm|vt|lite)\.tiktok\.com$/ },
  { red: 'youtube', host: /^(?:(?:www|m)\.)?youtube\.com$/, canonical: 'www.youtube.com' },
  { red: 'youtube', host: /^(?:www\.)?youtu\.be$|^music\.youtube\.com$/ },
  { red: 'x', host: /^(?:(?:www|m|mobile)\.)?twitter\.com$/, canonical: 'twitter.com' },
  { red: 'x', host: /^(?:(?:www|m|mobile)\.)?x\.com$/, canonical: 'x.com' },
  { red: 'whatsapp', host: /^(?:www\.)?wa\.me$|^(?:(?:www|chat|api|web)\.)?whatsapp\.com$/ },
  { red: 'threads', host: /^(?:www\.)?threads\.(?:net|com)$/ },
]

/** What the networks put around an address that leads out of them. */
const WAY_OUT = /^(?:l|lm)\.(?:facebook|instagram)\.com$/

/** @returns undefined for what is no page of any network: another host, or nothing but the host */
function readPage(text: string, isWayOut = false): { red: RedSocial; url: URL } | undefined {
  const written = typedText(text)
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `https://${written.replace(/^\/+/, '')}`
  let url: URL
  try {
    // Not URL.canParse: telephones that are a few years old do not have it.
    url = new URL(whole)
  } catch {
    return undefined
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return undefined
  const host = url.hostname.replace(/\.$/, '')
  if (WAY_OUT.test(host) && !isWayOut) return readPage(url.searchParams.get('u') ?? '', true)
  if (`${url.pathname}${url.search}` === '/') return undefined
  const found = HOSTS.find((one) => one.host.test(host))
  if (!found) return undefined
  url.protocol = 'https:'
  url.hostname = found.canonical ?? host
  return { red: found.red, url }
}

/** The network that an address leads to, however it was copied; undefined where it is no page of any. */
export const redSocialDe = (address: string): RedSocial | undefined => readPage(address)?.red

/** A page's address as everybody can open it: https, and no telephone's or language's own host; all else as it is. */
export const mendPageAddress = (address: string): string => readPage(address)?.url.href ?? address

/** The network's name as a link says it. @param address a page on one of the networks */
export const networkName = (address: string): string => {
  const red = redSocialDe(address)
  return red ? SOCIAL_NETWORKS[red].nombre : 'su página'
}
