import type { Readable } from 'node:stream'
import { downloadZip } from 'client-zip'

/** An entry is one file of an archive, opened when its turn comes. */
export interface ZipEntry {
  /** The name is a path in the archive, folders included. */
  name: string
  /** The size in bytes has to be exact, since the archive's length is sent before the file is read. */
  size: number
  lastModified: Date
  open(): Readable | Promise<Readable>
}

/**
 * Answers with one ZIP (stored, not compressed), streamed file by file as the visitor reads: no file is held in memory, and the
 * length is sent beforehand.
 */
export function answerZip(
  entries: readonly ZipEntry[],
  isHeadRequest: boolean,
  headers: Record<string, string>,
): Response {
  async function* files() {
    // The files are read as Node streams: converted to web streams first, they would take nearly twice the memory.
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
  const { body, headers: zipHeaders } = downloadZip(isHeadRequest ? [] : files(), {
    metadata: entries.map(({ open: _, ...entry }) => entry),
  })
  return new Response(isHeadRequest ? null : body, {
    headers: { ...headers, 'content-type': 'application/zip', 'content-length': zipHeaders.get('content-length')! },
  })
}
