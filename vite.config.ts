import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'

const sheets = globSync('app/**/*.module.css', { cwd: import.meta.dirname }).sort()

/**
 * Shortens class names, which stand in every document's styles and elements: two letters for the file and a number for
 * the name take half a kilobyte off the packed home. Browser's and server's bundle get the same names.
 */
function shortName(name: string, file: string, css: string): string {
  const sheet = sheets.indexOf(relative(import.meta.dirname, file.replace(/\?.*/, '')))
  const names = [...css.matchAll(/(?:\.|@keyframes\s+)([a-zA-Z_][\w-]*)/g)].map(([, found]) => found)
  const at = [...new Set(names)].indexOf(name)
  if (sheet < 0 || at < 0) throw new Error(`${file} has no ${name} to shorten`)
  // Names begin with «ka», since advertisement blockers hide elements called «ad1».
  return String.fromCharCode(107 + Math.floor(sheet / 26), 97 + (sheet % 26)) + at
}

/**
 * What the router brings for sites that discover their routes on the way, or trace their navigations. This one does
 * neither (react-router.config.ts), and 2.6 KB of every first visit went there. What only servers and server components
 * ask of these files is named, or the build would fail, as it does where the router comes to ask for something new.
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
 * Its links, too, which this site has none of (app/ui/links/navigate.ts): the bundler keeps what is called or given a name where
 * it is declared, unless it is told that nothing comes of that.
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
 * Code that is fetched later brings the stylesheets of all that it imports, except those that the document links. This
 * site's documents carry theirs inside (app/core/http/inline-styles.tsx): brought once more, and last, they would outweigh what
 * changes them.
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
      const carried = `for (const { dataset } of document.querySelectorAll('style[data-hoja]')) preloadedHrefs.styles.add(new URL(dataset.hoja, location.origin).href);`
      return code.slice(0, at) + carried + code.slice(at)
    },
  },
}

/**
 * Sheets of code that is fetched later, which a page imports without their names so that its document has them: by
 * itself the bundler leaves a sheet away whose names are not used.
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
    // Nothing but the drawings that a first view shows: asked for after the stylesheet, they would come a journey later.
    assetsInlineLimit: (file) => /drawings\/(emblem|wheel-thin)\.svg$/.test(file),
  },
  // All that any screen needs is packed at the development server's start: found later, it would reload the page.
  optimizeDeps: { entries: ['app/**/*.{page.tsx,client.ts,client.tsx}'] },
  environments: {
    // The first view needs few files: each costs its headers and its turn on a weak line, and packs worse alone.
    client: {
      build: {
        rolldownOptions: {
          output: {
            // A letter less a file: what a document fetches names a hundred of them.
            entryFileNames: 'assets/[name]-[hash:7].js',
            chunkFileNames: 'assets/[name]-[hash:7].js',
            codeSplitting: {
              groups: [
                {
                  name: 'base',
                  // The base includes small pieces without a stylesheet that many screens share.
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\/|app\/(ui\/(styles\/class-names|loading\/(lazy-code|after-paint)|photos\/lightbox-hash)|core\/(http\/inline-styles|time\/use-site-time|text\/(uuid|email-address))|analytics\/(schema|use-ping-address)|accounts\/sessions\/browser-signals)\.tsx?$|vite\/preload-helper/,
                },
                // By itself, or it would stand with what refuses a document, which comes with the first touch of a form.
                { name: 'kinds', test: /app\/entries\/definitions\/document-kinds\.ts$/ },
                // What the registrations and the folio's screen share, without a stylesheet; and what the forms alone need.
                {
                  name: 'files',
                  test: /app\/(entries\/(documents\/file-rules|folio|submission\/(schema|upload\.client|use-sending))|core\/(http\/upload-refusals|uploads\/(retry-wait(\.client)?|drop-upload\.client|sniff-file-type)))\.ts$/,
                },
                { name: 'forms', test: /app\/entries\/definitions\/(form|field)\.ts$/ },
                { name: 'candidate', test: /app\/entries\/definitions\/candidate-(form|fields)\.ts$/ },
                { name: 'field', test: /app\/ui\/forms\/field\.(tsx|module\.css)$/ },
                // All of the frame but what few see, which is fetched for them alone.
                {
                  name: 'layout',
                  test: /app\/(layout\/(?!preview-notice|session-line|not-found\.page)|cms\/page-meta)/,
                },
                // Two small pieces that the same screens need, in one file.
                { name: 'tone', test: /app\/(ui\/styles\/tone|core\/text\/thousands-separator)\.ts$/ },
                // Code fetched later counts an act again; beside a screen's own file it would load that screen's styles.
                { name: 'counts', test: /app\/voting\/election\/tally-rules\.ts/ },
              ],
            },
          },
        },
      },
    },
    // One server bundle: the routes and everything that serves them share their modules.
    ssr: { build: { rolldownOptions: { input: 'server/entry.ts' } } },
  },
}))
