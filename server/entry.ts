// The server bundle's face: scripts/serve.ts calls main, scripts/pages.ts calls renderPage, the browser bundle sees none of it.
export { main } from './main.ts'
export { renderPage } from './render.ts'
