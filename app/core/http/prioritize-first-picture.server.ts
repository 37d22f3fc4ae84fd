const MODULE_SCRIPT = /<script([^>]*) type="module" async="">([\s\S]*?)<\/script>/
/** Font preloads and JSON-LD move to the end of the body: the first paint needs neither, and JSON-LD may be long. */
const DEFERRED_PARTS = /<link rel="preload" as="font"[^>]*>|<script type="application\/ld\+json">[\s\S]*?<\/script>/g
/** The families that base.css loads. A family missing here would change the font of the text a second time. */
const SITE_FONTS = /^"?(Bodoni|Instrument)"?$/
const MODULE_PRELOAD = /<link rel="modulepreload"[^>]*? href="([^"]+)"[^>]*>/g

/**
 * Rewrites a rendered document so that the pictures of its first view load first, since visitors on a weak network come for them:
 * - JavaScript starts after these pictures (without pictures, after the page's load), or at the first press, key or wheel.
 * - The root has `data-first-picture-only` until the pictures and then the fonts have loaded. Meanwhile the stylesheets use
 *   fallback fonts, so that the text changes its font only once, and hide pictures further down.
 * - Both waits end 3 s after the script has begun.
 *
 * The inline script also sets `data-scrolled` on a scrolled page, and replays after hydration the last click if it hit a button
 * or a link with `data-replay-click`. If the JavaScript does not arrive, the link is followed. A click on a submit button is not
 * replayed, since the form has already been sent, nor is one on a `popovertarget` button, which works without JavaScript.
 * @throws if React Router renders its module script in an unexpected form, as a new version might
 */
export function prioritizeFirstPicture(html: string): string {
  const moduleScript = MODULE_SCRIPT.exec(html)
  if (!moduleScript) throw new Error('The rendered page has no module script to hold back')
  const [, attributes, code] = moduleScript as unknown as [string, string, string]
  const imports = [...code.matchAll(/^import (?:\* as (\w+) from )?("[^"]+");$/gm)]
  const modules = /window\.__reactRouterRouteModules = \{([^}]*)\};/.exec(code)?.[1]
  const entry = /^import\(("[^"]+")\);$/m.exec(code)?.[1]
  const importNames = imports.map(([, name], index) => name ?? `_${index}`)
  const hasAllImports = modules?.match(/\broute\w+/g)?.every((name) => importNames.includes(name))
  if (!hasAllImports || !entry) throw new Error('The module script has another form than expected')
  const preloads = [...html.matchAll(MODULE_PRELOAD)].map(([, href]) => href)
  const starter = `(()=>{
let isStarted
const start=()=>{
if(isStarted)return
isStarted=1
for(const href of ${JSON.stringify(preloads)}){const link=document.createElement("link");link.rel="modulepreload";link.href=href;document.head.append(link)}
Promise.all([${imports.map(([, , url]) => `import(${url})`).join(',')}]).then(([${importNames.join(',')}])=>{window.__reactRouterRouteModules={${modules}};return import(${entry})}).catch(error=>{
removeEventListener("click",holdClick,true)
if(clicked?.href)location.assign(clicked.href)
throw error
})
}
const pictures=[...document.querySelectorAll("img[data-first]")].filter(picture=>!picture.complete)
let remaining=pictures.length
const allowAll=()=>document.documentElement.removeAttribute("data-first-picture-only")
const loadFonts=()=>Promise.allSettled([...document.fonts].filter(({family})=>${SITE_FONTS}.test(family)).map(face=>face.load())).then(allowAll)
const scheduleStart=()=>{loadFonts();setTimeout(start,50)}
if(!remaining){loadFonts();if(document.readyState==="complete")scheduleStart();else addEventListener("load",scheduleStart,{once:true})}
else for(const picture of pictures)for(const type of ["load","error"])picture.addEventListener(type,()=>--remaining||scheduleStart(),{once:true})
for(const type of ["pointerdown","keydown","touchstart","wheel"])addEventListener(type,start,{once:true,passive:true,capture:true})
addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-scrolled",scrollY>0),{passive:true})
setTimeout(()=>{allowAll();start()},3000)
let clicked
const holdClick=event=>{
if(document.documentElement.hasAttribute("data-hydrated"))return
clicked=event.target.closest("button:not([popovertarget]),a[data-replay-click]")
if(clicked?.form&&clicked.type==="submit")clicked=undefined
if(!clicked?.href)return
if(event.ctrlKey||event.metaKey||event.shiftKey||event.altKey)clicked=undefined
else{event.preventDefault();start()}
}
addEventListener("click",holdClick,true)
new MutationObserver((_,observer)=>{observer.disconnect();removeEventListener("click",holdClick,true);clicked?.click()}).observe(document.documentElement,{attributeFilter:["data-hydrated"]})
})()`
  const deferredParts = html.match(DEFERRED_PARTS)?.join('') ?? ''
  return html
    .replaceAll(DEFERRED_PARTS, '')
    .replace('</body>', () => `${deferredParts}</body>`)
    .replace(MODULE_SCRIPT, () => `<script${attributes} type="module" async="">${starter}</script>`)
    .replaceAll(MODULE_PRELOAD, '')
    .replace('<html', '<html data-first-picture-only=""')
}
