import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'

const stylesheets = globSync('app/**/*.module.css', { cwd: import.meta.dirname }).sort()

/**
 * Shortens class names, which every document repeats, to two letters for the file and a number for the name. This saves half a
 * kilobyte of the compressed home. The browser's and the server's bundle get the same names.
 */
function shortClassName(name: string, file: string, css: string): string {
  const sheetIndex = stylesheets.indexOf(relative(import.meta.dirname, file.replace(/\?.*/, '')))
  const names = [...css.matchAll(/(?:\.|@keyframes\s+)([a-zA-Z_][\w-]*)/g)].map(([, className]) => className)
  const nameIndex = [...new Set(names)].indexOf(name)
  if (sheetIndex < 0 || nameIndex < 0) throw new Error(`${file} has no ${name} to shorten`)
  // Names begin at «ka», since ad blockers hide elements called «ad1».
  return String.fromCharCode(107 + Math.floor(sheetIndex / 26), 97 + (sheetIndex % 26)) + nameIndex
}

/**
 * Replacements of the router's modules for the discovery of routes and the tracing of navigations, which this site does not use
 * (react-router.config.ts), and which would add 2.6 KB to every first visit. Exports that only servers import have no value. If a
 * new version of the router imports further names, the build fails.
 */
const ROUTER_REPLACEMENTS: Record<string, string> = {
  'ssr/fog-of-war.js': `
    export const isFogOfWarEnabled = () => false
    export const getPartialManifest = (manifest) => manifest
    export const getPatchRoutesOnNavigationFunction = () => undefined
    export const useFogOFWarDiscovery = () => {}
    export let getManifestPath, getPathsWithAncestors, handleClientVersionMismatch`,
  'router/instrumentation.js': `
    export const consumeInstrumentationClientResultMetaReceiver = () => undefined
    export const getRouteInstrumentationUpdates = () => ({})
    export const instrumentClientSideRouter = (router) => router
    export let instrumentHandler, instrumentationResultMetaContext`,
}

const replaceRouterModules: Plugin = {
  name: 'router-without-unused',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: {
    filter: { id: /react-router\/dist\/production\/lib\/.*\/(fog-of-war|instrumentation)\.js$/ },
    handler: (id) => ROUTER_REPLACEMENTS[id.split('/').slice(-2).join('/')],
  },
}

/**
 * Drops the router's link components, which this site does not use (app/ui/navigation/navigate.ts). The bundler would keep them,
 * since their declarations call functions and set names, unless the calls are marked as free of side effects.
 */
const dropRouterLinks: Plugin = {
  name: 'router-without-links',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: /react-router\/dist\/production\/lib\/dom\/lib\.js$/ },
    handler(code) {
      if (!code.includes('\nconst Link = React$1.forwardRef('))
        throw new Error('The links of the router have another form than expected')
      return code
        .replaceAll('= React$1.forwardRef(', '= /* @__PURE__ */ React$1.forwardRef(')
        .replaceAll(/^\w+\.displayName = .*$/gm, '')
    },
  },
}

/**
 * Makes Vite's preload helper skip stylesheets that the document contains inline (app/core/http/inline-styles.tsx). Vite skips only
 * linked ones; an inline stylesheet would be loaded again, after all others, and override the rules that change it.
 */
const MARK_LINKED_SHEETS = 'preloadedHrefs.styles.add(link.href);'
const skipInlineSheets: Plugin = {
  name: 'sheets-once',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: /vite\/preload-helper/ },
    handler(code) {
      const insertAt = code.lastIndexOf('}', code.indexOf('if ((isCss ? preloadedHrefs'))
      if (!code.includes(MARK_LINKED_SHEETS) || insertAt < 0)
        throw new Error('Vite’s preload helper has another form than expected')
      const markInlineSheets = `for (const { dataset } of document.querySelectorAll('style[data-sheet]')) preloadedHrefs.styles.add(new URL(dataset.sheet, location.origin).href);`
      return code.slice(0, insertAt) + markInlineSheets + code.slice(insertAt)
    },
  },
}

/**
 * Keeps stylesheets that a page imports only so that its document contains them for code that is fetched later. The bundler would drop
 * a stylesheet of which no class name is used.
 */
const keepUnusedSheets: Plugin = {
  name: 'sheets-kept',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    order: 'post',
    filter: { id: /app\/(voting\/ballot\/(sign-in|thanks)|ui\/forms\/field)\.module\.css$/ },
    handler: (code) => ({ code, moduleSideEffects: 'no-treeshake' }),
  },
}

export default defineConfig(({ command }) => ({
  plugins: [reactRouter(), replaceRouterModules, dropRouterLinks, skipInlineSheets, keepUnusedSheets],
  ...(command === 'build' && { css: { modules: { generateScopedName: shortClassName } } }),
  build: {
    target: 'es2022',
    // Only the drawings of first views are inlined, since fetching them after the stylesheet would take another round trip.
    assetsInlineLimit: (file) => /drawings\/(emblem|wheel-thin)\.svg$/.test(file),
  },
  // The development server bundles the dependencies of all screens at its start, since one that it finds later reloads the page.
  optimizeDeps: { entries: ['app/**/*.{page.tsx,client.ts,client.tsx}'] },
  environments: {
    // The first view needs few files, since each file takes headers and a round trip, and small files compress worse.
    client: {
      build: {
        rolldownOptions: {
          output: {
            // Seven letters of the hash suffice; a document names a hundred files.
            entryFileNames: 'assets/[name]-[hash:7].js',
            // Other shared chunks have a hash only, since names would lengthen the route manifest, which each visitor fetches.
            chunkFileNames: ({ name }) =>
              `assets/${/\.(page|client)$|^(base|lightbox-dialog|vote-window)$/.test(name) ? `${name}-` : ''}[hash:7].js`,
            codeSplitting: {
              groups: [
                {
                  name: 'base',
                  // The router, and small modules without a stylesheet that many screens share.
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\/|app\/(ui\/(styles\/class-names|deferred\/(lazy-code|after-paint)|photos\/lightbox-hash)|core\/(http\/inline-styles|time\/(use-site-time|durations)|text\/(uuid|email-address))|analytics\/(schema|use-ping-url)|accounts\/sessions\/browser-signals)\.tsx?$|vite\/preload-helper/,
                },
                // Not in one file with the code that checks documents, which is fetched when a visitor first uses a form.
                { name: 'kinds', test: /app\/entries\/definitions\/document-kinds\.ts$/ },
                // Modules without a stylesheet that the registrations and the folio's screen share; then those of forms only.
                {
                  name: 'files',
                  test: /app\/(entries\/(document-viewing\/file-rules|folio|submission\/(schema|use-sending))|core\/(http\/upload-refusals|uploads\/(retry-wait(\.client)?|drop-upload\.client|sniff-file-type)))\.ts$/,
                },
                { name: 'forms', test: /app\/entries\/definitions\/(form|field)\.ts$/ },
                { name: 'candidate', test: /app\/entries\/definitions\/candidate-(form|fields)\.ts$/ },
                { name: 'field', test: /app\/ui\/forms\/field\.(tsx|module\.css)$/ },
                // Two small modules that the folio's screen needs; in one file they compress better.
                { name: 'notes', test: /app\/ui\/(components\/banner|forms\/progress)\.(tsx|module\.css)$/ },
                // The layout without its rarely shown parts, which are fetched when needed.
                {
                  name: 'layout',
                  test: /app\/(layout\/(?!preview-notice|session-line|not-found\.page)|cms\/page-meta)/,
                },
                // Small modules that the same screens need, in one file.
                {
                  name: 'tone',
                  test: /app\/(ui\/(styles\/tone|ornaments\/sash|sharing\/share-urls|motion\/reduced-motion)|core\/text\/thousands-separator|voting\/election\/rules)\.(ts|tsx|module\.css)$/,
                },
                // The code that verifies a record, which is fetched later, needs these rules, but not the stylesheets of a screen.
                { name: 'counts', test: /app\/voting\/election\/tally-rules\.ts/ },
              ],
            },
          },
        },
      },
    },
    // One server bundle: the routes and the server share their modules.
    ssr: { build: { rolldownOptions: { input: 'server/entry.ts' } } },
  },
}))
