// npm test and npm run test:all install the checks' tools under the machine's own Node, then run the checks.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureTestBrowser } from './browser.mjs'
import { ensureEngines } from './engines.mjs'
import { ensureJava } from './java.mjs'
import { fail, installDependencies, nodeForTheSite, root } from './prepare.mjs'

await installDependencies({ dev: true })
const browser = ensureTestBrowser()
ensureJava()
await ensureEngines()
const node = nodeForTheSite()
const checks = spawnSync(node, [join(root, 'scripts/check-runner/check.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM: browser },
})
if (checks.error) fail(`Las pruebas no pudieron arrancar: ${checks.error.message}`)
process.exit(checks.status ?? 1)
