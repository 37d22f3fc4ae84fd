import type { Services } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { readResults } from './data.server.ts'

/** Interval at which the results are read, once for all watchers. */
const READ_INTERVAL_MS = 1_000
/** Interval of comment lines, which keep proxies from closing a quiet connection. */
const KEEP_ALIVE_MS = 20_000
const MAX_UNREAD_BYTES = 64_000

type Watcher = (text: string) => void

export interface LiveResults {
  /**
   * Streams the results as server-sent events. @param mayStillRead called every `KEEP_ALIVE_MS`; false or an error ends the
   * stream
   */
  stream(signal: AbortSignal, mayStillRead: () => Promise<boolean>): ReadableStream<Uint8Array>
  /** Ends every stream, so that the process can stop. */
  end(): void
}

/** Creates the live results of one process, which reads them only while there are watchers. */
export function createLiveResults(services: Services): LiveResults {
  const watchers = new Set<Watcher>()
  const ends = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  /** The latest event, sent to a new watcher at once; empty without watchers, and while the results cannot be read. */
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
            (may) => (may ? push(':\n\n') : end()),
            () => end(),
          )
        }, KEEP_ALIVE_MS)
        stop = () => {
          clearInterval(keepAliveTimer)
          watchers.delete(push)
          ends.delete(end)
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
        ends.add(end)
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
      for (const end of [...ends]) end()
    },
  }
}
