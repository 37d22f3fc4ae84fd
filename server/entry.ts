// Exports of the server bundle: main for scripts/sitio.ts, rendering for scripts/build-steps/render-pages.ts, patterns for tests, and the parts of
// scripts/dev.ts. Nothing of this reaches the browser's bundle.

export { displayedEditionOf, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
export { loadStylesheets } from '#app/core/http/inline-styles.server.ts'
export { readSettings } from '#app/core/process/env.server.ts'
export { addresses, createApp } from './app.ts'
export { startWork } from './background-work.ts'
export { main } from './main.ts'
export { patterns, publicPaths, renderPage } from './render.ts'
export { openSite } from './services.ts'
