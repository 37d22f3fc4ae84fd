import { readHead } from '#app/core/process/durable-files.server.ts'
import { withoutUnseen } from '#app/core/text/typed-text.ts'
import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import type { DocumentKind, DocumentMediaType } from '#app/entries/definitions/document-kinds.ts'
import { refuseContent, refuseFile, sniffContentType } from '#app/entries/documents/file-rules.ts'
import { whyNotOpened } from '#app/entries/documents/viewing.server.ts'
import { RefusalError } from './refusal.server.ts'
import { MAX_FILE_NAME_CHARACTERS, MESSAGES } from './schema.ts'

/** What is looked at of a file that somebody sends: its name as it begins, its content once it is whole. */
interface SentFile {
  clase: DocumentKind
  filename: string
  /** Bytes; null when the sender does not say. */
  size: number | null
}

/**
 * The type of a whole file, by its first bytes and by opening it, which takes a picture to be decoded.
 * @param from the network that sent it
 * @returns a Rechazo (archivoTipo, archivoVacio, archivoGrande, archivoIlegible) for what is refused for good
 * @throws Saturado when too many are being looked at
 */
export async function checkedContent(
  file: string,
  { clase, filename, size }: SentFile & { size: number },
  from: string,
): Promise<DocumentMediaType | RefusalError> {
  const contentType = sniffContentType(await readHead(file, SNIFF_BYTES)) ?? null
  const refusal = refuseFile(clase, { name: filename, size, contentType })
  if (refusal) return new RefusalError(refusal.reason, refusal.message)
  const unseen = refuseContent(filename, contentType!, await whyNotOpened(file, contentType!, from))
  return unseen ? new RefusalError(unseen.reason, unseen.message) : contentType!
}

/** @throws Rechazo with §5's message for a forbidden character or a size; for a name too long to keep, or that no device gives */
export function checkedFileName({ clase, filename: name, size }: SentFile): string {
  if (name.includes('\0')) throw new RefusalError('peticion', MESSAGES.peticion)
  // A name that reads backwards would deceive whoever looks at the list of files.
  const shown = withoutUnseen(name.toWellFormed().replace(/\p{Cc}/gu, '')) || 'archivo'
  // Its size is known once it ends.
  const refusal = refuseFile(clase, { name: shown, size: size ?? 1 })
  if (refusal) throw new RefusalError(refusal.reason, refusal.message)
  if (shown.length > MAX_FILE_NAME_CHARACTERS)
    throw new RefusalError('nombreArchivo', MESSAGES.archivoNombreLargo(shown))
  return shown
}
