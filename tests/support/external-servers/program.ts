import { type ChildProcess, type SpawnOptions, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that a test or a rig has started. */
export interface Program {
  process: ChildProcess
  /** Returns the output so far. */
  output(): string
  /** Ends the program by a signal, by default by `endSignal`; resolves once the program has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

interface ProgramOptions extends SpawnOptions {
  /** Returns whether the program serves; polled until it does. */
  isReady(output: string): boolean | Promise<boolean>
  startTimeoutMs?: number
  /** Signal that ends the program; by default SIGTERM. */
  endSignal?: NodeJS.Signals
}

const endAtExit = new Set<() => void>()
process.once('exit', () => {
  for (const endProgram of endAtExit) endProgram()
})

/** Starts a program, which ends with this process at the latest. @throws with the program's output if it does not become ready */
export async function startProgram(
  path: string,
  args: readonly string[],
  { isReady, startTimeoutMs = 90_000, endSignal = 'SIGTERM', ...options }: ProgramOptions,
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
  const endProgram = () => child.kill(endSignal)
  endAtExit.add(endProgram)
  child.once('exit', () => endAtExit.delete(endProgram))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const program: Program = {
    process: child,
    output: () => output,
    async stop(signal = endSignal) {
      if (hasEnded()) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
  }
  for (const deadlineMs = Date.now() + startTimeoutMs; !(await isReady(output)); await sleep(30)) {
    if (!hasEnded() && Date.now() < deadlineMs) continue
    await program.stop('SIGKILL')
    throw new Error(`${path} did not start:\n${output.slice(-2_000)}`)
  }
  return program
}

/** Runs a program to its end. @returns its output @throws with the output when it fails */
export function run(path: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const outcome = spawnSync(path, args, { maxBuffer: 2 ** 28, timeout: 900_000, ...options, encoding: 'utf8' })
  if (outcome.status !== 0)
    throw new Error(
      `${path} ${args.join(' ')}: ${outcome.stderr}${outcome.stdout}${outcome.error ?? ''}`.slice(0, 2_000),
    )
  return outcome.stdout
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
