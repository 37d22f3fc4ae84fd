import { defineConfig } from 'vitest/config'

const shared = {
  environment: 'node' as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
}

/** Slow tests that only some changes can break: scripts/apart.ts says which changes. */
const APART = [
  'app/ops/backup/disk-copy-check.db.test.ts',
  'app/ops/backup/create-and-restore.db.test.ts',
  'app/ops/backup/nightly.db.test.ts',
  'app/voting/tally/database-crash.db.test.ts',
  'app/core/postgres/embedded.db.test.ts',
  'scripts/images.test.ts',
]

export default defineConfig({
  test: {
    // The default leaves one core free, which is half of a machine with two.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          // Files share a process, which loads a module once. A test must not leave anything behind.
          isolate: false,
          include: ['{app,server,scripts,tests}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.db.test.ts', '**/*.s3.test.ts', '**/*.imap.test.ts', ...APART],
        },
      },
      {
        test: {
          ...shared,
          name: 'database',
          include: ['{app,server,scripts}/**/*.db.test.ts'],
          exclude: APART,
          globalSetup: 'tests/postgres.ts',
        },
      },
      { test: { ...shared, name: 'apart', include: APART, globalSetup: 'tests/postgres.ts' } },
      {
        test: {
          ...shared,
          name: 'fallas',
          include: ['tests/fallas/*.falla.ts'],
          testTimeout: 45 * 60_000,
        },
      },
      { test: { ...shared, name: 'imap', include: ['app/**/*.imap.test.ts'] } },
      { test: { ...shared, name: 's3', include: ['{app,server,scripts}/**/*.s3.test.ts'] } },
    ],
  },
})
