import { defineConfig } from '@playwright/test'
import { findTestBrowser } from './scripts/browser.mjs'

/** Those that take minutes begin first: one that began last would leave a core with nothing to do. */
const LONG_TESTS = [
  'extended/update/update',
  'extended/operation/publication',
  'extended/evenings/*',
  'extended/panel/editor',
  'e2e/voting',
].map((name) => `**/${name}.e2e.ts`)

export default defineConfig({
  testDir: 'tests',
  // What is built already is read as it is.
  build: { external: ['**/build/server/**'] },
  projects: [
    { name: 'largas', testMatch: LONG_TESTS },
    { name: 'cortas', testMatch: '**/*.e2e.ts', testIgnore: LONG_TESTS },
  ],
  globalSetup: './tests/support/persistence/migrated-data-folder.ts',
  outputDir: 'test-results',
  // Twice the cores of the smallest machine: a test waits for half of its time.
  workers: 4,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // Room for a machine's slow hour; nothing waits for the end of it but what is broken.
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    locale: 'es-MX',
    timezoneId: 'America/Mexico_City',
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    // Lights that move cost a fifth of the work; a test of what moves says reducedMotion: 'no-preference'.
    reducedMotion: 'reduce',
    launchOptions: {
      executablePath: findTestBrowser() ?? '/usr/bin/chromium',
      // Without it Chromium does not read the ñ in the name of a file on disk.
      env: { ...(process.env as Record<string, string>), LC_ALL: 'C.UTF-8' },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
