// Runs under the machine's own Node (20 or newer), before packages are installed, so it imports only Node's own modules and
// prepare.mjs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { fail, installDependencies, nodeForTheSite, root } from './prepare.mjs'

const port = Number(process.env.PORT || 3000)
const host = process.env.HOST || '127.0.0.1'
if (Number.isInteger(port) && port > 0 && port < 65536) await waitForFreePort()
await installDependencies({ dev: false })

/** @type {import('node:child_process').ChildProcess} */
const site = spawn(
  nodeForTheSite(),
  ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('serve.ts', import.meta.url)), '--aparta'],
  {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: process.env,
  },
)
// Ctrl-C in the terminal also reaches the site; a signal to this process alone is passed on to the site.
process.on('SIGINT', () => site.kill('SIGINT'))
process.on('SIGTERM', () => site.kill('SIGTERM'))
process.on('SIGHUP', () => site.kill('SIGTERM'))

// If npm is killed, no signal could stop the site any more, so the site is stopped. npm is the parent, or the grandparent if a
// shell is in between.
if (process.env.npm_lifecycle_event === 'start') {
  const ancestorsAtStart = ancestors()
  setInterval(() => ancestors() !== ancestorsAtStart && site.kill('SIGTERM'), 500).unref()
}

const [code, signal] = await once(site, 'exit')
process.exit(signal ? 1 : code)

/** Waits for the port before minutes of work begin, since a site that was just killed may need a moment to release the port. */
async function waitForFreePort() {
  for (let attempt = 0; ; attempt++) {
    const probe = createServer()
    try {
      probe.listen(port, host)
      await once(probe, 'listening')
      probe.close()
      await once(probe, 'close')
      return
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') return
      if (attempt === 30)
        fail(
          `El puerto ${port} está ocupado. Detén el programa que lo usa o elige otro, por ejemplo: PORT=${port === 3000 ? 3001 : port + 1} npm start`,
        )
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Returns the ids of parent and grandparent process; the latter only where the system has /proc. */
function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`
  } catch {
    return String(process.ppid)
  }
}
