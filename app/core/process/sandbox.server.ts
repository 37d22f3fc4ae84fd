import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'

/**
 * Time limit of a sandbox, in milliseconds: the largest photograph takes four seconds on two cores; slower files were made to
 * be slow.
 */
const OPENING_MS = 10_000
/**
 * Memory that a sandbox may write to, in KiB (RLIMIT_DATA, which a plain user may lower): some 620 MB that Node only reserves,
 * 100 MB that it uses, and MAX_DECODED_BYTES of picture-decoder.server.ts. `--max-old-space-size` limits Node's own objects
 * alone, not the pixels that libvips holds.
 */
const MAX_DATA_KIB = 1_050_000

/** Node's compile cache for these programs, from the project's root. */
const COMPILED = 'build/compilado'

/**
 * Limits sandboxes to two at once, each a process of some 150 MB. Files that people send and files that organisers open wait in
 * separate lanes; within a lane the networks take turns, so that one network's slow files delay the others by one file only.
 */
export const inTurn = createFairQueue(2, {
  enviado: { waiting: 120, perKey: 60, share: 1 },
  panel: { waiting: 120, perKey: 120, share: 1 },
})

export interface SandboxResult {
  /** Standard output. */
  painted: Buffer
  /** Done, refused, or undefined: ended by the system or the time limit. */
  outcome: 'hecho' | 'rechazado' | undefined
  /** Whether the process was ended by the time limit. */
  isLate: boolean
  /** Standard error: the reason of a refusal. */
  said: string
  /** The error that kept the file's bytes from arriving. */
  broken: unknown
}

/**
 * Runs a *.process.ts over an untrusted file, as its bytes come: only the result enters the site's memory, and a file that is
 * made hard to read delays no other request. The exit status is 0 for done and 3 for refused.
 * @param program path from the project's root, the site's working directory
 * @param body undefined where the program opens the file itself
 * @param limitMs time limit, in milliseconds
 * @throws the system's error where it can start no process
 */
export async function runInSandbox(
  program: string,
  body: Readable | undefined,
  args: readonly string[],
  limitMs = OPENING_MS,
): Promise<SandboxResult> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]
  const child = spawn('/bin/sh', ['-c', `ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`, ...node], {
    // No secrets of the site. A single malloc arena returns free memory to the system at once. The compile cache halves the
    // time to start; where its folder cannot be written, Node goes on without.
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
