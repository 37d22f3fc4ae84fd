import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'

/** Maximum processor time of a sandbox. The largest accepted photograph takes eight seconds. */
const MAX_CPU_SECONDS = 15
/** A sandbox on a busy machine may run for this many times its maximum processor time. */
const BUSY_FACTOR = 4
/** The file must arrive within this time, so that a silent storage does not block the queue. */
const INPUT_TIMEOUT_MS = 10_000
/**
 * Maximum writable memory of a sandbox (RLIMIT_DATA). It consists of some 620 MB that Node only reserves, 100 MB that Node uses,
 * and MAX_DECODED_BYTES of picture-decoder.server.ts. `--max-old-space-size` would limit Node's own objects only, not the pixels
 * that libvips holds.
 */
const MAX_DATA_KIB = 1_050_000

/** Node's compile cache for sandboxed programs, from the project's root. */
const COMPILE_CACHE = 'build/compilado'

/**
 * Limits this process's sandboxes, each a process of some 150 MB, to two at once. Files that visitors send and files that
 * organisers send or open wait in separate lanes. In the lane of visitors the networks take turns, so that a network's slow files
 * delay another network by one file only.
 */
export const sandboxQueue = createFairQueue(2, {
  public: { maxWaiting: 120, maxWaitingPerKey: 60, weight: 1 },
  panel: { maxWaiting: 120, maxWaitingPerKey: 120, weight: 1 },
})

export interface SandboxResult {
  /** Standard output. */
  output: Buffer
  /** `done` for exit status 0, `refused` for 3; undefined for another status, or after a signal. */
  outcome: 'done' | 'refused' | undefined
  /** Whether a time limit ended the process. */
  isLate: boolean
  /** Standard error, which gives the reason of a refusal. */
  errorText: string
  /** Error that kept the file from arriving completely, as when the process crashed while it read. */
  inputError: unknown
}

/**
 * Runs a *.process.ts over the stream of an untrusted file. Only the result enters the site's memory, and a file that was made
 * hard to read does not delay other requests.
 * @param program path from the project's root, the site's working directory
 * @param body undefined if the program opens the file itself
 * @param maxCpuSeconds limit of processor time (RLIMIT_CPU), which does not depend on how busy the machine is
 * @throws OverloadedError if the program judged a file of which only a part had arrived
 * @throws the system's error if it cannot start a process
 */
export async function runInSandbox(
  program: string,
  body: Readable | undefined,
  args: readonly string[],
  maxCpuSeconds = MAX_CPU_SECONDS,
): Promise<SandboxResult> {
  const nodeCommand = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]
  // Core dumps are switched off, since they would contain the document unencrypted.
  const limits = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; ulimit -S -t ${maxCpuSeconds} 2>/dev/null`
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, ...nodeCommand], {
    // The environment contains no secrets of the site. A single malloc arena returns free memory to the system at once. The
    // compile cache, which need not exist, halves the time to start.
    env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: COMPILE_CACHE },
    timeout: BUSY_FACTOR * maxCpuSeconds * 1_000,
    killSignal: 'SIGKILL',
  })
  const inputDone = pipeline(body ?? [], child.stdin, { signal: AbortSignal.timeout(INPUT_TIMEOUT_MS) }).then(
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
  // To the program, a stream that broke looks like the end of the file, so its judgement of the part says nothing about the file.
  if (inputError !== undefined && outcome !== undefined)
    throw new OverloadedError('The file reached the sandbox only in part', { cause: inputError })
  return {
    output,
    errorText,
    inputError,
    outcome,
    isLate: outcome === undefined && (child.killed || child.signalCode === 'SIGXCPU'),
  }
}
