import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  ssr: true,
  // No `prerender`: scripts/build-steps/render-pages.ts renders pages ahead, and knows their policies and compressed forms.
  // server/app.ts checks the origin of every form; behind TLS the router would compare schemes.
  allowedActionOrigins: ['**'],
  routeDiscovery: { mode: 'initial' },
  // One file for each screen, started by app/core/http/prioritize-first-picture.server.ts.
  splitRouteModules: false,
} satisfies Config
