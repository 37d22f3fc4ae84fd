import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createFairQueue } from '#app/core/jobs/fair-queue.server.ts'

/** The largest photograph takes four seconds on two cores; what takes longer than this was made to. */
const OPENING_MS = 10_000
/**
 * What the system lets the process write to at most, in KiB (RLIMIT_DATA, which a plain user may lower): some 620 MB that
 * Node only sets aside, 100 MB that it uses, and MAX_DECODED_BYTES of picture-decoder.server.ts. What `--max-old-space-size`
 * bounds is its own objects alone, not the pixels that libvips holds.
 */
const MAX_DATA_KIB = 1_050_000

/** Where Node keeps what it has compiled of these programs, from the project's root. */
const COMPILED = 'build/compilado'

/**
 * Keeps what is opened apart to two files at once. Each has a process of its own, with some 150 MB while it lasts. What
 * people send waits beside what organisers look at, and within it the networks take turns: files that one of them made to
 * be slow keep the others waiting for one file's time.
 */
export const inTurn = createFairQueue(2, {
  enviado: { waiting: 120, perKey: 60, share: 1 },
  panel: { waiting: 120, perKey: 120, share: 1 },
})

/** What came of a file in the process that read it. */
export interface SandboxResult {
  /** What the process wrote. */
  painted: Buffer
  /** Of three: done, refused, or undefined where it was ended, by the system or for taking too long. */
  outcome: 'hecho' | 'rechazado' | undefined
  /** Whether it was ended for taking too long. */
  isLate: boolean
  /** Why it was refused. */
  said: string
  /** What kept its bytes from arriving. */
  broken: unknown
}

/**
 * Runs a *.process.ts over a file that anybody may have made, as the bytes come: none of it passes through the site's
 * memory but the result, and a file that is made to be hard to read keeps nobody else waiting. The process says with its
 * exit whether it is done (0) or refuses (3).
 * @param program from the project's root, where the site runs
 * @param body undefined where the program opens the file itself
 * @param limitMs after which it is ended
 * @throws what the system says where it can start no process
 */
export async function runInSandbox(
  program: string,
  body: Readable | undefined,
  args: readonly string[],
  limitMs = OPENING_MS,
): Promise<SandboxResult> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]
  const child = spawn('/bin/sh', ['-c', `ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`, ...node], {
    // Nothing of the site's secrets; memory goes back to the system as soon as it is free. Compiled once, each takes half
    // of the time to start; where the folder cannot be written, Node goes on without.
    env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: COMPILED },
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const fed = pipeline(body ?? [], child.stdin).then(
    () => undefined,
    (error: unknown) => error,
  )
  const [painted, said, [code], broken] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
    fed,
  ])
  const outcome = code === 0 ? 'hecho' : code === 3 ? 'rechazado' : undefined
  return { painted, said, broken, outcome, isLate: outcome === undefined && child.killed }
}
