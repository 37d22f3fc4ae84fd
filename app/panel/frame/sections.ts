import { may, type Resource } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'

interface Section {
  a: string
  texto: string
  recurso: Resource
  /** Whether the section shows only where there is more than one edition. */
  conOtras?: true
}

/** The own account: the only section while a required second factor is missing. */
export const ACCOUNT_PATH = '/organizadores/cuenta'

const SECTIONS: readonly Section[] = [
  { a: '/organizadores', texto: 'Inscripciones', recurso: 'inscripciones' },
  { a: '/organizadores/mensajes', texto: 'Mensajes', recurso: 'mensajes' },
  { a: '/organizadores/personas', texto: 'Personas', recurso: 'personas' },
  { a: '/misspopularidad-resultados', texto: 'Votación', recurso: 'resultados' },
  { a: '/organizadores/final', texto: 'La final', recurso: 'final' },
  { a: '/organizadores/bitacora', texto: 'Bitácora', recurso: 'bitacora' },
  { a: '/organizadores/edicion', texto: 'Edición', recurso: 'edicion' },
  { a: '/organizadores/privacidad', texto: 'Privacidad', recurso: 'privacidad' },
  { a: '/organizadores/estado', texto: 'Estado', recurso: 'estado' },
  { a: '/organizadores/sitio', texto: 'El sitio', recurso: 'sitio' },
  { a: '/organizadores/visitas', texto: 'Visitas', recurso: 'visitas' },
  { a: '/organizadores/sitio/ediciones', texto: 'Cambiar de edición', recurso: 'edicion', conOtras: true },
  { a: ACCOUNT_PATH, texto: 'Mi cuenta', recurso: 'organizadores' },
]

/** The sections that a role opens. */
export const sectionsOf = (role: Role | null, hasOtherEditions: boolean): Section[] =>
  SECTIONS.filter(({ recurso, conOtras }) => may(role, recurso) && (hasOtherEditions || !conOtras))

/** Whether a screen belongs to a section. */
export function isSection(a: string, pathname: string, hasOtherEditions: boolean): boolean {
  if (pathname === a) return true
  if (a === '/organizadores/sitio')
    return pathname.startsWith(`${a}/`) && !(hasOtherEditions && pathname.endsWith('/ediciones'))
  if (a === '/organizadores/mensajes') return pathname.startsWith(`${a}/`)
  return a === '/organizadores' && /\/(inscripciones\/\d+|varias|avisar|impresion)$/.test(pathname)
}
