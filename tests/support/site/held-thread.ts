import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'

/**
 * How long this thread is held at a stretch, in milliseconds of the processor: what other programs take of a busy machine
 * is not counted.
 */
export function watchThread() {
  let before = process.threadCpuUsage()
  let longest = 0
  const look = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }
  const timer = setInterval(look, 1).unref()
  return {
    /** The longest since the last time. */
    take(): number {
      look()
      const said = longest
      longest = 0
      return said
    },
    end: () => clearInterval(timer),
  }
}

/** Settings of a site whose process says on a socket how long it was held. */
export const watched = (socket: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  HELD_SOCKET: socket,
})

/** The longest that a site was held since the last question, in milliseconds. */
export async function heldOf(socketPath: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ socketPath }, (answer) => resolve(text(answer)))
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
