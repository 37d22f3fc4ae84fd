const MODULE_SCRIPT = /<script([^>]*) type="module" async="">([\s\S]*?)<\/script>/
/** The first paint does not need font preloads, nor JSON-LD, which may be long. */
const DEFERRED_PARTS = /<link rel="preload" as="font"[^>]*>|<script type="application\/ld\+json">[\s\S]*?<\/script>/g
const MODULE_PRELOAD = /<link rel="modulepreload"[^>]*? href="([^"]+)"[^>]*>/g

/**
 * Gives the pictures of a document's first view the bandwidth of a weak network, since visitors come for them. Until these
 * pictures, and then the three fonts, have loaded, the stylesheets name fallback fonts and hold back pictures further down
 * (`data-first-picture-only`), so that the text changes its font once. JavaScript starts after the first pictures, or at the first
 * touch or key. Nothing waits longer than 3 s.
 * The inline script also marks a scrolled page (`data-scrolled`), and keeps the last click on a button, or on a link with
 * `data-espera`, to repeat it after hydration. If the JavaScript does not arrive, the link is followed. A submit button's click
 * is not repeated: the form has been sent already.
 * @throws when the page's module script has another form than expected, as after an upgrade of the router
 */
export function prioritizeFirstPicture(html: string): string {
  const moduleScript = MODULE_SCRIPT.exec(html)
  if (!moduleScript) throw new Error('The rendered page has no module script to hold back')
  const [, attributes, code] = moduleScript as unknown as [string, string, string]
  const imports = [...code.matchAll(/^import (?:\* as (\w+) from )?("[^"]+");$/gm)]
  const modules = /window\.__reactRouterRouteModules = \{([^}]*)\};/.exec(code)?.[1]
  const entry = /^import\(("[^"]+")\);$/m.exec(code)?.[1]
  const names = imports.map(([, name], at) => name ?? `_${at}`)
  const hasAllImports = modules?.match(/\broute\w+/g)?.every((name) => names.includes(name))
  if (!hasAllImports || !entry) throw new Error('The module script has another form than expected')
  const preloads = [...html.matchAll(MODULE_PRELOAD)].map(([, href]) => href)
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
const heroes=[...document.querySelectorAll("img[data-first]")].filter(hero=>!hero.complete)
let left=heroes.length
const free=()=>document.documentElement.removeAttribute("data-first-picture-only")
const letters=()=>Promise.allSettled([...document.fonts].filter(({family})=>/^"?(Bodoni|Instrument)"?$/.test(family)).map(face=>face.load())).then(free)
const soon=()=>{letters();setTimeout(begin,50)}
if(!left){letters();if(document.readyState==="complete")soon();else addEventListener("load",soon,{once:true})}
else for(const hero of heroes)for(const type of ["load","error"])hero.addEventListener(type,()=>--left||soon(),{once:true})
for(const type of ["pointerdown","keydown","touchstart","wheel"])addEventListener(type,begin,{once:true,passive:true,capture:true})
addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-scrolled",scrollY>0),{passive:true})
setTimeout(()=>{free();begin()},3000)
let early
const keep=event=>{
if(document.documentElement.hasAttribute("data-hydrated"))return
early=event.target.closest("button:not([popovertarget]),a[data-espera]")
if(early?.form&&early.type==="submit")early=undefined
if(!early?.href)return
if(event.ctrlKey||event.metaKey||event.shiftKey||event.altKey)early=undefined
else{event.preventDefault();begin()}
}
addEventListener("click",keep,true)
new MutationObserver((_,observer)=>{observer.disconnect();removeEventListener("click",keep,true);early?.click()}).observe(document.documentElement,{attributeFilter:["data-hydrated"]})
})()`
  // At the end of the body these parts do not delay the first paint.
  const deferredParts = html.match(DEFERRED_PARTS)?.join('') ?? ''
  return html
    .replaceAll(DEFERRED_PARTS, '')
    .replace('</body>', () => `${deferredParts}</body>`)
    .replace(MODULE_SCRIPT, () => `<script${attributes} type="module" async="">${starter}</script>`)
    .replaceAll(MODULE_PRELOAD, '')
    .replace('<html', '<html data-first-picture-only=""')
}
