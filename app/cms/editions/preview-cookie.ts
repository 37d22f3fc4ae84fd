/** The preview that an organiser asked for. Its cookie holds `2025` or `2025~2025-09-25T23:59:00.000Z`. */
export interface PreviewRequest {
  /** Year of the edition whose draft is previewed; undefined: the current one. */
  edition?: number | undefined
  /** ISO; undefined: now. */
  moment?: string | undefined
}

/** The cookie's name, without the prefix of all the site's cookies. */
export const PREVIEW_COOKIE = 'vista'

export const writePreviewCookie = ({ edition, moment }: PreviewRequest): string =>
  `${edition ?? ''}${moment === undefined ? '' : `~${moment}`}`

/** @returns undefined for an empty or invalid value */
export function readPreviewCookie(cookie: string | undefined): PreviewRequest | undefined {
  const [, edition, moment] = /^(\d{4})?(?:~([\d:.TZ-]{20,30}))?$/.exec(cookie ?? '-') ?? []
  if (edition === undefined && moment === undefined) return undefined
  if (moment !== undefined && Number.isNaN(Date.parse(moment))) return undefined
  return { edition: edition === undefined ? undefined : Number(edition), moment }
}
