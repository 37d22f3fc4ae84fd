import { createContext, use } from 'react'

/**
 * JSON-LD of the requested screen, for search engines. Only the server renders it: the content security policy forbids the
 * browser to write into scripts, and hydration ignores unknown elements in the head and at the end of the body.
 */
export const JsonLdContext = createContext<string | undefined>(undefined)

export function JsonLd() {
  const json = use(JsonLdContext)
  return json && <script type="application/ld+json">{json}</script>
}
