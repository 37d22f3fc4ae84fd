import { createContext, use } from 'react'

/**
 * What the server tells search engines of the screen that was asked for, as JSON-LD. The browser renders none: it may
 * not write into scripts, and React leaves alone what others put into the head or at the body's end.
 */
export const JsonLdContext = createContext<string | undefined>(undefined)

export function JsonLd() {
  const json = use(JsonLdContext)
  return json && <script type="application/ld+json">{json}</script>
}
