/** A request id that may be written to the log. */
const REQUEST_ID = /^[\w.-]{8,64}$/
/** @source https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Reads request id and trace id from the headers of a trusted proxy, so that a request has the same ids in the site's log and in
 * the proxy's.
 * @param header reads a header of the request
 * @param trustedProxies number of trusted proxies; without a trusted proxy, the headers come from the visitor and are ignored
 * @returns undefined for each id that is missing or malformed
 */
export function readTraceContext(
  header: (name: string) => string | undefined,
  trustedProxies: number,
): { id: string | undefined; trace: string | undefined } {
  if (trustedProxies === 0) return { id: undefined, trace: undefined }
  const id = header('x-request-id') ?? ''
  const trace = TRACEPARENT.exec(header('traceparent') ?? '')?.[1]
  return { id: REQUEST_ID.test(id) ? id : undefined, trace: trace === '0'.repeat(32) ? undefined : trace }
}
