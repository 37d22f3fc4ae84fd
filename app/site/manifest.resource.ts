import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'

export const handle = { prerender: true }

/** `--night` of tokens.css, the background of nearly every screen. */
const NIGHT = '#0a0608'

/** Serves the web app manifest, for phones on which the site is installed. */
export async function loader() {
  const { nombre, rotulo, anio, descripcion } = await loadEdition()
  const manifest = {
    name: `${nombre} ${anio}`,
    short_name: rotulo[1],
    description: descripcion,
    lang: 'es-MX',
    id: '/',
    start_url: '/',
    // `minimal-ui` has a Back button; more of the browser's controls are not needed, since the screens link to one another.
    display: 'minimal-ui',
    theme_color: NIGHT,
    background_color: NIGHT,
    icons: [
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
  return new Response(JSON.stringify(manifest), { headers: { 'content-type': 'application/manifest+json' } })
}
