import type { Rol } from './schema.ts'

export const ROLES: readonly Rol[] = ['admin', 'revision', 'conteo', 'sitio', 'notaria', 'jurado', 'prensa']

/** What an account is for, in Spanish. */
export const NOMBRE_DE_ROL: Readonly<Record<Rol, string>> = {
  admin: 'Todo',
  revision: 'Inscripciones, sin fotos en traje de baño',
  conteo: 'Sólo el conteo',
  sitio: 'Sólo el sitio',
  notaria: 'Notaría de la final',
  jurado: 'Jurado de la final',
  prensa: 'Prensa',
}
