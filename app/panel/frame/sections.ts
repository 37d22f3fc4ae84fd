import { may, type Resource } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'

interface Section {
  a: string
  text: string
  resource: Resource
  /** The section shows only where there is more than one edition. */
  needsOtherEditions?: true
}

/** The own account is the only section while a required second factor is missing. */
export const ACCOUNT_PATH = '/organizadores/cuenta'

const SECTIONS: readonly Section[] = [
  { a: '/organizadores', text: 'Inscripciones', resource: 'inscripciones' },
  { a: '/organizadores/mensajes', text: 'Mensajes', resource: 'mensajes' },
  { a: '/organizadores/personas', text: 'Personas', resource: 'personas' },
  { a: '/misspopularidad-resultados', text: 'Votación', resource: 'resultados' },
  { a: '/organizadores/final', text: 'La final', resource: 'final' },
  { a: '/organizadores/bitacora', text: 'Bitácora', resource: 'bitacora' },
  { a: '/organizadores/edicion', text: 'Edición', resource: 'edicion' },
  { a: '/organizadores/privacidad', text: 'Privacidad', resource: 'privacidad' },
  { a: '/organizadores/estado', text: 'Estado', resource: 'estado' },
  { a: '/organizadores/sitio', text: 'El sitio', resource: 'sitio' },
  { a: '/organizadores/visitas', text: 'Visitas', resource: 'visitas' },
  { a: '/organizadores/sitio/ediciones', text: 'Cambiar de edición', resource: 'edicion', needsOtherEditions: true },
  { a: ACCOUNT_PATH, text: 'Mi cuenta', resource: 'organizadores' },
]

export const sectionsOf = (role: Role | null, hasOtherEditions: boolean): Section[] =>
  SECTIONS.filter(
    ({ resource, needsOtherEditions }) => may(role, resource) && (hasOtherEditions || !needsOtherEditions),
  )

/** Says whether a screen belongs to a section, which then is marked as the current one. */
export function isSection(a: string, pathname: string, hasOtherEditions: boolean): boolean {
  if (pathname === a) return true
  if (a === '/organizadores/sitio')
    return pathname.startsWith(`${a}/`) && !(hasOtherEditions && pathname.endsWith('/ediciones'))
  if (a === '/organizadores/mensajes') return pathname.startsWith(`${a}/`)
  return a === '/organizadores' && /\/(inscripciones\/\d+|varias|avisar|impresion)$/.test(pathname)
}
