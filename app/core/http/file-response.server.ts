import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * Answers with a file from disk as a stream, with one range (RFC 9110 §14; several are answered whole) and a validator, so that
 * an interrupted download can resume.
 * @param headers added to the answer; an `etag` among them is the validator
 * @returns undefined when there is no such file
 */
export async function answerFile(
  file: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const etag = headers.etag ?? `"${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}"`
  const base = { 'accept-ranges': 'bytes', ...headers, etag }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers: base })
  const isSame = (request.headers.get('if-range') ?? etag) === etag
  const asked = isSame ? /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '') : null
  const body = (options?: { start: number; end: number }) =>
    request.method === 'HEAD' ? null : (Readable.toWeb(createReadStream(file, options)) as ReadableStream)
  if (!asked || (asked[1] === '' && asked[2] === ''))
    return new Response(body(), { headers: { ...base, 'content-length': String(found.size) } })
  const start = asked[1] === '' ? Math.max(0, found.size - Number(asked[2])) : Number(asked[1])
  const end = asked[1] === '' || asked[2] === '' ? found.size - 1 : Math.min(Number(asked[2]), found.size - 1)
  if (start > end)
    return new Response(null, { status: 416, headers: { ...base, 'content-range': `bytes */${found.size}` } })
  return new Response(body({ start, end }), {
    status: 206,
    headers: {
      ...base,
      'content-length': String(end - start + 1),
      'content-range': `bytes ${start}-${end}/${found.size}`,
    },
  })
}
