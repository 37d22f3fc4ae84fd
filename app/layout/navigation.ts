/** The navigation has the order and words of §2.2. */
export const NAVIGATION = [
  { path: '/nuestra-historia', label: 'NUESTRA HISTORIA' },
  { path: '/candidatas', label: 'CANDIDATAS' },
  { path: '/maestros', label: 'MAESTROS' },
  { path: '/convocatoria', label: 'CONVOCATORIAS' },
  { path: '/medios', label: 'MEDIOS' },
  { path: '/misspopularidad', label: 'MISS POPULARIDAD' },
] as const

export const isTeachersSection = (path: string) => path === '/maestros' || path.startsWith('/maestros/')

/** The addresses of these press screens are not below /medios. */
const PRESS_SCREENS = ['/galeria-candidatas', '/convocatoriaoficial']

/** Returns the `aria-current` of a menu item: 'page' on its own screens, 'true' on screens that it leads to. */
export function ariaCurrentOf(menuItem: string, path: string): 'page' | 'true' | undefined {
  const isOwn =
    path === menuItem ||
    (menuItem !== '/' && path.startsWith(`${menuItem}/`)) ||
    (menuItem === '/medios' && PRESS_SCREENS.includes(path))
  if (isOwn) return 'page'
  // The calls lead to the registration and folio screens.
  return menuItem === '/convocatoria' && /^\/(registro|folio)/.test(path) ? 'true' : undefined
}

/** Returns whether a screen has header and footer: only the judges' sheet has none. */
export const hasLayout = (path: string) => path !== '/jurado'

/** Returns whether a screen is the organisers': the panel and the results. */
export const isPanelScreen = (path: string) => /^\/(organizadores|misspopularidad-resultados)(\/|$)/.test(path)

interface NextScreen {
  path: string
  label: string
  /** The site's current call to action replaces this link. */
  isOverridable?: true
}

const CANDIDATES: NextScreen = { path: '/candidatas', label: 'Conoce a las candidatas' }
const NEXT_SCREENS: Record<string, NextScreen> = {
  '/nuestra-historia': CANDIDATES,
  '/candidatas': { path: '/maestros', label: 'Conoce a sus maestros', isOverridable: true },
  '/maestros': CANDIDATES,
  '/convocatoria': { path: '/nuestra-historia', label: 'Lee nuestra historia' },
  '/misspopularidad': CANDIDATES,
}

/** Returns the link at a screen's end; undefined for screens that end with another step. */
export const nextOf = (path: string): NextScreen | undefined => NEXT_SCREENS[path]
