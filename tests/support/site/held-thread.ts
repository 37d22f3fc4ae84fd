import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'

/**
 * Measures the longest time for which this thread was held, in milliseconds of processor time, so that other programs on a busy
 * machine do not count.
 */
export function watchThread() {
  let before = process.threadCpuUsage()
  let longestMs = 0
  const measure = () => {
    const now = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }
  const timer = setInterval(measure, 1).unref()
  return {
    /** Returns the longest time since the last call. */
    take(): number {
      measure()
      const heldMs = longestMs
      longestMs = 0
      return heldMs
    },
    end: () => clearInterval(timer),
  }
}

/** Returns the environment variables of a site whose process reports on a Unix socket how long its thread was held. */
export const heldThreadEnv = (socketPath: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  HELD_SOCKET: socketPath,
})

/** Returns the longest time for which a site's thread was held since the last call, in milliseconds. */
export async function readHeldMs(socketPath: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ socketPath }, (response) => resolve(text(response)))
    .on('error', reject)
    .end()
  return Number(await promise)
}

const { HELD_SOCKET } = process.env
if (HELD_SOCKET && isMainThread && process.argv[1]?.endsWith('scripts/sitio.ts')) {
  const thread = watchThread()
  createServer((_request, response) => response.end(String(thread.take())))
    .listen(HELD_SOCKET)
    .unref()
}
