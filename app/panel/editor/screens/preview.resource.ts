import { renderScreenContext } from '#app/cms/context.server.ts'
import { MISSING_LOGO_PATH, MISSING_PHOTO_PATH } from '#app/cms/drafts/fallbacks.server.ts'
import { type DisplayedEdition, displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { readMarkedDraft } from '#app/cms/editions/draft-preview.server.ts'
import { contentFileUrl, type ImageManifest, photoBaseUrl } from '#app/cms/media/image-manifest.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { PREVIEWABLE_PATH_PATTERN } from '#app/panel/editor/editable-screens.ts'
import { fileUrlByPath } from '#app/panel/editor/files/upload-protocol.ts'
import { readChosenEdition, requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import type { Route } from './+types/preview.resource'

/** The preview runs no script; the form around its frame handles clicks. */
const PREVIEW_POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; media-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

/** Turns off motion, and outlines the focused field. */
const PREVIEW_STYLE = `<style>
*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent }
html { scroll-behavior: auto !important }
a, button, input, select, textarea, summary { cursor: pointer }
[data-in-focus] { outline: 3px solid #ff6fb2 !important; outline-offset: 4px; border-radius: 2px }
</style>`

/**
 * Renders a public screen without scripts for a frame in the panel, from the draft or, with `publicado` or without a publication
 * of the chosen edition, from the displayed edition.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganiserForFile(request, context, 'sitio')
  const params = new URL(request.url).searchParams
  const path = params.get('ruta') ?? ''
  if (!PREVIEWABLE_PATH_PATTERN.test(path)) return textRefusalResponse('Esa pantalla no está entre las del sitio.', 404)
  const { db } = servicesOf(context).services
  const displayedNow = displayedEdition()
  const preview = params.has('publicado')
    ? undefined
    : await readMarkedDraft(db, (await readChosenEdition(request, context)).year)
  const displayed = preview?.displayed ?? displayedNow
  const render = context.get(renderScreenContext)
  if (!displayed || !render) return textRefusalResponse('Todavía no hay nada publicado que mostrar.', 404)
  const response = await render(path, displayed, request.headers.get('cookie'))
  const html = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/html') || response.status >= 500)
    return textRefusalResponse('Esta pantalla no se pudo mostrar. Lo que escribiste está guardado.', 422)
  const knownKeys = (preview?.places ?? []).map(({ documento, campo }) => fieldKeyOf(documento, campo))
  const staticHtml = withoutScripts(html).replace(
    '</head>',
    () => `${PREVIEW_STYLE}<meta name="claves" content="${escapeHtml(JSON.stringify(knownKeys))}"></head>`,
  )
  return new Response(withDraftFiles(staticHtml, displayed, displayedNow?.manifest), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': PREVIEW_POLICY,
    },
  })
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Removes scripts, preloads, the manifest, autoplay, and `data-first-picture-only`, which only a script ends. */
const withoutScripts = (html: string): string =>
  html
    .replace(/<script\b[\s\S]*?<\/script>/g, '')
    .replace(' data-first-picture-only=""', '')
    .replace(/<link rel="(modulepreload|preload|manifest)"[^>]*>/g, '')
    .replace(/(<video\b[^>]*?)\sautoplay(="")?/gi, '$1')

const GREY_IMAGE_URL = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="960" height="1200"><path fill="#565056" d="M0 0h960v1200H0z"/></svg>').toString('base64')}`

const PREVIEW_WIDTH_PX = 960

/** Replaces the URLs of unpublished pictures and files by URLs for organisers; a missing picture becomes grey. */
function withDraftFiles(html: string, { manifest }: DisplayedEdition, published: ImageManifest | undefined): string {
  let rewrittenHtml = html
  for (const [path, entry] of Object.entries(manifest.photos)) {
    if (published?.photos[path]?.hash === entry.hash) continue
    const replacement = path === MISSING_PHOTO_PATH ? GREY_IMAGE_URL : escapedFileUrl(path)
    rewrittenHtml = rewrittenHtml.replaceAll(
      new RegExp(`${photoBaseUrl(path, entry)}-\\d+\\.\\w+`, 'g'),
      () => replacement,
    )
  }
  for (const [path, entry] of Object.entries(manifest.files)) {
    if (published?.files[path]?.hash === entry.hash) continue
    rewrittenHtml = rewrittenHtml.replaceAll(contentFileUrl(manifest, path), () =>
      path === MISSING_LOGO_PATH ? GREY_IMAGE_URL : escapedFileUrl(path),
    )
  }
  return rewrittenHtml
}

const escapedFileUrl = (path: string) => escapeHtml(fileUrlByPath(path, PREVIEW_WIDTH_PX))
