import { may, type Resource } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'

export interface PanelSection {
  path: string
  text: string
  resource: Resource
  /** Whether a phone's bar shows the section itself; the other sections are behind «Más». */
  isMain?: true
  /** Whether the section is hidden while there is only one edition. */
  needsOtherEditions?: true
}

/** Path of an organiser's own account, the only section while a required second factor is missing. */
export const ACCOUNT_PATH = '/organizadores/cuenta'

/** Id of the popover behind «Más». */
export const OTHER_SECTIONS_ID = 'mas'

const SECTIONS: readonly PanelSection[] = [
  { path: '/organizadores', text: 'Inscripciones', resource: 'inscripciones', isMain: true },
  { path: '/misspopularidad-resultados', text: 'Votación', resource: 'resultados', isMain: true },
  { path: '/organizadores/final', text: 'La final', resource: 'final', isMain: true },
  { path: '/organizadores/sitio', text: 'El sitio', resource: 'sitio', isMain: true },
  { path: '/organizadores/mensajes', text: 'Mensajes', resource: 'mensajes' },
  { path: '/organizadores/personas', text: 'Personas', resource: 'personas' },
  { path: '/organizadores/visitas', text: 'Visitas al sitio web', resource: 'visitas' },
  { path: '/organizadores/edicion', text: 'Ajustes del año', resource: 'edicion' },
  { path: '/organizadores/sitio/ediciones', text: 'Ediciones por año', resource: 'edicion', needsOtherEditions: true },
  { path: '/organizadores/privacidad', text: 'Privacidad', resource: 'privacidad' },
  { path: '/organizadores/estado', text: 'Estado', resource: 'estado' },
  { path: '/organizadores/bitacora', text: 'Bitácora', resource: 'bitacora' },
  { path: ACCOUNT_PATH, text: 'Mi cuenta', resource: 'organizadores' },
]

export const sectionsOf = (role: Role | null, hasOtherEditions: boolean): PanelSection[] =>
  SECTIONS.filter(
    ({ resource, needsOtherEditions }) => may(role, resource) && (hasOtherEditions || !needsOtherEditions),
  )

/**
 * Returns whether a screen belongs to a section, whose link is then marked as current.
 * @param path of the section
 * @param pathname of the screen
 */
export function isInSection(path: string, pathname: string, hasOtherEditions: boolean): boolean {
  if (pathname === path) return true
  if (path === '/organizadores/sitio')
    return pathname.startsWith(`${path}/`) && !(hasOtherEditions && pathname.endsWith('/ediciones'))
  if (path === '/organizadores/mensajes' || path === '/organizadores/final') return pathname.startsWith(`${path}/`)
  return path === '/organizadores' && /\/(inscripciones\/\d+|varias|avisar|escribir|impresion)$/.test(pathname)
}
