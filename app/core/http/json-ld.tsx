import { createContext, use } from 'react'

/**
 * JSON-LD of the requested screen, for search engines. Only the server renders it, since the content security policy keeps the
 * browser from writing into scripts. Hydration ignores unknown elements in the head and at the end of the body.
 */
export const JsonLdContext = createContext<string | undefined>(undefined)

export function JsonLd() {
  const json = use(JsonLdContext)
  return json && <script type="application/ld+json">{json}</script>
}
