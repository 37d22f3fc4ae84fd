import type { IncomingMessage } from 'node:http'

/**
 * Gives a request so long to bring its whole body.
 * @param refuse is called when that is over and part of it is still missing
 */
export function limitBody(request: IncomingMessage, limitMs: number, refuse: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (length === '0' && coding === undefined) return
  const timer = setTimeout(() => {
    if (!request.complete) refuse()
  }, limitMs)
  request.once('close', () => clearTimeout(timer))
}
