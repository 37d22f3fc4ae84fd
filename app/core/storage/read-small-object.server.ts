import type { ObjectStorage } from './object-store.server.ts'

/**
 * Reads a small object into memory. `maxBytes` keeps another program that writes to the store from filling this process's memory.
 * @returns undefined if the object is missing or larger than `maxBytes`
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
