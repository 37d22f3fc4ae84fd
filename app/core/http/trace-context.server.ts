/** An id that a proxy of ours gave a request, where it may be written to the log. */
const ID = /^[\w.-]{8,64}$/
/** @source W3C Trace Context, section 3.2 */
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * What a trusted proxy says of a request, so that its log and ours speak of the same one.
 * @param header reads a header of the request
 * @param trustedProxies 0: whatever is said is a visitor's own
 */
export function readTraceContext(
  header: (name: string) => string | undefined,
  trustedProxies: number,
): { id: string | undefined; trace: string | undefined } {
  if (trustedProxies === 0) return { id: undefined, trace: undefined }
  const id = header('x-request-id') ?? ''
  const trace = TRACEPARENT.exec(header('traceparent') ?? '')?.[1]
  return { id: ID.test(id) ? id : undefined, trace: trace === '0'.repeat(32) ? undefined : trace }
}
