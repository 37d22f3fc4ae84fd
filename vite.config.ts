import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'

const sheets = globSync('app/**/*.module.css', { cwd: import.meta.dirname }).sort()

/**
 * Shortens class names, which every document repeats: two letters for the file and a number for the name save half a
 * kilobyte of the compressed home. The browser's and the server's bundle get the same names.
 */
function shortName(name: string, file: string, css: string): string {
  const sheet = sheets.indexOf(relative(import.meta.dirname, file.replace(/\?.*/, '')))
  const names = [...css.matchAll(/(?:\.|@keyframes\s+)([a-zA-Z_][\w-]*)/g)].map(([, found]) => found)
  const at = [...new Set(names)].indexOf(name)
  if (sheet < 0 || at < 0) throw new Error(`${file} has no ${name} to shorten`)
  // Names begin at «ka», since ad blockers hide elements called «ad1».
  return String.fromCharCode(107 + Math.floor(sheet / 26), 97 + (sheet % 26)) + at
}

/**
 * Replaces parts of the router that this site does not use (react-router.config.ts): the discovery of routes, and the
 * tracing of navigations. They cost 2.6 KB of every first visit. Exports that only servers and server components import
 * are declared without a value: the build fails if one is missing, as when the router comes to need a new one.
 */
const UNUSED_OF_ROUTER: Record<string, string> = {
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

const withoutUnused: Plugin = {
  name: 'router-without-unused',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: {
    filter: { id: /react-router\/dist\/production\/lib\/.*\/(fog-of-war|instrumentation)\.js$/ },
    handler: (id) => UNUSED_OF_ROUTER[id.split('/').slice(-2).join('/')],
  },
}

/**
 * Drops the router's links, which this site does not use (app/ui/navigation/navigate.ts). The bundler keeps calls, and names
 * assigned at a declaration, unless they are marked as free of effects.
 */
const withoutLinks: Plugin = {
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
 * Code that is fetched later brings the stylesheets of its imports, except those that the document links. This site's
 * documents carry their stylesheets inline (app/core/http/inline-styles.tsx): loaded again, and last, a stylesheet
 * would override the rules that change it.
 */
const LINKED = 'preloadedHrefs.styles.add(link.href);'
const sheetsOnce: Plugin = {
  name: 'sheets-once',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: /vite\/preload-helper/ },
    handler(code) {
      const at = code.lastIndexOf('}', code.indexOf('if ((isCss ? preloadedHrefs'))
      if (!code.includes(LINKED) || at < 0) throw new Error('What fetches code later has another form than expected')
      const carried = `for (const { dataset } of document.querySelectorAll('style[data-sheet]')) preloadedHrefs.styles.add(new URL(dataset.sheet, location.origin).href);`
      return code.slice(0, at) + carried + code.slice(at)
    },
  },
}

/**
 * Keeps the stylesheets of code fetched later that a page imports only so that its document carries them. Without a
 * used class name, the bundler drops a stylesheet.
 */
const sheetsKept: Plugin = {
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
  plugins: [reactRouter(), withoutUnused, withoutLinks, sheetsOnce, sheetsKept],
  ...(command === 'build' && { css: { modules: { generateScopedName: shortName } } }),
  build: {
    target: 'es2022',
    // Inlines only the drawings of a first view: fetched after the stylesheet, they would cost another round trip.
    assetsInlineLimit: (file) => /drawings\/(emblem|wheel-thin)\.svg$/.test(file),
  },
  // The dependencies of all screens are packed at the development server's start: found later, one would reload the page.
  optimizeDeps: { entries: ['app/**/*.{page.tsx,client.ts,client.tsx}'] },
  environments: {
    // The first view needs few files: each costs headers and a turn on a weak connection, and compresses worse alone.
    client: {
      build: {
        rolldownOptions: {
          output: {
            // One letter less for each file: a document names a hundred files.
            entryFileNames: 'assets/[name]-[hash:7].js',
            // Other shared chunks go by their hash alone: their names would stand in the list of routes, which each visitor fetches.
            chunkFileNames: ({ name }) =>
              `assets/${/\.(page|client)$|^(base|lightbox-dialog|vote-window)$/.test(name) ? `${name}-` : ''}[hash:7].js`,
            codeSplitting: {
              groups: [
                {
                  name: 'base',
                  // The base includes small modules without a stylesheet that many screens share.
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\/|app\/(ui\/(styles\/class-names|deferred\/(lazy-code|after-paint)|photos\/lightbox-hash)|core\/(http\/inline-styles|time\/use-site-time|text\/(uuid|email-address))|analytics\/(schema|use-ping-url)|accounts\/sessions\/browser-signals)\.tsx?$|vite\/preload-helper/,
                },
                // Apart from the code that refuses documents, which comes with the first touch of a form.
                { name: 'kinds', test: /app\/entries\/definitions\/document-kinds\.ts$/ },
                // Shared by the registrations and the folio's screen, without a stylesheet; then modules of forms alone.
                {
                  name: 'files',
                  test: /app\/(entries\/(document-viewing\/file-rules|folio|submission\/(schema|use-sending))|core\/(http\/upload-refusals|uploads\/(retry-wait(\.client)?|drop-upload\.client|sniff-file-type)))\.ts$/,
                },
                { name: 'forms', test: /app\/entries\/definitions\/(form|field)\.ts$/ },
                { name: 'candidate', test: /app\/entries\/definitions\/candidate-(form|fields)\.ts$/ },
                { name: 'field', test: /app\/ui\/forms\/field\.(tsx|module\.css)$/ },
                // The layout without its rarely seen parts, which are fetched when needed.
                {
                  name: 'layout',
                  test: /app\/(layout\/(?!preview-notice|session-line|not-found\.page)|cms\/page-meta)/,
                },
                // Small modules that the same screens need, in one file.
                {
                  name: 'tone',
                  test: /app\/(ui\/(styles\/tone|ornaments\/sash|sharing\/share-urls|motion\/reduced-motion)|core\/text\/thousands-separator|voting\/election\/rules)\.(ts|tsx|module\.css)$/,
                },
                // Code fetched later counts a record again; in a screen's own file these rules would load that screen's styles.
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
