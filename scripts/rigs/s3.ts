// npm run test:s3: the storage contract against a real S3 server, RadosGW of Debian's packages with its data in memory.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../prepare.mjs'
import { startRadosgw } from './radosgw.ts'

const { values: options } = parseArgs({ options: { puerto: { type: 'string', default: '18080' } } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const radosgw = await startRadosgw(Number(options.puerto))
let failed = true
try {
  const vitest = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 's3'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...radosgw.env, TEST_S3_URL: radosgw.url },
  })
  failed = vitest.status !== 0
} finally {
  await radosgw.stop()
}
process.exit(failed ? 1 : 0)
