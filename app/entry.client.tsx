import { startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { createServedDocument } from './core/browser/hydration-recovery.client.ts'
import { InlineStylesContext, inItsOrder } from './core/http/inline-styles.tsx'

// The router knows the sheets that came inside the document as links, and must not fetch them again.
const sheets = [...document.querySelectorAll<HTMLStyleElement>('style[data-hoja]')].map((style) => ({
  href: style.dataset.hoja ?? '',
  css: style.textContent,
}))
const inlined = new Set(sheets.map(({ href }) => href))
for (const [id, route] of Object.entries(window.__reactRouterManifest?.routes ?? {})) {
  if (route?.css) route.css = inItsOrder(id, route.css).filter((href) => !inlined.has(href))
}

const served = createServedDocument()

/** An error that no screen could be drawn with leaves what the server sent, and never an empty page. */
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
      <InlineStylesContext value={{ hojas: sheets, nonce: document.querySelector<HTMLElement>('style[nonce]')?.nonce }}>
        {/* As a transition, a change of screen would be rendered in slices, with all of the old screen's frames in between. */}
        <HydratedRouter useTransitions={false} />
      </InlineStylesContext>,
      { onUncaughtError: giveUp, onCaughtError: giveUp, onRecoverableError: () => served.carryOver() },
    )
  })
}

// A browser may render a page ahead that its person never opens: until it is seen nothing wakes, so that no vote is cast
// and no code asked for.
if ((document as { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', wake, { once: true })
else wake()
