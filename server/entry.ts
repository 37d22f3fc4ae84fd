// The exports of the server's bundle, which is no part of the browser's bundle.

// For scripts/build-steps/render-pages.ts:
export { displayedEditionOf, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
export { loadStylesheets } from '#app/core/http/inline-styles.server.ts'
// For scripts/dev.ts, and createApp and openSite also for tests:
export { readSettings } from '#app/core/process/env.server.ts'
export { createApp, earlyRoutePaths } from './app.ts'
export { startBackgroundWork } from './background-work.ts'
// For scripts/sitio.ts:
export { serveSite } from './main.ts'
// For scripts/build-steps/render-pages.ts; routePatterns and earlyRoutePaths for tests:
export { publicPaths, renderPage, routePatterns } from './render.ts'
export { openSite } from './services.ts'
