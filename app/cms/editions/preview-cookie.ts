/** What an organiser asked to look at, as the cookie keeps it: `2025` or `2025~2025-09-25T23:59:00.000Z`. */
export interface VistaPedida {
  /** Year of the edition whose draft is looked at; undefined: the current one. */
  edicion?: number | undefined
  /** ISO; undefined: now. */
  momento?: string | undefined
}

/** Its name, behind what all cookies of the site begin with. */
export const COOKIE_DE_VISTA = 'vista'

export const writeVista = ({ edicion, momento }: VistaPedida): string =>
  `${edicion ?? ''}${momento === undefined ? '' : `~${momento}`}`

/** @returns undefined where nothing was asked for */
export function readVista(cookie: string | undefined): VistaPedida | undefined {
  const [, edicion, momento] = /^(\d{4})?(?:~([\d:.TZ-]{20,30}))?$/.exec(cookie ?? '-') ?? []
  if (edicion === undefined && momento === undefined) return undefined
  if (momento !== undefined && Number.isNaN(Date.parse(momento))) return undefined
  return { edicion: edicion === undefined ? undefined : Number(edicion), momento }
}
