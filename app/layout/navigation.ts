/** The navigation, in the order and words of §2.2. */
export const NAVIGATION = [
  { a: '/nuestra-historia', texto: 'NUESTRA HISTORIA' },
  { a: '/candidatas', texto: 'CANDIDATAS' },
  { a: '/maestros', texto: 'MAESTROS' },
  { a: '/convocatoria', texto: 'CONVOCATORIAS' },
  { a: '/medios', texto: 'MEDIOS' },
  { a: '/misspopularidad', texto: 'MISS POPULARIDAD' },
] as const

export const isTeachersSection = (path: string) => path === '/maestros' || path.startsWith('/maestros/')

/** The press's screens whose addresses do not stand below the entry's. */
const PRESS_SCREENS = ['/galeria-candidatas', '/convocatoriaoficial']

/** What an entry of the navigation says of itself on a screen: that it is its own, or that it leads to it. */
export function actualDe(menuItem: string, path: string): 'page' | 'true' | undefined {
  const isOwn =
    path === menuItem ||
    (menuItem !== '/' && path.startsWith(`${menuItem}/`)) ||
    (menuItem === '/medios' && PRESS_SCREENS.includes(path))
  if (isOwn) return 'page'
  // What the announcements call for has screens of its own.
  return menuItem === '/convocatoria' && /^\/(registro|folio)/.test(path) ? 'true' : undefined
}

/** A screen that fills a telephone by itself, without header and footer. */
export const isWithoutLayout = (path: string) => path === '/jurado'

/** The organisers' screens, which are work. */
export const esDelPanel = (path: string) => /^\/(organizadores|misspopularidad-resultados)(\/|$)/.test(path)

interface NextScreen {
  a: string
  texto: string
  /** Whether what the site asks of visitors takes its place. */
  porLlamado?: true
}

const CANDIDATES: NextScreen = { a: '/candidatas', texto: 'Conoce a las candidatas' }
const NEXT_SCREENS: Record<string, NextScreen> = {
  '/nuestra-historia': CANDIDATES,
  '/candidatas': { a: '/maestros', texto: 'Conoce a sus maestros', porLlamado: true },
  '/maestros': CANDIDATES,
  '/convocatoria': { a: '/nuestra-historia', texto: 'Lee nuestra historia' },
  '/misspopularidad': CANDIDATES,
}

/** Where a screen leads on; undefined for those that end with a step of their own. */
export const nextOf = (path: string): NextScreen | undefined => NEXT_SCREENS[path]
