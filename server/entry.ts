// The server bundle's face: scripts/serve.ts calls main, scripts/builder/render-pages.ts renders ahead, tests ask for the patterns,
// scripts/dev.ts puts its own server together. Nothing of it reaches the browser's bundle.

export { displayedEditionOf, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
export { loadStylesheets } from '#app/core/http/inline-styles.server.ts'
export { readSettings } from '#app/core/process/env.server.ts'
export { addresses, createApp } from './app.ts'
export { startWork } from './background-work.ts'
export { main } from './main.ts'
export { patterns, publicPaths, renderPage } from './render.ts'
export { openSite } from './services.ts'
