import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
  build: { target: 'es2022', assetsInlineLimit: 0 },
  environments: {
    // Few files for the first view: each costs its headers and its turn on a weak line, and packs worse alone.
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                { name: 'base', test: /node_modules\/(react|react-dom|react-router|scheduler)\// },
                { name: 'marco', test: /app\/marco\// },
              ],
            },
          },
        },
      },
    },
    // One server bundle: the routes and everything that serves them share their modules.
    ssr: { build: { rolldownOptions: { input: 'server/entry.ts' } } },
  },
})
