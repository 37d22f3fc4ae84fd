import type { Readable } from 'node:stream'
import { downloadZip } from 'client-zip'

/** One file of an archive. */
export interface ZipEntry {
  /** Path in the archive. */
  name: string
  /** Exact size in bytes. The archive's length, which depends on it, is sent before the file is read. */
  size: number
  lastModified: Date
  /** Opens the file, when the files before it have been sent. */
  open(): Readable | Promise<Readable>
}

/**
 * Responds with a ZIP archive of uncompressed files, which are streamed one by one as the visitor reads. No file is held in
 * memory, and the length is sent beforehand.
 */
export function zipResponse(
  entries: readonly ZipEntry[],
  isHeadRequest: boolean,
  headers: Record<string, string>,
): Response {
  async function* files() {
    // The files stay Node streams, since web streams would take nearly twice the memory.
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
