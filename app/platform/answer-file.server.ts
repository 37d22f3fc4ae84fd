import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * A file from disk, streamed, with range requests (RFC 9110 §14: one range; several are answered whole).
 * @returns undefined when there is no such file
 */
export async function answerFile(
  file: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const base = { 'accept-ranges': 'bytes', ...headers }
  const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '')
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
