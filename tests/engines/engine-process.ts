import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { commandFor, type Engine } from '../../scripts/engines.mjs'

const START_MS = 30_000

export interface RunningProcess {
  child: ChildProcess
  /** Output on a stream so far. */
  said(fd: number): string
  /** Waits for the first match on a stream. */
  says(fd: number, what: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

/** Starts a program of an engine. File descriptor 3 is a pipe on which a program can report a number. */
export function start(
  engine: Engine,
  program: string,
  args: string[],
  env: Record<string, string> = {},
): RunningProcess {
  const [command, all] = commandFor(engine, program, args)
  // LC_ALL would override the rest, and a machine may lack Mexico's locale: only the language is asked for.
  const { LC_ALL: _, ...own } = process.env
  const child = spawn(command, all, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      ...own,
      TZ: 'America/Mexico_City',
      LC_CTYPE: 'C.UTF-8',
      LC_MESSAGES: 'es_MX.UTF-8',
      LANGUAGE: 'es_MX',
      ...env,
    },
  })
  const texts = ['', '', '', '']
  for (const [fd, stream] of child.stdio.entries())
    (stream as Readable | null)?.on('data', (chunk) => {
      texts[fd] += chunk
    })
  const ended = once(child, 'close')
  return {
    child,
    said: (fd) => texts[fd]!,
    async says(fd, what) {
      const until = Date.now() + START_MS
      for (;;) {
        const found = what.exec(texts[fd]!)
        if (found) return found
        if (child.exitCode !== null || Date.now() > until)
          throw new Error(`${program} did not say ${what}:\n${texts.join('\n').trim()}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
    },
  }
}
