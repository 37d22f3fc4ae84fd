import { type ChildProcess, type SpawnOptions, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A test or a rig has started the program. */
export interface Program {
  process: ChildProcess
  /** Returns the output so far. */
  said(): string
  /** Resolves once the program has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

interface ProgramOptions extends SpawnOptions {
  /** Returns whether the program serves; asked again and again. */
  isReady(said: string): boolean | Promise<boolean>
  startTimeoutMs?: number
  /** This signal ends the program. */
  endSignal?: NodeJS.Signals
}

const atExit = new Set<() => void>()
process.once('exit', () => {
  for (const end of atExit) end()
})

/** Starts a program, which ends with this process at the latest. @throws with its output unless it becomes ready */
export async function startProgram(
  path: string,
  args: readonly string[],
  { isReady, startTimeoutMs: patienceMs = 90_000, endSignal: endsBy = 'SIGTERM', ...options }: ProgramOptions,
): Promise<Program> {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  child.once('error', (error) => {
    output += error.message
  })
  const end = () => child.kill(endsBy)
  atExit.add(end)
  child.once('exit', () => atExit.delete(end))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const program: Program = {
    process: child,
    said: () => output,
    async stop(signal = endsBy) {
      if (hasEnded()) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
  for (const until = Date.now() + patienceMs; !(await isReady(output)); await sleep(30)) {
    if (!hasEnded() && Date.now() < until) continue
    await program.stop('SIGKILL')
    throw new Error(`${path} did not start:\n${output.slice(-2_000)}`)
  }
  return program
}

/** Runs a program to its end. @returns its output @throws with the output when it fails */
export function run(path: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const done = spawnSync(path, args, { maxBuffer: 2 ** 28, timeout: 900_000, ...options, encoding: 'utf8' })
  if (done.status !== 0)
    throw new Error(`${path} ${args.join(' ')}: ${done.stderr}${done.stdout}${done.error ?? ''}`.slice(0, 2_000))
  return done.stdout
}

/** Returns whether a program takes connections at a port of this machine. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })
