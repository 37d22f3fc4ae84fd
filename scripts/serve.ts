import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './build.ts'
import { endWith } from './fault.ts'
import { goToLugar } from './paquete.ts'
import { root } from './prepare.mjs'

interface ServerBundle {
  main(options: {
    root: string
    env: NodeJS.ProcessEnv
    say(line: string): void
    isTerminal: boolean
    signal: AbortSignal
  }): Promise<{ stop(): Promise<void> }>
}

const IMPATIENT_MS = 1_000
/** Within the ten seconds that containers and service managers wait before they kill. */
const HARD_END_MS = 9_300

// Libraries read NODE_ENV when they are loaded: without it React renders with its development checks, several times
// slower.
process.env.NODE_ENV = 'production'

// Writing to a terminal that is gone fails, which must not end the site, least of all in the middle of its stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const say = (line: string) => console.log(line)
let stopping: number | undefined
let site: Promise<{ stop(): Promise<void> }> | undefined
const leaving = new AbortController()

async function stop() {
  // One Ctrl-C may arrive twice, from the terminal and from the parent; a later one ends the process at once.
  if (stopping !== undefined) {
    if (Date.now() - stopping > IMPATIENT_MS) process.exit(1)
    return
  }
  stopping = Date.now()
  say('Cerrando…')
  // The process ends even if a step of the stop hangs; whatever it ends by, it takes its database with it.
  setTimeout(() => process.exit(1), HARD_END_MS).unref()
  leaving.abort()
  // A start that is under way breaks off first, and undoes what it has done.
  const opened = await site?.catch(() => undefined)
  await opened?.stop().catch((error: unknown) => console.error(error))
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
process.on('disconnect', stop)

try {
  await build({ root, say })
  const place = await goToLugar(root, process.env)
  const { main } = (await import(pathToFileURL(join(root, 'build/server/index.js')).href)) as ServerBundle
  if (stopping === undefined) {
    const { signal } = leaving
    site = main({ root: place, env: process.env, say, isTerminal: process.stdout.isTTY, signal })
    await site
  }
} catch (error) {
  if (stopping === undefined) endWith(error)
}
