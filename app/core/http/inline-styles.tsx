import { createContext, use } from 'react'

export interface Sheet {
  href: string
  css: string
}

/** Stylesheets of the requested screen. They are inlined in its document, so that no request delays the first paint. */
export const InlineStylesContext = createContext<{ sheets: Sheet[]; nonce?: string | undefined }>({ sheets: [] })

/**
 * Orders a route's stylesheets: sheets of shared components come before the screen's own sheet, which may override them. React
 * Router's manifest lists them the other way round, except for the root, and appends «#» to sheets that lazily loaded code
 * shares; the «#» is cut off.
 */
export const orderStylesheets = (routeId: string, css: readonly string[]) => {
  const hrefs = css.map((href) => href.replace(/#$/, ''))
  return routeId === 'root' ? hrefs : hrefs.reverse()
}

/** Inlines the sheets of the context. @param accentStyles a sheet over all others, with an edition's colours */
export function InlineStyles({ accentStyles }: { accentStyles?: string | undefined }) {
  const { sheets, nonce } = use(InlineStylesContext)
  return (
    <>
      {sheets.map(({ href, css }) => (
        <style key={href} data-sheet={href} nonce={nonce} suppressHydrationWarning>
          {css}
        </style>
      ))}
      {accentStyles && (
        <style nonce={nonce} suppressHydrationWarning>
          {accentStyles}
        </style>
      )}
    </>
  )
}
