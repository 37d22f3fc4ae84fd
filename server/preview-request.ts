import { organiserOf } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { loadEditionCard, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { PREVIEW_COOKIE, readPreviewCookie } from '#app/cms/editions/preview-cookie.ts'
import { siteAt } from './render.ts'
import type { Site } from './services.ts'

/** Beginnings of the paths that are never part of a draft preview. */
const EXCLUDED_PATHS = [
  '/organizadores',
  '/cuentas',
  '/entrar',
  '/sesion',
  '/assets/',
  '/subidas',
  '/healthz',
  '/readyz',
]

const isExcluded = (pathname: string) => EXCLUDED_PATHS.some((path) => pathname.startsWith(path))

/** Returns whether a request has the cookie of a draft preview. The cookie is not verified yet. */
export const mayBePreview = (cookie: string | undefined): boolean => cookie?.includes(`.${PREVIEW_COOKIE}=`) ?? false

export interface PreviewRequest {
  site: Site
  /** Runs `work` with the draft in place of the current edition. */
  run<T>(work: () => T): T
}

/**
 * Creates a function that reads which draft preview a request is for: the draft of an edition, now or at a chosen moment. The cookie
 * works only with the session of an organiser who may edit the site. The function returns undefined for every other request.
 */
export function createPreviewReader(site: Site) {
  const { services, accounts, editions } = site
  const cookies = createCookies(services.settings.publicUrl)

  return async (request: Request): Promise<PreviewRequest | undefined> => {
    const choice = readPreviewCookie(cookies.read(request, PREVIEW_COOKIE))
    if (!choice || isExcluded(new URL(request.url).pathname)) return undefined
    if (!(await organiserOf(request, accounts, 'sitio'))) return undefined
    const preview = await editions.draftPreviews.read(choice.edition ?? (await loadEditionCard()).anio)
    if (!preview) return undefined
    const { moment } = choice
    return {
      site: { ...siteAt(site, moment === undefined ? undefined : new Date(moment)), preview: { moment } },
      run: (work) => withEdition(preview.displayed, work),
    }
  }
}
