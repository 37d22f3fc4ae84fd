import { createContext, use } from 'react'

/**
 * Search engines read this JSON-LD of the requested screen. Only the server renders it: the browser may not write into scripts,
 * and React leaves foreign elements in the head and at the end of the body alone.
 */
export const JsonLdContext = createContext<string | undefined>(undefined)

export function JsonLd() {
  const json = use(JsonLdContext)
  return json && <script type="application/ld+json">{json}</script>
}
