import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { findFileRefusal, sniffContentType } from '#app/entries/document-viewing/file-rules.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import type { FileProblem } from '#app/entries/form-state/reducer.ts'

/**
 * Finds the faults of chosen files by name, size and first bytes; only the server checks whether a picture can be decoded. The type
 * of a file that cannot be read is not checked; the file is reported when it is sent.
 */
export async function findContentProblems(
  kind: DocumentKind,
  chosenFiles: readonly ChosenFile[],
): Promise<FileProblem[]> {
  const problems = await Promise.all(
    chosenFiles.map(async ({ id, file }) => {
      const head = await file
        .slice(0, SNIFF_BYTES)
        .arrayBuffer()
        .catch(() => undefined)
      const contentType = head && (sniffContentType(new Uint8Array(head)) ?? null)
      const refusal = findFileRefusal(kind, { name: file.name, size: file.size, contentType })
      return refusal ? [{ id, campo: kind, ...refusal }] : []
    }),
  )
  return problems.flat()
}
