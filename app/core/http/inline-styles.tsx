import { createContext, use } from 'react'

export interface Stylesheet {
  href: string
  css: string
}

/** Stylesheets of the requested screen. They are inlined in its document, so that no request delays the first paint. */
export const InlineStylesContext = createContext<{ sheets: Stylesheet[]; nonce?: string | undefined }>({ sheets: [] })

/**
 * Orders a route's stylesheets: those of shared components come before the screen's own, which may override them. React Router's
 * manifest lists them the other way round, except for the root, and appends «#» to stylesheets that lazily loaded code shares.
 */
export const orderStylesheets = (routeId: string, css: readonly string[]) => {
  const hrefs = css.map((href) => href.replace(/#$/, ''))
  return routeId === 'root' ? hrefs : hrefs.reverse()
}

/** Inlines the stylesheets of the context. @param accentStyles CSS with an edition's colours, which comes last */
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
