import { createContext, use } from 'react'

export interface Sheet {
  href: string
  css: string
}

/** The stylesheets of the screen that was asked for, carried inside its document so that no request stands before the first paint. */
export const InlineStylesContext = createContext<{ hojas: Sheet[]; nonce?: string | undefined }>({ hojas: [] })

/**
 * A route's sheets, those of the pieces it uses before its own, so that a screen can change the looks of a piece. The
 * router lists them the other way round; the root's are all its own. To those that code fetched later uses, too, it
 * puts a «#».
 */
export const inItsOrder = (routeId: string, css: readonly string[]) => {
  const hrefs = css.map((href) => href.replace(/#$/, ''))
  return routeId === 'root' ? hrefs : hrefs.reverse()
}

/** @param overlay a sheet over all others: what an edition changes of them */
export function InlineStyles({ encima }: { encima?: string | undefined }) {
  const { hojas, nonce } = use(InlineStylesContext)
  return (
    <>
      {hojas.map(({ href, css }) => (
        <style key={href} data-hoja={href} nonce={nonce} suppressHydrationWarning>
          {css}
        </style>
      ))}
      {encima && (
        <style nonce={nonce} suppressHydrationWarning>
          {encima}
        </style>
      )}
    </>
  )
}
