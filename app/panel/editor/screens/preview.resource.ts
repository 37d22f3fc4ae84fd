import { pintarContext } from '#app/cms/context.server.ts'
import { FOTO_QUE_FALTA, LOGO_QUE_FALTA } from '#app/cms/drafts/fallbacks.ts'
import { type EdicionPuesta, edicionPuesta } from '#app/cms/editions/displayed-edition.server.ts'
import { leeBorradorParaVer } from '#app/cms/editions/draft-preview.server.ts'
import { type ImageManifest, photoBase, toUrl } from '#app/cms/media/image-manifest.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { RUTAS_QUE_SE_VEN } from '#app/panel/editor/editable-screens.ts'
import { readElegida, refused, requireOrganizador } from '#app/panel/guards.server.ts'
import type { Route } from './+types/preview.resource'

/** Nothing runs in it: the form around it does what there is to do. */
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; media-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

/** Everything stands still, where it would stand in the end; the field that is being written is lit. */
const HOJA = `<style>
*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent }
html { scroll-behavior: auto !important }
a, button, input, select, textarea, summary { cursor: pointer }
[data-en-foco] { outline: 3px solid #ff6fb2 !important; outline-offset: 4px; border-radius: 2px }
</style>`

/**
 * A public screen as the draft has it, or with `publicado` as it is now: for organisers, in a frame of the form, where
 * nothing of it runs.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganizador(request, context, 'sitio')
  const params = new URL(request.url).searchParams
  const ruta = params.get('ruta') ?? ''
  if (!RUTAS_QUE_SE_VEN.test(ruta)) return refused('Esa pantalla no está entre las del sitio.', 404)
  const { db } = servicesOf(context).services
  const shown = edicionPuesta()
  const seen = params.has('publicado')
    ? undefined
    : await leeBorradorParaVer(db, (await readElegida(request, context)).anio)
  const puesta = seen?.puesta ?? shown
  const pintar = context.get(pintarContext)
  if (!puesta || !pintar) return refused('Todavía no hay nada publicado que mostrar.', 404)
  const answer = await pintar(ruta, puesta, undefined, request.headers.get('cookie'))
  const html = await answer.text()
  if (!answer.headers.get('content-type')?.startsWith('text/html') || answer.status >= 500)
    return refused('Esta pantalla no se pudo mostrar. Lo que escribiste está guardado.', 422)
  const claves = (seen?.lugares ?? []).map(({ documento, campo }) => claveDe(documento, campo))
  const still = sinGuiones(html).replace(
    '</head>',
    () => `${HOJA}<meta name="claves" content="${escaped(JSON.stringify(claves))}"></head>`,
  )
  return new Response(conArchivosNuevos(still, puesta, shown?.manifest), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': POLICY,
    },
  })
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The document without what runs, or plays by itself, or waits for what runs. */
const sinGuiones = (html: string): string =>
  html
    .replace(/<script\b[\s\S]*?<\/script>/g, '')
    .replace(' data-solo-primera=""', '')
    .replace(/<link rel="(modulepreload|preload|manifest)"[^>]*>/g, '')
    .replace(/(<video\b[^>]*?)\sautoplay(="")?/gi, '$1')

const GRIS_URL = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="960" height="1200"><path fill="#565056" d="M0 0h960v1200H0z"/></svg>').toString('base64')}`

const ANCHO_DE_VISTA = 960

/** Pictures and files that nothing public shows yet have another address, for organisers alone; what is missing is grey. */
function conArchivosNuevos(html: string, { manifest }: EdicionPuesta, shown: ImageManifest | undefined): string {
  let text = html
  for (const [path, entry] of Object.entries(manifest.photos)) {
    if (shown?.photos[path]?.hash === entry.hash) continue
    const there = path === FOTO_QUE_FALTA ? GRIS_URL : direccion(path)
    text = text.replaceAll(new RegExp(`${photoBase(path, entry)}-\\d+\\.\\w+`, 'g'), () => there)
  }
  for (const [path, entry] of Object.entries(manifest.files)) {
    if (shown?.files[path]?.hash === entry.hash) continue
    text = text.replaceAll(toUrl(manifest, path), () => (path === LOGO_QUE_FALTA ? GRIS_URL : direccion(path)))
  }
  return text
}

const direccion = (ruta: string) =>
  `/organizadores/sitio/archivo?ruta=${encodeURIComponent(ruta)}&amp;ancho=${ANCHO_DE_VISTA}`
