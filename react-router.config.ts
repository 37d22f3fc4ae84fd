import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  ssr: true,
  // Pages are rendered ahead by scripts/pages.ts, which also knows their policies and compressed forms.
  routeDiscovery: { mode: 'initial' },
} satisfies Config
