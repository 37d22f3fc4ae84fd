/** What an organiser asked to look at, as the cookie keeps it: `2025` or `2025~2025-09-25T23:59:00.000Z`. */
export interface PreviewRequest {
  /** Year of the edition whose draft is looked at; undefined: the current one. */
  edicion?: number | undefined
  /** ISO; undefined: now. */
  momento?: string | undefined
}

/** Its name, behind what all cookies of the site begin with. */
export const PREVIEW_COOKIE = 'vista'

export const writePreviewCookie = ({ edicion, momento }: PreviewRequest): string =>
  `${edicion ?? ''}${momento === undefined ? '' : `~${momento}`}`

/** @returns undefined where nothing was asked for */
export function readPreviewCookie(cookie: string | undefined): PreviewRequest | undefined {
  const [, edition, moment] = /^(\d{4})?(?:~([\d:.TZ-]{20,30}))?$/.exec(cookie ?? '-') ?? []
  if (edition === undefined && moment === undefined) return undefined
  if (moment !== undefined && Number.isNaN(Date.parse(moment))) return undefined
  return { edicion: edition === undefined ? undefined : Number(edition), momento: moment }
}
