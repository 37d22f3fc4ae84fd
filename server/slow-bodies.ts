import type { IncomingMessage } from 'node:http'

export type BodyDeadline =
  /** Limit for the whole body. */
  | { wholeMs: number }
  /** The body may take any time as long as at least `minBytes` arrive within every `stallMs`. */
  | { stallMs: number; minBytes: number }

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/**
 * Limits how long a request may take to send its body.
 * @param onTooSlow is called when the time is over and part of the body is missing
 */
export function limitBody(request: IncomingMessage, deadline: BodyDeadline, onTooSlow: () => void): void {
  if (!hasBody(request)) return
  const isWhole = 'wholeMs' in deadline
  const [waitMs, minBytes] = isWhole ? [deadline.wholeMs, 0] : [deadline.stallMs, deadline.minBytes]
  const { socket } = request
  let countedSinceMs = performance.now()
  let countedBytes = socket.bytesRead
  const timer = setInterval(
    () => {
      if (request.complete) return clearInterval(timer)
      if (!isWhole && socket.bytesRead - countedBytes >= minBytes) {
        countedBytes = socket.bytesRead
        countedSinceMs = performance.now()
      } else if (isWhole || performance.now() - countedSinceMs >= waitMs) {
        clearInterval(timer)
        onTooSlow()
      }
    },
    // A stall is noticed at most a twelfth of `stallMs` late.
    isWhole ? waitMs : waitMs / 12,
  )
  request.once('close', () => clearInterval(timer))
}

/** A /48 of IPv6 may send this many times as many bodies at once as a /64. */
const WIDE_NETWORK_FACTOR = 4

/**
 * Creates a limit for bodies that a network sends at once.
 * @returns a function that counts a request of these networks (`networksOf`) until its body is complete, and returns whether it is
 *   within the limit
 */
export function limitOpenBodies(maxPerNetwork: number): (request: IncomingMessage, networks: string[]) => boolean {
  const countByNetwork = new Map<string, number>()
  const countOf = (network: string) => countByNetwork.get(network) ?? 0
  return (request, networks) => {
    const isOverLimit = (network: string, index: number) =>
      countOf(network) >= (index === 0 ? maxPerNetwork : maxPerNetwork * WIDE_NETWORK_FACTOR)
    if (networks.some(isOverLimit)) return false
    for (const network of networks) countByNetwork.set(network, countOf(network) + 1)
    request.once('close', () => {
      for (const network of networks)
        if (countOf(network) > 1) countByNetwork.set(network, countOf(network) - 1)
        else countByNetwork.delete(network)
    })
    return true
  }
}
