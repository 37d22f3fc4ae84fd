import { defineConfig } from 'vitest/config'

const shared = {
  environment: 'node' as const,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
}

/** Slow tests that only some changes can break: scripts/check-runner/extended-parts.ts says which changes. */
const EXTENDED = [
  'app/ops/backup/create-and-restore.db.test.ts',
  'app/ops/backup/nightly.db.test.ts',
  'app/ops/backup/store-contents.db.test.ts',
  'app/entries/submission/two-processes.db.test.ts',
  'app/entries/neighbours.db.test.ts',
  'app/voting/sealing/database-crash.db.test.ts',
  'app/core/postgres/embedded.db.test.ts',
  'app/cms/file-sanitizing/sanitize-file.test.ts',
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
          // Test files share a process, which loads each module once. So a test must not leave any state behind.
          isolate: false,
          include: ['{app,server,scripts,tests}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.db.test.ts', '**/*.s3.test.ts', '**/*.imap.test.ts', ...EXTENDED],
        },
      },
      {
        test: {
          ...shared,
          name: 'database',
          include: ['{app,server,scripts}/**/*.db.test.ts'],
          exclude: EXTENDED,
          globalSetup: 'tests/support/persistence/postgres.ts',
        },
      },
      {
        test: { ...shared, name: 'extended', include: EXTENDED, globalSetup: 'tests/support/persistence/postgres.ts' },
      },
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['tests/faults/*.fault.ts'],
          testTimeout: 45 * 60_000,
        },
      },
      { test: { ...shared, name: 'imap', include: ['app/**/*.imap.test.ts'] } },
      { test: { ...shared, name: 's3', include: ['{app,server,scripts}/**/*.s3.test.ts'] } },
    ],
  },
})
