/** An organiser's choice of a preview, in a cookie such as `2025`, `2025~2025-09-25T23:59:00.000Z` or `~2025-09-25T23:59:00.000Z`. */
export interface PreviewRequest {
  /** Year of the previewed draft, by default that of the current edition. */
  edition?: number | undefined
  /** ISO moment; without it the preview shows the present. */
  moment?: string | undefined
}

/** Name of the cookie, before which `createCookies` puts the prefix of all the site's cookies. */
export const PREVIEW_COOKIE = 'vista'

export const writePreviewCookie = ({ edition, moment }: PreviewRequest): string =>
  `${edition ?? ''}${moment === undefined ? '' : `~${moment}`}`

/** Parses a preview's cookie; undefined for an empty or invalid value. */
export function readPreviewCookie(cookie: string | undefined): PreviewRequest | undefined {
  const [, edition, moment] = /^(\d{4})?(?:~([\d:.TZ-]{20,30}))?$/.exec(cookie ?? '-') ?? []
  if (edition === undefined && moment === undefined) return undefined
  if (moment !== undefined && Number.isNaN(Date.parse(moment))) return undefined
  return { edition: edition === undefined ? undefined : Number(edition), moment }
}
