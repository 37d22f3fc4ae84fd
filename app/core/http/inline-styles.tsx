import { createContext, use } from 'react'

export interface Sheet {
  href: string
  css: string
}

/** Stylesheets of the requested screen, inlined in its document so that no request delays the first paint. */
export const InlineStylesContext = createContext<{ sheets: Sheet[]; nonce?: string | undefined }>({ sheets: [] })

/**
 * Orders a route's stylesheets: sheets of shared components come before the screen's own, which may override them. The manifest
 * lists them the other way round, except for the root. It also appends «#» to sheets that lazily loaded code shares; the «#» is
 * cut off.
 */
export const inItsOrder = (routeId: string, css: readonly string[]) => {
  const hrefs = css.map((href) => href.replace(/#$/, ''))
  return routeId === 'root' ? hrefs : hrefs.reverse()
}

/** @param overlay a sheet over all others: an edition's changes */
export function InlineStyles({ overlay }: { overlay?: string | undefined }) {
  const { sheets, nonce } = use(InlineStylesContext)
  return (
    <>
      {sheets.map(({ href, css }) => (
        <style key={href} data-hoja={href} nonce={nonce} suppressHydrationWarning>
          {css}
        </style>
      ))}
      {overlay && (
        <style nonce={nonce} suppressHydrationWarning>
          {overlay}
        </style>
      )}
    </>
  )
}
