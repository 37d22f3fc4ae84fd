import { organizadorDe } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { conEdicion, loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { COOKIE_DE_VISTA, readVista } from '#app/cms/editions/preview-cookie.ts'
import { at } from './render.ts'
import type { Sitio } from './services.ts'

/** What is the panel's own, and never a part of what is looked at. */
const PROPIAS = ['/organizadores', '/cuentas', '/entrar', '/sesion', '/assets/', '/subidas', '/healthz', '/readyz']

const isPropia = (pathname: string) => PROPIAS.some((path) => pathname === path || pathname.startsWith(path))

/** Whether a request may come from somebody who looks at the site as it would be; the cookie alone says nothing more. */
export const mayBeVista = (cookie: string | undefined): boolean => cookie?.includes(`.${COOKIE_DE_VISTA}=`) ?? false

export interface Mirada {
  sitio: Sitio
  /** Does something with the draft in place of the edition in force. */
  con<T>(work: () => T): T
}

/**
 * The site as an organiser asked to see it: its draft, at the moment of her choice. Nobody else has any use for the
 * cookie.
 */
export function createMirada(sitio: Sitio) {
  const { services, cuentas, ediciones } = sitio
  const cookies = createCookies(services.settings.publicUrl)

  return async (request: Request): Promise<Mirada | undefined> => {
    const asked = readVista(cookies.read(request, COOKIE_DE_VISTA))
    if (!asked || isPropia(new URL(request.url).pathname)) return undefined
    if (!(await organizadorDe(request, cuentas, 'sitio'))) return undefined
    const visto = await ediciones.borradores.ver(asked.edicion ?? (await loadFicha()).anio)
    if (!visto) return undefined
    const { momento } = asked
    return {
      sitio: { ...at(sitio, momento === undefined ? undefined : new Date(momento)), vista: { momento } },
      con: (work) => conEdicion(visto.puesta, work),
    }
  }
}
