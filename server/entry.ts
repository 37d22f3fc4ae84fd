// The exports of the server's bundle, build/server/index.js.

// For scripts/build-steps/render-pages.ts:
export { displayedEditionOf, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
export { loadStylesheets } from '#app/core/http/inline-styles.server.ts'
// For scripts/dev.ts and tests:
export { readSettings } from '#app/core/process/env.server.ts'
export { createApp, earlyRoutePaths } from './app.ts'
export { startBackgroundWork } from './background-work.ts'
// For scripts/sitio.ts:
export { serveSite } from './main.ts'
// For scripts/build-steps/render-pages.ts and tests:
export { publicPaths, renderPage, routePatterns } from './render.ts'
// For scripts/dev.ts:
export { openSite } from './services.ts'
