import { startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { createServedDocument } from './core/browser-resilience/hydration-recovery.client.ts'
import { InlineStylesContext, orderStylesheets } from './core/http/inline-styles.tsx'

// The router lists the inlined stylesheets as links, and must not fetch them again.
const sheets = [...document.querySelectorAll<HTMLStyleElement>('style[data-sheet]')].map((style) => ({
  href: style.dataset.sheet ?? '',
  css: style.textContent,
}))
const inlinedHrefs = new Set(sheets.map(({ href }) => href))
for (const [id, route] of Object.entries(window.__reactRouterManifest?.routes ?? {})) {
  if (route?.css) route.css = orderStylesheets(id, route.css).filter((href) => !inlinedHrefs.has(href))
}

const servedDocument = createServedDocument()

/** Restores the document that the server sent, after an error in rendering, which would leave an empty page. */
function restoreServedDocument(error: unknown) {
  reportError(error)
  queueMicrotask(() => {
    root?.unmount()
    servedDocument.restore()
  })
}

let root: Root | undefined
function hydrate() {
  startTransition(() => {
    root = hydrateRoot(
      document,
      <InlineStylesContext value={{ sheets, nonce: document.querySelector<HTMLElement>('style[nonce]')?.nonce }}>
        {/* In a transition React would render a change of screen in slices, with frames of the old screen in between. */}
        <HydratedRouter useTransitions={false} />
      </InlineStylesContext>,
      {
        onUncaughtError: restoreServedDocument,
        onCaughtError: restoreServedDocument,
        onRecoverableError: () => servedDocument.carryOver(),
      },
    )
  })
}

// A browser may prerender a page that the visitor never opens. Hydration waits until the page is shown, so that a prerendered page
// casts no vote and loads no code.
if ((document as { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', hydrate, { once: true })
else hydrate()
