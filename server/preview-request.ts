import { organiserOf } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { loadEditionCard, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { PREVIEW_COOKIE, readPreviewCookie } from '#app/cms/editions/preview-cookie.ts'
import { siteAt } from './render.ts'
import type { Site } from './services.ts'

/** These paths are never part of a draft preview. */
const OWN_PATHS = ['/organizadores', '/cuentas', '/entrar', '/sesion', '/assets/', '/subidas', '/healthz', '/readyz']

const isOwnPath = (pathname: string) => OWN_PATHS.some((path) => pathname === path || pathname.startsWith(path))

/** Returns whether a request has the cookie of a draft preview; the cookie alone proves nothing. */
export const mayBePreview = (cookie: string | undefined): boolean => cookie?.includes(`.${PREVIEW_COOKIE}=`) ?? false

export interface PreviewRequest {
  site: Site
  /** Runs `work` with the draft in place of the current edition. */
  run<T>(work: () => T): T
}

/**
 * Creates a function that reads the draft preview that an organiser asked for: her draft, at the moment of her choice. The cookie
 * works only with an organiser's session.
 */
export function createPreviewLook(site: Site) {
  const { services, accounts, editions } = site
  const cookies = createCookies(services.settings.publicUrl)

  return async (request: Request): Promise<PreviewRequest | undefined> => {
    const asked = readPreviewCookie(cookies.read(request, PREVIEW_COOKIE))
    if (!asked || isOwnPath(new URL(request.url).pathname)) return undefined
    if (!(await organiserOf(request, accounts, 'sitio'))) return undefined
    const preview = await editions.draftPreviews.find(asked.edition ?? (await loadEditionCard()).anio)
    if (!preview) return undefined
    const { moment } = asked
    return {
      site: { ...siteAt(site, moment === undefined ? undefined : new Date(moment)), preview: { moment } },
      run: (work) => withEdition(preview.displayed, work),
    }
  }
}
