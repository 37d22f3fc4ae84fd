import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
  build: { target: 'es2022', assetsInlineLimit: 0 },
  environments: {
    // One server bundle: the routes and everything that serves them share their modules.
    ssr: { build: { rolldownOptions: { input: 'server/entry.ts' } } },
  },
})
