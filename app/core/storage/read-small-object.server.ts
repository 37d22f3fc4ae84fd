import type { ObjectStorage } from './object-store.server.ts'

/**
 * Reads a small object whole; undefined when there is none, or when it is larger than `maxBytes`, so that another writer of the
 * store cannot fill this process's memory.
 */
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
