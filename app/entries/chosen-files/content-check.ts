import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import type { ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import { refuseArchivo, sniffContentType } from '#app/entries/documents/file-rules.ts'
import type { Elegido } from '#app/entries/form-state/initial-state.ts'
import type { Reparo } from '#app/entries/form-state/reducer.ts'

/** What is wrong with files of a kind, their content looked at. A file that cannot be read now says so when it is sent. */
export async function reparosDe(clase: ClaseDocumento, elegidos: readonly Elegido[]): Promise<Reparo[]> {
  const found = await Promise.all(
    elegidos.map(async ({ id, file }) => {
      const head = await file
        .slice(0, SNIFF_BYTES)
        .arrayBuffer()
        .catch(() => undefined)
      const contentType = head && (sniffContentType(new Uint8Array(head)) ?? null)
      const refusal = refuseArchivo(clase, { name: file.name, size: file.size, contentType })
      return refusal ? [{ id, campo: clase, ...refusal }] : []
    }),
  )
  return found.flat()
}
