/** An organiser asks for a preview by a cookie that holds `2025`, `2025~2025-09-25T23:59:00.000Z` or `~…Z`. */
export interface PreviewRequest {
  /** The year of the previewed draft; undefined: the current edition. */
  edition?: number | undefined
  /** An ISO moment; undefined: now. */
  moment?: string | undefined
}

/** `createCookies` puts the prefix of all the site's cookies before this name. */
export const PREVIEW_COOKIE = 'vista'

export const writePreviewCookie = ({ edition, moment }: PreviewRequest): string =>
  `${edition ?? ''}${moment === undefined ? '' : `~${moment}`}`

/** Reads a preview's cookie; undefined for an empty or invalid value. */
export function readPreviewCookie(cookie: string | undefined): PreviewRequest | undefined {
  const [, edition, moment] = /^(\d{4})?(?:~([\d:.TZ-]{20,30}))?$/.exec(cookie ?? '-') ?? []
  if (edition === undefined && moment === undefined) return undefined
  if (moment !== undefined && Number.isNaN(Date.parse(moment))) return undefined
  return { edition: edition === undefined ? undefined : Number(edition), moment }
}
