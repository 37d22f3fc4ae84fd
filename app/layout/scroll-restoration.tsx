import { use, useState } from 'react'
import { UNSAFE_useScrollRestoration as useScrollRestoration } from 'react-router'
import { InlineStylesContext } from '#app/core/http/inline-styles.tsx'

/** Where the router keeps how far each entry of the history was scrolled; it does not publish the name. */
const KEPT_UNDER = 'react-router-scroll-positions'

/** Runs in the document before the page is alive, and stands in no file of the browser's. */
const EARLY = {
  __html: import.meta.env.SSR
    ? `(()=>{
if(!history.state?.key)history.replaceState({key:Math.random().toString(32).slice(2)},"")
try{const y=JSON.parse(sessionStorage.getItem("${KEPT_UNDER}")||"{}")[history.state.key];if(typeof y==="number")scrollTo(0,y)}
catch{try{sessionStorage.removeItem("${KEPT_UNDER}")}catch{}}
})()`
    : '',
}

/**
 * Puts a reloaded page, or one that was come back to, where it was left. The router's own component writes its script
 * anew at every change of screen, which the policy forbids (trusted types); this one is written once, by the server.
 */
export function ScrollRestoration() {
  useScrollRestoration()
  const { nonce } = use(InlineStylesContext)
  const [isOfTheDocument] = useState(
    () => typeof document === 'undefined' || document.documentElement.dataset.despierta === undefined,
  )
  return isOfTheDocument && <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={EARLY} />
}
