import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../external-servers/program.ts'

/** Longest time of a start, which may build the site first. */
const START_TIMEOUT_MS = 900_000

export interface RunningSite {
  url: string
  dataDir: string
  process: ChildProcess
  /** Returns the output so far. */
  output(): string
  /** Ends the site by a signal; by default the site stops in order. Its data stay. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** Ends the site and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a real site with its own data, and builds it first if it is not built.
 * @param folder of the project, or of a copy
 * @param args `--aparta`, as npm start passes it, makes a snapshot of the version soon after the start
 */
export async function startSite(
  env: Record<string, string> = {},
  folder = '.',
  args: readonly string[] = [],
): Promise<RunningSite> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'certamen-')))
  // With port 0 the system chooses a port, which no other program can take in between. With PUBLIC_URL the site does not print its
  // port, so a free port is looked up.
  const port = env.PORT ?? (env.PUBLIC_URL ? String(await freePort()) : '0')
  const urlPattern = /El sitio está en (\S+)/
  const program = await startProgram(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts', ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LOG_LEVEL: 'error', ...env, PORT: port, DATA_DIR: dataDir },
      startTimeoutMs: START_TIMEOUT_MS,
      isReady: (output) => urlPattern.test(output),
    },
  )
  program.process.stderr!.pipe(process.stderr)
  return {
    url: port === '0' ? urlPattern.exec(program.output())![1]! : `http://127.0.0.1:${port}`,
    dataDir,
    process: program.process,
    output: program.output,
    end: program.stop,
    async stop() {
      await program.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Finds a free port below the ports of outgoing connections, which could take it while its site is down.
 * @source ip(7), ip_local_port_range
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
