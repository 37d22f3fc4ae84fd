import type { Role } from './schema.ts'

/** Roles that an account can be given; a judge's role comes with the judge's link alone. */
export const ROLES: readonly Role[] = ['admin', 'revision', 'conteo', 'sitio', 'notaria', 'prensa']

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: 'Todo',
  revision: 'Inscripciones, sin fotos en traje de baño',
  conteo: 'Sólo el conteo',
  sitio: 'Sólo el sitio',
  notaria: 'Notaría de la final',
  jurado: 'Jurado de la final',
  prensa: 'Prensa',
}
