// npm run test:s3 runs all *.s3.test.ts against a real S3 server, RadosGW of Debian's packages with its data in memory.
import { parseArgs } from 'node:util'
import { startRadosgw } from '#tests/support/external-servers/radosgw.ts'
import { runVitestProject } from './vitest-project.ts'

const { values: options } = parseArgs({ options: { puerto: { type: 'string', default: '18080' } } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const radosgw = await startRadosgw(Number(options.puerto))
try {
  process.exitCode = runVitestProject('s3', { ...radosgw.env, TEST_S3_URL: radosgw.url })
} finally {
  await radosgw.stop()
}
process.exit()
