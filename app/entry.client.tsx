import { startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { HojasContext, inItsOrder } from '#app/platform/hojas.tsx'

// The router knows the sheets that came inside the document as links, and must not fetch them again.
const hojas = [...document.querySelectorAll<HTMLStyleElement>('style[data-hoja]')].map((style) => ({
  href: style.dataset.hoja ?? '',
  css: style.textContent,
}))
const inlined = new Set(hojas.map(({ href }) => href))
for (const [id, route] of Object.entries(window.__reactRouterManifest?.routes ?? {})) {
  if (route?.css) route.css = inItsOrder(id, route.css).filter((href) => !inlined.has(href))
}

startTransition(() => {
  hydrateRoot(
    document,
    <HojasContext value={{ hojas }}>
      {/* As a transition, a change of screen would be rendered in slices, with all of the old screen's frames in between. */}
      <HydratedRouter useTransitions={false} />
    </HojasContext>,
  )
})
