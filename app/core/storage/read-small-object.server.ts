import type { ObjectStorage } from './object-store.server.ts'

/**
 * Reads a small object into memory. An object larger than `maxBytes` is not read, so that another program that writes to the store
 * cannot fill this process's memory.
 * @returns undefined when the object is missing or too large
 */
export async function readSmallObject(
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
