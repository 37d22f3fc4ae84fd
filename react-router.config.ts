import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  ssr: true,
  // `prerender` is not set, since scripts/build-steps/render-pages.ts prerenders the pages.
  // server/app.ts checks the origin of every form; the router's own check fails behind a proxy with TLS, since the schemes differ.
  allowedActionOrigins: ['**'],
  routeDiscovery: { mode: 'initial' },
  // Each screen is one file, whose start app/core/http/prioritize-first-picture.server.ts delays.
  splitRouteModules: false,
} satisfies Config
