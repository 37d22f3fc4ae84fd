import { createContext, use } from 'react'

export interface Stylesheet {
  href: string
  css: string
}

/** Stylesheets of the requested screen. They are inlined in its document, so that no request delays the first paint. */
export const InlineStylesContext = createContext<{ sheets: Stylesheet[]; nonce?: string | undefined }>({ sheets: [] })

/**
 * Orders a route's stylesheets so that the screen's own come after those of shared components, which they may override. React
 * Router's manifest lists the screen's own first, except for the root, and appends «#» to the address of a stylesheet that lazily
 * loaded code shares.
 */
export const orderStylesheets = (routeId: string, manifestHrefs: readonly string[]) => {
  const hrefs = manifestHrefs.map((href) => href.replace(/#$/, ''))
  return routeId === 'root' ? hrefs : hrefs.reverse()
}

/** Inlines the stylesheets of the context. @param accentStyles CSS with an edition's colours, which comes last */
export function InlineStyles({ accentStyles }: { accentStyles?: string | undefined }) {
  const { sheets, nonce } = use(InlineStylesContext)
  // Browsers hide the nonce attribute from scripts, so it differs on hydration.
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
