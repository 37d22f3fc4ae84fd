import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * Responds with a file as a stream, with range requests and a validator, so that an interrupted download can resume. A request
 * for several ranges (RFC 9110 §14) gets the whole file. A known validator is answered with 304, and a range beyond the end with
 * 416.
 * @param headers added to the response; an `etag` among them replaces the ETag that is made of size and time
 * @returns undefined if there is no such file
 */
export async function fileResponse(
  filePath: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  const fileStat = await stat(filePath).catch(() => undefined)
  if (!fileStat?.isFile()) return undefined
  const etag = headers.etag ?? `"${fileStat.size.toString(36)}-${Math.round(fileStat.mtimeMs).toString(36)}"`
  const baseHeaders = { 'accept-ranges': 'bytes', ...headers, etag }
  const knownTags = request.headers.get('if-none-match')?.split(',') ?? []
  if (knownTags.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers: baseHeaders })
  // `If-Range` states the validator of an interrupted download: a file that has changed since is sent whole.
  const isUnchanged = (request.headers.get('if-range') ?? etag) === etag
  const rangeMatch = isUnchanged ? /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '') : null
  // A range without bounds, or one that ends before its start, is no valid range and is ignored (RFC 9110 §14.1.1).
  const hasRange =
    rangeMatch && rangeMatch[0] !== 'bytes=-' && !(rangeMatch[2] && Number(rangeMatch[1]) > Number(rangeMatch[2]))
  const openBody = (options?: { start: number; end: number }) =>
    request.method === 'HEAD' ? null : (Readable.toWeb(createReadStream(filePath, options)) as ReadableStream)
  if (!hasRange)
    return new Response(openBody(), { headers: { ...baseHeaders, 'content-length': String(fileStat.size) } })
  // Without a start, as in `bytes=-500`, the range is the last bytes of the file.
  const start = rangeMatch[1] === '' ? Math.max(0, fileStat.size - Number(rangeMatch[2])) : Number(rangeMatch[1])
  const end =
    rangeMatch[1] === '' || rangeMatch[2] === ''
      ? fileStat.size - 1
      : Math.min(Number(rangeMatch[2]), fileStat.size - 1)
  if (start > end)
    return new Response(null, { status: 416, headers: { ...baseHeaders, 'content-range': `bytes */${fileStat.size}` } })
  return new Response(openBody({ start, end }), {
    status: 206,
    headers: {
      ...baseHeaders,
      'content-length': String(end - start + 1),
      'content-range': `bytes ${start}-${end}/${fileStat.size}`,
    },
  })
}
