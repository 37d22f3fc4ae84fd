import { defineConfig } from '@playwright/test'
import { findTestBrowser } from './scripts/browser.mjs'

/** Tests that take minutes. They begin first, since a long test at the end would leave the other cores idle. */
const LONG_TESTS = [
  'extended/update/update',
  'extended/operation/publication',
  'extended/scenarios/*',
  'extended/panel/editor',
  'e2e/voting',
].map((name) => `**/${name}.e2e.ts`)

export default defineConfig({
  testDir: 'tests',
  // Playwright must not transform the build.
  build: { external: ['**/build/server/**'] },
  projects: [
    { name: 'largas', testMatch: LONG_TESTS },
    { name: 'cortas', testMatch: '**/*.e2e.ts', testIgnore: LONG_TESTS },
  ],
  globalSetup: './tests/support/persistence/migrated-data-folder.ts',
  outputDir: 'test-results',
  // Twice the cores of the smallest machine, since tests spend half of their time waiting.
  workers: 4,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // Long enough for a slow machine; only a broken test takes so much time.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    locale: 'es-MX',
    timezoneId: 'America/Mexico_City',
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    // Animations take a fifth of the processor's time; a test of motion sets reducedMotion: 'no-preference'.
    reducedMotion: 'reduce',
    launchOptions: {
      executablePath: findTestBrowser() ?? '/usr/bin/chromium',
      // Without this locale Chromium does not read the ñ in the name of a file on disk.
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
