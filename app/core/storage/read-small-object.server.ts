import type { ObjectStorage } from './object-store.server.ts'

/** A small object, whole; undefined when there is none, or it has more bytes than it may: whoever else writes there does not fill our memory. */
export async function readSmall(
  store: ObjectStorage,
  bucket: string,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const body = await store.get(bucket, path)
  if (!body) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) return undefined
      chunks.push(chunk)
    }
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks)
}
