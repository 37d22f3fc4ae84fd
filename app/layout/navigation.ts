/** Items of the main menu. @source §2.2 */
export const NAVIGATION = [
  { path: '/nuestra-historia', label: 'NUESTRA HISTORIA' },
  { path: '/candidatas', label: 'CANDIDATAS' },
  { path: '/maestros', label: 'MAESTROS' },
  { path: '/convocatoria', label: 'CONVOCATORIAS' },
  { path: '/medios', label: 'MEDIOS' },
  { path: '/misspopularidad', label: 'MISS POPULARIDAD' },
] as const

export const isTeachersSection = (path: string) => path === '/maestros' || path.startsWith('/maestros/')

/** Press screens whose paths are not below /medios. */
const PRESS_SCREENS = ['/galeria-candidatas', '/convocatoriaoficial']

/**
 * Returns the `aria-current` of a menu item: 'page' on the item's own screens, 'true' on further screens to which these lead,
 * undefined on all other screens.
 */
export function ariaCurrentOf(menuItem: string, path: string): 'page' | 'true' | undefined {
  const isOwn =
    path === menuItem ||
    (menuItem !== '/' && path.startsWith(`${menuItem}/`)) ||
    (menuItem === '/medios' && PRESS_SCREENS.includes(path))
  if (isOwn) return 'page'
  // The calls for entries lead to the registration and folio screens.
  return menuItem === '/convocatoria' && /^\/(registro|folio)/.test(path) ? 'true' : undefined
}

/** Returns whether a screen has header and footer, as every screen but the judges' sheet has. */
export const hasLayout = (path: string) => path !== '/jurado'

/** Returns whether a screen is for organisers: the panel and the results. */
export const isPanelScreen = (path: string) => /^\/(organizadores|misspopularidad-resultados)(\/|$)/.test(path)

interface ScreenLink {
  path: string
  label: string
  /** Whether the site's current call to action replaces the link, unless it leads to this very screen. */
  isOverridable?: true
}

const CANDIDATES: ScreenLink = { path: '/candidatas', label: 'Conoce a las candidatas' }
const VOTE_OR_CANDIDATES: ScreenLink = { ...CANDIDATES, isOverridable: true }
const NEXT_SCREENS: Record<string, ScreenLink> = {
  '/nuestra-historia': CANDIDATES,
  '/candidatas': { path: '/maestros', label: 'Conoce a sus maestros', isOverridable: true },
  '/maestros': CANDIDATES,
  '/convocatoria': { path: '/nuestra-historia', label: 'Lee nuestra historia' },
  '/misspopularidad': VOTE_OR_CANDIDATES,
  // The forms' screens show the link only while the form is closed (next-screen.module.css).
  '/registro': VOTE_OR_CANDIDATES,
  '/registro-traje-tipico': VOTE_OR_CANDIDATES,
}

/** Returns the link at a screen's end; undefined for screens without one. */
export const nextScreenOf = (path: string): ScreenLink | undefined => NEXT_SCREENS[path]
