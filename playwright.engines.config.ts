import { defineConfig } from '@playwright/test'

/** Configuration of the tests in Firefox and WebKit. Playwright runs them; tests/engines itself drives the browsers. */
export default defineConfig({
  testDir: 'tests/engines',
  testMatch: '**/*.engine.ts',
  globalSetup: './tests/support/persistence/migrated-data-folder.ts',
  outputDir: 'test-results/engines',
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  projects: [{ name: 'firefox' }, { name: 'webkit' }],
})
