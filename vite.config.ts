import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

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

export default defineConfig(({ command }) => ({
  plugins: [reactRouter()],
  ...(command === 'build' && { css: { modules: { generateScopedName: shortName } } }),
  build: { target: 'es2022', assetsInlineLimit: 0 },
  environments: {
    // The first view needs few files: each costs its headers and its turn on a weak line, and packs worse alone.
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                {
                  name: 'base',
                  // The base includes the few pieces without a stylesheet that the frame shares with code fetched
                  // later. From the frame's own file, that code would load the frame's styles once more, and last.
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\/|app\/ui\/(clases|iconos|visor-ancla)\.tsx?|vite\/preload-helper/,
                },
                { name: 'marco', test: /app\/marco\/(?!vista)/ },
                // Code fetched later counts an act again; beside a screen's own file it would load that screen's styles.
                { name: 'cuantos', test: /app\/escrutinio\/rules\.ts/ },
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
