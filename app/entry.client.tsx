import { startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { createServedDocument } from './core/browser-resilience/hydration-recovery.client.ts'
import { InlineStylesContext, inItsOrder } from './core/http/inline-styles.tsx'

// The router knows the inlined stylesheets as links, and must not fetch them again.
const sheets = [...document.querySelectorAll<HTMLStyleElement>('style[data-hoja]')].map((style) => ({
  href: style.dataset.hoja ?? '',
  css: style.textContent,
}))
const inlined = new Set(sheets.map(({ href }) => href))
for (const [id, route] of Object.entries(window.__reactRouterManifest?.routes ?? {})) {
  if (route?.css) route.css = inItsOrder(id, route.css).filter((href) => !inlined.has(href))
}

const served = createServedDocument()

/** After an error while rendering, puts back the document that the server sent, in place of an empty page. */
function giveUp(error: unknown) {
  reportError(error)
  queueMicrotask(() => {
    root?.unmount()
    served.restore()
  })
}

let root: Root | undefined
function wake() {
  startTransition(() => {
    root = hydrateRoot(
      document,
      <InlineStylesContext value={{ sheets, nonce: document.querySelector<HTMLElement>('style[nonce]')?.nonce }}>
        {/* In a transition React would render a change of screen in slices, with frames of the old screen in between. */}
        <HydratedRouter useTransitions={false} />
      </InlineStylesContext>,
      { onUncaughtError: giveUp, onCaughtError: giveUp, onRecoverableError: () => served.carryOver() },
    )
  })
}

// A browser may prerender a page that its person never opens. Hydration waits until the page is seen, so that no vote is cast
// and no code asked for.
if ((document as { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', wake, { once: true })
else wake()
