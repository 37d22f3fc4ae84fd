import type { IncomingMessage } from 'node:http'

/**
 * Limits how long a request may take to bring its whole body.
 * @param refuse is called when the time is over and part of the body is missing
 */
export function limitBody(request: IncomingMessage, limitMs: number, refuse: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (length === '0' && coding === undefined) return
  const timer = setTimeout(() => {
    if (!request.complete) refuse()
  }, limitMs)
  request.once('close', () => clearTimeout(timer))
}
