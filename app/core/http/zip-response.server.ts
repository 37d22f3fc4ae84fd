import type { Readable } from 'node:stream'
import { downloadZip } from 'client-zip'

/** One file of an archive; its bytes are asked for when its turn comes. */
export interface ZipEntry {
  /** Path in the archive, folders included. */
  name: string
  /** Exact size in bytes. */
  size: number
  lastModified: Date
  open(): Readable | Promise<Readable>
}

/**
 * Files as one ZIP (stored, not compressed), streamed one after the other as the visitor takes them: nothing is held in
 * memory, and the length is told beforehand.
 */
export function answerZip(entries: readonly ZipEntry[], onlyHead: boolean, headers: Record<string, string>): Response {
  async function* files() {
    // Read as Node's own stream: turned into a web stream first, it would hold nearly twice the memory.
    for (const { open, ...entry } of entries) {
      const input = await open()
      try {
        yield { ...entry, input }
      } finally {
        // Only this generator learns that the visitor has gone.
        input.destroy()
      }
    }
  }
  const { body, headers: said } = downloadZip(onlyHead ? [] : files(), {
    metadata: entries.map(({ open: _, ...entry }) => entry),
  })
  return new Response(onlyHead ? null : body, {
    headers: { ...headers, 'content-type': 'application/zip', 'content-length': said.get('content-length')! },
  })
}
