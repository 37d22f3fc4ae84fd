import type { Services } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { readResults } from './data.server.ts'

/** The sums are read at this interval in milliseconds; one reading serves all watchers. */
const TURN_MS = 1_000
/** Comment lines at this interval in milliseconds keep proxies from closing a quiet connection. */
const ALIVE_MS = 20_000
const MAX_UNREAD_BYTES = 64_000

type Watcher = (text: string) => void

export interface LiveResults {
  /**
   * Streams results as they change, as server-sent events. @param stillMay called every `ALIVE_MS`; false or an error ends the
   * stream
   */
  stream(signal: AbortSignal, stillMay: () => Promise<boolean>): ReadableStream<Uint8Array>
  /** Ends every stream, so that a stop waits for no watcher. */
  end(): void
}

/** Serves the live results of one process to its watchers. */
export function createLiveResults(services: Services): LiveResults {
  const watchers = new Set<Watcher>()
  const ends = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  /** `last` is the latest event, sent to a new watcher at once; empty without watchers, and while the results cannot be read. */
  let last = ''

  function begin(): NodeJS.Timeout {
    let reading = false
    const turn = async () => {
      if (reading) return
      reading = true
      try {
        const results = await readResults(services, await loadElection())
        if (watchers.size === 0) return
        last = `data: ${JSON.stringify(results)}\n\n`
        for (const push of watchers) push(last)
      } catch (error) {
        last = ''
        services.log.warn({ err: error }, 'results could not be read; they are read again')
      } finally {
        reading = false
      }
    }
    void turn()
    return setInterval(turn, TURN_MS)
  }

  function stream(signal: AbortSignal, stillMay: () => Promise<boolean>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    let stop = () => {}
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start(controller) {
        if (signal.aborted) return controller.close()
        const push: Watcher = (text) => {
          // A watcher that leaves MAX_UNREAD_BYTES unread gets no further results until it reads.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text))
        }
        const alive = setInterval(() => {
          stillMay().then(
            (may) => (may ? push(':\n\n') : end()),
            () => end(),
          )
        }, ALIVE_MS)
        stop = () => {
          clearInterval(alive)
          watchers.delete(push)
          ends.delete(end)
          if (watchers.size > 0) return
          clearInterval(timer)
          timer = undefined
          last = ''
        }
        const end = () => {
          stop()
          try {
            controller.close()
          } catch {
            // The reader has closed the stream already.
          }
        }
        signal.addEventListener('abort', end)
        watchers.add(push)
        ends.add(end)
        push('retry: 3000\n\n')
        if (last) push(last)
        timer ??= begin()
        return undefined
      },
      cancel: () => stop(),
    }
    return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }))
  }

  return {
    stream,
    end() {
      for (const end of [...ends]) end()
    },
  }
}
