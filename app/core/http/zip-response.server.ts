import type { Readable } from 'node:stream'
import { downloadZip } from 'client-zip'

/** One file of an archive, opened when its turn comes. */
export interface ZipEntry {
  /** Path in the archive, folders included. */
  name: string
  /** Exact size in bytes. */
  size: number
  lastModified: Date
  open(): Readable | Promise<Readable>
}

/**
 * Answers with one ZIP (stored, not compressed), streamed file by file as the visitor reads: nothing is held in memory, and the
 * length is sent beforehand.
 */
export function answerZip(entries: readonly ZipEntry[], onlyHead: boolean, headers: Record<string, string>): Response {
  async function* files() {
    // Read as Node streams: converted to web streams first, the files would take nearly twice the memory.
    for (const { open, ...entry } of entries) {
      const input = await open()
      try {
        yield { ...entry, input }
      } finally {
        // Only this generator learns that the visitor has disconnected.
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
