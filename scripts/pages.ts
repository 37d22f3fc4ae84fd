import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { conEdicion, puestaDe } from '../app/edicion/contenido.server.ts'
import type { Pagina } from '../app/edicion/publicaciones.server.ts'
import type { PageEntry, PagesManifest } from '../server/pages.ts'

/** What the build left for rendering ahead of any request. */
export interface ServerBundle {
  loadHojas(folder: string): void
  publicPaths(): Promise<string[]>
  renderPage(request: Request): Promise<Response>
  conEdicion: typeof conEdicion
  puestaDe: typeof puestaDe
}

/** The build as it lies on the disk now, ready to render. */
export async function loadBundle(root: string): Promise<ServerBundle> {
  const file = pathToFileURL(join(root, 'build/server/index.js'))
  file.searchParams.set('built', String(Date.now()))
  const bundle = (await import(file.href)) as ServerBundle
  bundle.loadHojas(join(root, 'build/client'))
  return bundle
}

/** Renders every public screen with its data, and everything else that is rendered ahead. */
export async function renderAll({ publicPaths, renderPage }: ServerBundle): Promise<Pagina[]> {
  const paginas: Pagina[] = []
  const keep = (ruta: string, body: string, cabeceras: Record<string, string>) =>
    paginas.push({ ruta, cabeceras, cuerpo: Buffer.from(body) })
  const render = (path: string) => renderPage(new Request(`http://localhost${path}`))
  for (const path of await publicPaths()) {
    const answer = await render(path)
    if (answer.status !== 200) throw new Error(`${path} no se pudo preparar: contestó ${answer.status}`)
    const body = await answer.text()
    const headers = ownHeaders(answer)
    if (!headers['content-type']?.startsWith('text/html')) {
      keep(path, body, headers)
      continue
    }
    keep(path, fontsAfterText(deferScripts(body)), headers)
    const dataPath = path === '/' ? '/_.data' : `${path}.data`
    const data = await render(dataPath)
    if (data.status === 200) keep(dataPath, await data.text(), { 'content-type': 'text/x-script' })
  }
  return paginas
}

/** Renders content/ into build/pages. */
export async function renderPages(root: string): Promise<void> {
  const paginas = await renderAll(await loadBundle(root))
  const folder = join(root, 'build/pages')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const pages: PageEntry[] = []
  for (const { ruta, cabeceras, cuerpo } of paginas) {
    const kind = cabeceras['content-type']?.startsWith('text/html') ? 'html' : 'data'
    const file = `${ruta.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'inicio'}.${kind}`
    await writeFile(join(folder, file), cuerpo)
    pages.push({ path: ruta, file, headers: cabeceras })
  }
  const manifest: PagesManifest = { pages }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 1))
}

function ownHeaders(answer: Response): Record<string, string> {
  const own = ['content-type', 'content-disposition', 'service-worker-allowed'].map((name) => [
    name,
    answer.headers.get(name),
  ])
  return Object.fromEntries(own.filter(([, value]) => value !== null))
}

const FONT_PRELOAD = /<link rel="preload" as="font"[^>]*>/g

/**
 * Moves the fonts' preloads behind the text. At the head of the document they hold back the first paint (some 60 ms on
 * a slow phone), for which the measured fallbacks are enough.
 */
function fontsAfterText(html: string): string {
  const preloads = [...html.matchAll(FONT_PRELOAD)].map(([link]) => link).join('')
  return html.replaceAll(FONT_PRELOAD, '').replace('</body>', () => `${preloads}</body>`)
}

const MODULE_SCRIPT = /<script type="module" async="">([\s\S]*?)<\/script>/

/**
 * Holds the page's JavaScript back until its first picture is there: on a weak network the two would share the line,
 * and the picture is what the visitor came for. The JavaScript starts after the picture, at the first touch or key, or
 * after 3 s. A small inline script turns the header black meanwhile once the page is scrolled. It also keeps the last
 * button, or link with `data-espera`, that was pressed before the page is alive, and presses it again when it is; if
 * the JavaScript does not arrive, it follows such a link.
 */
export function deferScripts(html: string): string {
  const found = MODULE_SCRIPT.exec(html)
  if (!found) throw new Error('The rendered page has no module script to hold back')
  const code = found[1]!
  const imports = [...code.matchAll(/^import (?:\* as (\w+) from )?("[^"]+");$/gm)]
  const modules = /window\.__reactRouterRouteModules = \{([^}]*)\};/.exec(code)?.[1]
  const entry = /^import\(("[^"]+")\);$/m.exec(code)?.[1]
  if (imports.length === 0 || modules === undefined || !entry)
    throw new Error('The module script has another form than expected')
  const preloads = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)"\/>/g)].map(([, href]) => href)
  const names = imports.map(([, name], at) => name ?? `_${at}`)
  const starter = `(()=>{
let begun
const begin=()=>{
if(begun)return
begun=1
for(const href of ${JSON.stringify(preloads)}){const link=document.createElement("link");link.rel="modulepreload";link.href=href;document.head.append(link)}
Promise.all([${imports.map(([, , url]) => `import(${url})`).join(',')}]).then(([${names.join(',')}])=>{window.__reactRouterRouteModules={${modules}};return import(${entry})}).catch(error=>{
removeEventListener("click",keep,true)
if(early?.href)location.assign(early.href)
throw error
})
}
const hero=document.querySelector("img[data-primera]")
const soon=()=>setTimeout(begin,50)
if(!hero||hero.complete)addEventListener("load",soon,{once:true})
else{hero.addEventListener("load",soon,{once:true});hero.addEventListener("error",soon,{once:true})}
if(document.readyState==="complete"&&(!hero||hero.complete))soon()
for(const type of ["pointerdown","keydown","touchstart","wheel"])addEventListener(type,begin,{once:true,passive:true,capture:true})
addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-bajada",scrollY>0),{passive:true})
setTimeout(begin,3000)
let early
const keep=event=>{
if(document.documentElement.hasAttribute("data-despierta"))return
early=event.target.closest("button:not([popovertarget]),a[data-espera]")
if(!early?.href)return
if(event.ctrlKey||event.metaKey||event.shiftKey||event.altKey)early=undefined
else{event.preventDefault();begin()}
}
addEventListener("click",keep,true)
new MutationObserver((_,observer)=>{observer.disconnect();removeEventListener("click",keep,true);early?.click()}).observe(document.documentElement,{attributeFilter:["data-despierta"]})
})()`
  return html
    .replace(MODULE_SCRIPT, () => `<script type="module" async="">${starter}</script>`)
    .replaceAll(/<link rel="modulepreload" href="[^"]+"\/>/g, '')
}
