import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  ssr: true,
  // Pages are rendered ahead by scripts/builder/render-pages.ts, which also knows their policies and compressed forms.
  // server/app.ts asks of every form, on every door, where it comes from; behind TLS the router would compare schemes.
  allowedActionOrigins: ['**'],
  routeDiscovery: { mode: 'initial' },
  // One file a screen: app/core/http/defer-scripts.server.ts starts them.
  splitRouteModules: false,
} satisfies Config
