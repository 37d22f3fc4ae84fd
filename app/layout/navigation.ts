/** The navigation, in the order and words of §2.2. */
export const NAVEGACION = [
  { a: '/nuestra-historia', texto: 'NUESTRA HISTORIA' },
  { a: '/candidatas', texto: 'CANDIDATAS' },
  { a: '/maestros', texto: 'MAESTROS' },
  { a: '/convocatoria', texto: 'CONVOCATORIAS' },
  { a: '/medios', texto: 'MEDIOS' },
  { a: '/misspopularidad', texto: 'MISS POPULARIDAD' },
] as const

export const esSeccionMaestros = (ruta: string) => ruta === '/maestros' || ruta.startsWith('/maestros/')

/** The press's screens whose addresses do not stand below the entry's. */
const DE_PRENSA = ['/galeria-candidatas', '/convocatoriaoficial']

/** What an entry of the navigation says of itself on a screen: that it is its own, or that it leads to it. */
export function actualDe(entrada: string, ruta: string): 'page' | 'true' | undefined {
  const isOwn =
    ruta === entrada ||
    (entrada !== '/' && ruta.startsWith(`${entrada}/`)) ||
    (entrada === '/medios' && DE_PRENSA.includes(ruta))
  if (isOwn) return 'page'
  // What the announcements call for has screens of its own.
  return entrada === '/convocatoria' && /^\/(registro|folio)/.test(ruta) ? 'true' : undefined
}

/** A screen that fills a telephone by itself, without header and footer. */
export const esSinMarco = (ruta: string) => ruta === '/jurado'

/** The organisers' screens, which are work. */
export const esDelPanel = (ruta: string) => /^\/(organizadores|misspopularidad-resultados)(\/|$)/.test(ruta)

interface Siguiente {
  a: string
  texto: string
  /** Whether what the site asks of visitors takes its place. */
  porLlamado?: true
}

const CANDIDATAS: Siguiente = { a: '/candidatas', texto: 'Conoce a las candidatas' }
const SIGUIENTES: Record<string, Siguiente> = {
  '/nuestra-historia': CANDIDATAS,
  '/candidatas': { a: '/maestros', texto: 'Conoce a sus maestros', porLlamado: true },
  '/maestros': CANDIDATAS,
  '/convocatoria': { a: '/nuestra-historia', texto: 'Lee nuestra historia' },
  '/misspopularidad': CANDIDATAS,
}

/** Where a screen leads on; undefined for those that end with a step of their own. */
export const siguienteDe = (ruta: string): Siguiente | undefined => SIGUIENTES[ruta]
