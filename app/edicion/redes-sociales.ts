/** The networks on which somebody may have a page, in the order in which screens show them, and their domains. */
export const REDES_SOCIALES = {
  facebook: { nombre: 'Facebook', dominios: ['facebook.com', 'm.facebook.com', 'fb.com'] },
  instagram: { nombre: 'Instagram', dominios: ['instagram.com'] },
  tiktok: { nombre: 'TikTok', dominios: ['tiktok.com', 'vm.tiktok.com'] },
  youtube: { nombre: 'YouTube', dominios: ['youtube.com', 'm.youtube.com', 'youtu.be'] },
  x: { nombre: 'X', dominios: ['x.com', 'twitter.com'] },
  whatsapp: { nombre: 'WhatsApp', dominios: ['wa.me', 'whatsapp.com', 'chat.whatsapp.com', 'api.whatsapp.com'] },
  threads: { nombre: 'Threads', dominios: ['threads.net', 'threads.com'] },
} as const

export type RedSocial = keyof typeof REDES_SOCIALES

const TODAS = Object.keys(REDES_SOCIALES) as RedSocial[]

/**
 * The network that an address leads to.
 * @returns undefined where it is no page of any of them: another domain, or nothing but the domain
 */
export function redSocialDe(direccion: string): RedSocial | undefined {
  if (!URL.canParse(direccion)) return undefined
  const { protocol, hostname, pathname, search } = new URL(direccion)
  if (protocol !== 'https:' || `${pathname}${search}` === '/') return undefined
  const dominio = hostname.replace(/^www\./, '')
  return TODAS.find((red) => (REDES_SOCIALES[red].dominios as readonly string[]).includes(dominio))
}

/** The network's name as a link says it. @param direccion a page on one of the networks */
export const nombreDeRed = (direccion: string): string => {
  const red = redSocialDe(direccion)
  return red ? REDES_SOCIALES[red].nombre : 'su página'
}
