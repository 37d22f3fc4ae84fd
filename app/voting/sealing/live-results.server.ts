import type { Services } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { readResults } from './data.server.ts'

/** Interval at which the results are read for all watchers together. */
const READ_INTERVAL_MS = 1_000
/** Interval at which comment lines are sent, so that proxies do not close a quiet connection. */
const KEEP_ALIVE_MS = 20_000
const MAX_UNREAD_BYTES = 64_000

/** Sends a text to one reader of the results. */
type Watcher = (text: string) => void

export interface LiveResults {
  /**
   * Streams the results as server-sent events.
   * @param mayStillRead called every `KEEP_ALIVE_MS`; false or an error ends the stream
   */
  stream(signal: AbortSignal, mayStillRead: () => Promise<boolean>): ReadableStream<Uint8Array>
  /** Ends every stream, so that the process can stop. */
  end(): void
}

/** Creates the live results of one process, which reads them only while there are watchers. */
export function createLiveResults(services: Services): LiveResults {
  const watchers = new Set<Watcher>()
  const endFunctions = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  /** The latest event, which a new watcher gets at once. Empty without watchers, and while the results cannot be read. */
  let lastEvent = ''

  function startReading(): NodeJS.Timeout {
    let isReading = false
    const readAndPush = async () => {
      if (isReading) return
      isReading = true
      try {
        const results = await readResults(services, await loadElection())
        if (watchers.size === 0) return
        lastEvent = `data: ${JSON.stringify(results)}\n\n`
        for (const push of watchers) push(lastEvent)
      } catch (error) {
        lastEvent = ''
        services.log.warn({ err: error }, 'results could not be read; they are read again')
      } finally {
        isReading = false
      }
    }
    void readAndPush()
    return setInterval(readAndPush, READ_INTERVAL_MS)
  }

  function stream(signal: AbortSignal, mayStillRead: () => Promise<boolean>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    let stop = () => {}
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start(controller) {
        if (signal.aborted) return controller.close()
        const push: Watcher = (text) => {
          // A watcher that leaves MAX_UNREAD_BYTES unread gets no further results until it reads.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text))
        }
        const keepAliveTimer = setInterval(() => {
          mayStillRead().then(
            (mayRead) => (mayRead ? push(':\n\n') : end()),
            () => end(),
          )
        }, KEEP_ALIVE_MS)
        stop = () => {
          clearInterval(keepAliveTimer)
          watchers.delete(push)
          endFunctions.delete(end)
          if (watchers.size > 0) return
          clearInterval(timer)
          timer = undefined
          lastEvent = ''
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
        endFunctions.add(end)
        push('retry: 3000\n\n')
        if (lastEvent) push(lastEvent)
        timer ??= startReading()
        return undefined
      },
      cancel: () => stop(),
    }
    return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }))
  }

  return {
    stream,
    end() {
      for (const end of [...endFunctions]) end()
    },
  }
}
