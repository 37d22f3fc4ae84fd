import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { displayedEditionOf, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { RenderedPage } from '#app/cms/publishing/publications.server.ts'
import type { PageEntry, PagesManifest } from '../../server/pages.ts'

/** The exports of the server's bundle for prerendering. */
export interface ServerBundle {
  loadStylesheets(folder: string): void
  publicPaths(): Promise<string[]>
  renderPage(request: Request): Promise<Response>
  withEdition: typeof withEdition
  displayedEditionOf: typeof displayedEditionOf
}

/** Imports the server's bundle from disk, even if an earlier build was imported: the query string passes the module cache. */
export async function loadBundle(root: string): Promise<ServerBundle> {
  const file = pathToFileURL(join(root, 'build/server/index.js'))
  file.searchParams.set('built', String(Date.now()))
  const bundle = (await import(file.href)) as ServerBundle
  bundle.loadStylesheets(join(root, 'build/client'))
  return bundle
}

/** Renders every prerendered path: screens with their data, and resources. @throws if a path is not answered with 200 */
export async function renderAll({ publicPaths, renderPage }: ServerBundle): Promise<RenderedPage[]> {
  const renderedPages: RenderedPage[] = []
  const addPage = (path: string, body: string, headers: Record<string, string>) =>
    renderedPages.push({ ruta: path, cabeceras: headers, cuerpo: Buffer.from(body) })
  const render = (path: string) => renderPage(new Request(`http://localhost${path}`))
  for (const path of await publicPaths()) {
    const response = await render(path)
    if (response.status !== 200) throw new Error(`${path} no se pudo preparar: contestó ${response.status}`)
    const headers = keptHeaders(response)
    addPage(path, await response.text(), headers)
    if (!headers['content-type']?.startsWith('text/html')) continue
    const dataPath = path === '/' ? '/_.data' : `${path}.data`
    const dataResponse = await render(dataPath)
    if (dataResponse.status === 200) addPage(dataPath, await dataResponse.text(), { 'content-type': 'text/x-script' })
  }
  return renderedPages
}

/** Renders content/ into build/pages. */
export async function renderPages(root: string): Promise<void> {
  const renderedPages = await renderAll(await loadBundle(root))
  const folder = join(root, 'build/pages')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const pages: PageEntry[] = []
  for (const { ruta, cabeceras, cuerpo } of renderedPages) {
    const kind = cabeceras['content-type']?.startsWith('text/html') ? 'html' : 'data'
    const file = `${ruta.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'inicio'}.${kind}`
    await writeFile(join(folder, file), cuerpo)
    pages.push({ path: ruta, file, headers: cabeceras })
  }
  const manifest: PagesManifest = { pages }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 1))
}

/** Returns the headers of a response that are stored with its page. */
function keptHeaders(response: Response): Record<string, string> {
  const headers = ['content-type', 'content-disposition', 'service-worker-allowed'].map((name) => [
    name,
    response.headers.get(name),
  ])
  return Object.fromEntries(headers.filter(([, value]) => value !== null))
}
