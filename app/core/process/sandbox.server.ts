import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'

/**
 * A sandbox has this many seconds of processor time: the largest photograph takes eight; slower files were made to be slow.
 */
const OPENING_S = 15
/** A sandbox on a busy machine may take this many times its processor time, by the clock. */
const BUSY_FACTOR = 4
/** The file's bytes must have come within this many milliseconds, so that a silent storage holds no place in the queue. */
const INPUT_MS = 10_000
/**
 * A sandbox may write to this much memory, in KiB (RLIMIT_DATA, which a plain user may lower): some 620 MB that Node only
 * reserves, 100 MB that it uses, and MAX_DECODED_BYTES of picture-decoder.server.ts. `--max-old-space-size` limits Node's own
 * objects alone, not the pixels that libvips holds.
 */
const MAX_DATA_KIB = 1_050_000

/** Node's compile cache for these programs lies here, from the project's root. */
const COMPILE_CACHE = 'build/compilado'

/**
 * Limits sandboxes to two at once, each a process of some 150 MB. Files that people send and files that organisers open wait in
 * separate lanes; within a lane the networks take turns, so that one network's slow files delay the others by one file only.
 */
export const sandboxQueue = createFairQueue(2, {
  public: { maxWaiting: 120, maxWaitingPerKey: 60, weight: 1 },
  panel: { maxWaiting: 120, maxWaitingPerKey: 120, weight: 1 },
})

export interface SandboxResult {
  /** The standard output. */
  output: Buffer
  /** `done` is exit status 0, `refused` is 3; undefined after another status, or an end by a signal. */
  outcome: 'done' | 'refused' | undefined
  /** The time limit ended the process. */
  isLate: boolean
  /** The standard error, which tells the reason of a refusal. */
  errorText: string
  /** This error kept the file's bytes from arriving. */
  inputError: unknown
}

/**
 * Runs a *.process.ts over an untrusted file, as its bytes come: only the result enters the site's memory, and a file that is
 * made hard to read delays no other request. The exit status is 0 for done and 3 for refused.
 * @param program path from the project's root, the site's working directory
 * @param body undefined where the program opens the file itself
 * @param limitS limit of processor time, in seconds (RLIMIT_CPU), so that a busy machine refuses no good file
 * @throws the system's error where it can start no process
 */
export async function runInSandbox(
  program: string,
  body: Readable | undefined,
  args: readonly string[],
  limitS = OPENING_S,
): Promise<SandboxResult> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]
  // An ended process leaves no core dump, in which a document would lie in clear.
  const limits = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; ulimit -S -t ${limitS} 2>/dev/null`
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, ...node], {
    // The sandbox gets no secrets of the site. A single malloc arena returns free memory to the system at once. The compile cache
    // halves the time to start; where its folder cannot be written, Node goes on without.
    env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: COMPILE_CACHE },
    timeout: BUSY_FACTOR * limitS * 1_000,
    killSignal: 'SIGKILL',
  })
  const inputDone = pipeline(body ?? [], child.stdin, { signal: AbortSignal.timeout(INPUT_MS) }).then(
    () => undefined,
    (error: unknown) => error,
  )
  const [output, errorText, [code], inputError] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
    inputDone,
  ])
  const outcome = code === 0 ? 'done' : code === 3 ? 'refused' : undefined
  return {
    output,
    errorText,
    inputError,
    outcome,
    isLate: outcome === undefined && (child.killed || child.signalCode === 'SIGXCPU'),
  }
}
