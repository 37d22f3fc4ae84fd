import { organiserOf } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { loadEditionCard, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { PREVIEW_COOKIE, readPreviewCookie } from '#app/cms/editions/preview-cookie.ts'
import { at } from './render.ts'
import type { Site } from './services.ts'

/** What is the panel's own, and never a part of what is looked at. */
const OWN_PATHS = ['/organizadores', '/cuentas', '/entrar', '/sesion', '/assets/', '/subidas', '/healthz', '/readyz']

const isOwnPath = (pathname: string) => OWN_PATHS.some((path) => pathname === path || pathname.startsWith(path))

/** Whether a request may come from somebody who looks at the site as it would be; the cookie alone says nothing more. */
export const mayBePreview = (cookie: string | undefined): boolean => cookie?.includes(`.${PREVIEW_COOKIE}=`) ?? false

export interface PreviewRequest {
  sitio: Site
  /** Does something with the draft in place of the edition in force. */
  con<T>(work: () => T): T
}

/**
 * The site as an organiser asked to see it: its draft, at the moment of her choice. Nobody else has any use for the
 * cookie.
 */
export function createPreviewLook(site: Site) {
  const { services, cuentas, ediciones } = site
  const cookies = createCookies(services.settings.publicUrl)

  return async (request: Request): Promise<PreviewRequest | undefined> => {
    const asked = readPreviewCookie(cookies.read(request, PREVIEW_COOKIE))
    if (!asked || isOwnPath(new URL(request.url).pathname)) return undefined
    if (!(await organiserOf(request, cuentas, 'sitio'))) return undefined
    const preview = await ediciones.borradores.ver(asked.edicion ?? (await loadEditionCard()).anio)
    if (!preview) return undefined
    const { momento } = asked
    return {
      sitio: { ...at(site, momento === undefined ? undefined : new Date(momento)), vista: { momento } },
      con: (work) => withEdition(preview.puesta, work),
    }
  }
}
