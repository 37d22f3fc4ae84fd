import { use, useState } from 'react'
import { UNSAFE_useScrollRestoration as useScrollRestoration } from 'react-router'
import { InlineStylesContext } from '#app/core/http/inline-styles.tsx'

/** React Router's sessionStorage key of scroll positions, which it does not export. */
const STORAGE_KEY = 'react-router-scroll-positions'

/** Inline script that runs before hydration. The browser's bundle does not contain it. */
const EARLY_SCRIPT = {
  __html: import.meta.env.SSR
    ? `(()=>{
if(!history.state?.key)history.replaceState({key:Math.random().toString(32).slice(2)},"")
try{const y=JSON.parse(sessionStorage.getItem("${STORAGE_KEY}")||"{}")[history.state.key];if(typeof y==="number")scrollTo(0,y)}
catch{try{sessionStorage.removeItem("${STORAGE_KEY}")}catch{}}
})()`
    : '',
}

/**
 * Restores the scroll position after a reload or Back. Replaces React Router's component, which rewrites its script at every
 * navigation; the content security policy forbids that (Trusted Types).
 */
export function ScrollRestoration() {
  useScrollRestoration()
  const { nonce } = use(InlineStylesContext)
  const [isServedDocument] = useState(
    () => typeof document === 'undefined' || document.documentElement.dataset.hydrated === undefined,
  )
  return isServedDocument && <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={EARLY_SCRIPT} />
}
