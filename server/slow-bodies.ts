import type { IncomingMessage } from 'node:http'

/** A `Deadline` says how long a request may take to bring its body. */
export type Deadline =
  /** `wholeMs` is the time limit of the whole body, in milliseconds. */
  | { wholeMs: number }
  /** With `stallMs` there is no limit as long as `minBytes` more come within every `stallMs`. */
  | { stallMs: number; minBytes: number }

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/**
 * Limits how long a request may take to bring its whole body, if it has one.
 * @param refuse is called when the time is over and part of the body is missing
 */
export function limitBody(request: IncomingMessage, deadline: Deadline, refuse: () => void): void {
  if (!hasBody(request)) return
  const isWhole = 'wholeMs' in deadline
  const [waitMs, minBytes] = isWhole ? [deadline.wholeMs, 0] : [deadline.stallMs, deadline.minBytes]
  const { socket } = request
  let since = performance.now()
  let countedBytes = socket.bytesRead
  const timer = setInterval(
    () => {
      if (request.complete) return clearInterval(timer)
      if (!isWhole && socket.bytesRead - countedBytes >= minBytes) {
        countedBytes = socket.bytesRead
        since = performance.now()
      } else if (isWhole || performance.now() - since >= waitMs) {
        clearInterval(timer)
        refuse()
      }
    },
    isWhole ? waitMs : waitMs / 12,
  )
  request.once('close', () => clearInterval(timer))
}
