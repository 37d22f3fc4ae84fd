import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import { readResultados } from './data.server.ts'

/** One look at the sums serves all who watch. */
const TURN_MS = 1_000
/** A line that says nothing keeps proxies from closing a quiet connection. */
const ALIVE_MS = 20_000

type Watcher = (text: string) => void

interface Watch {
  watchers: Set<Watcher>
  ends: Set<() => void>
  timer: NodeJS.Timeout | undefined
  last: string
}
const watches = new WeakMap<Database, Watch>()

const watchOf = ({ db }: Services): Watch => {
  const watch = watches.get(db) ?? { watchers: new Set(), ends: new Set(), timer: undefined, last: '' }
  watches.set(db, watch)
  return watch
}

/**
 * Results as they change, as server-sent events.
 * @param stillMay asked now and then: the stream ends when it says no
 */
export function streamResultados(
  services: Services,
  signal: AbortSignal,
  stillMay: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const watch = watchOf(services)
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const push: Watcher = (text) => {
        // Whoever does not read gets the next one.
        if ((controller.desiredSize ?? 0) > -64_000) controller.enqueue(encoder.encode(text))
      }
      const alive = setInterval(() => {
        stillMay().then(
          (may) => (may ? push(':\n\n') : end()),
          () => end(),
        )
      }, ALIVE_MS)
      stop = () => {
        clearInterval(alive)
        watch.watchers.delete(push)
        watch.ends.delete(end)
        if (watch.watchers.size > 0) return
        clearInterval(watch.timer)
        watch.timer = undefined
      }
      const end = () => {
        stop()
        try {
          controller.close()
        } catch {
          // The reader has gone already.
        }
      }
      signal.addEventListener('abort', end)
      watch.watchers.add(push)
      watch.ends.add(end)
      push('retry: 3000\n\n')
      if (watch.last) push(watch.last)
      watch.timer ??= begin(services, watch)
    },
    cancel: () => stop(),
  })
}

function begin(services: Services, watch: Watch): NodeJS.Timeout {
  let reading = false
  const turn = async () => {
    if (reading) return
    reading = true
    try {
      const resultados = await readResultados(services, await loadEleccion())
      watch.last = `data: ${JSON.stringify(resultados)}\n\n`
      for (const push of watch.watchers) push(watch.last)
    } catch (error) {
      services.log.warn({ err: error }, 'results could not be read; they are read again')
    } finally {
      reading = false
    }
  }
  void turn()
  return setInterval(turn, TURN_MS)
}

/** Ends every stream: a stop waits for no watcher. */
export function endWatching(services: Services): void {
  for (const end of [...watchOf(services).ends]) end()
}
