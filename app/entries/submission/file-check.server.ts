import { readHead } from '#app/core/process/durable-files.server.ts'
import { withoutUnseen } from '#app/core/text/typed-text.ts'
import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import type { DocumentKind, DocumentMediaType } from '#app/entries/definitions/document-kinds.ts'
import { refuseContent, refuseFile, sniffContentType } from '#app/entries/document-viewing/file-rules.ts'
import { whyNotOpened } from '#app/entries/document-viewing/viewing.server.ts'
import { RefusalError } from './refusal.server.ts'
import { MAX_FILE_NAME_CHARACTERS, MESSAGES } from './schema.ts'

/** A SentFile is being received: its name is checked when the upload begins, its content once the file is whole. */
interface SentFile {
  clase: DocumentKind
  filename: string
  /** The size is in bytes; null when the sender does not say. */
  size: number | null
}

/**
 * Detects the type of a whole file by its first bytes, and checks that it can be opened; a picture is decoded for that.
 * @param from the network that sent the file
 * @returns the type, or (not thrown) a RefusalError for a file that is refused for good
 * @throws OverloadedError when too many files are being checked
 */
export async function checkContent(
  file: string,
  { clase, filename, size }: SentFile & { size: number },
  from: string,
): Promise<DocumentMediaType | RefusalError> {
  const contentType = sniffContentType(await readHead(file, SNIFF_BYTES)) ?? null
  const refusal = refuseFile(clase, { name: filename, size, contentType })
  if (refusal) return new RefusalError(refusal.reason, refusal.message)
  const contentRefusal = refuseContent(filename, contentType!, await whyNotOpened(file, contentType!, from))
  return contentRefusal ? new RefusalError(contentRefusal.reason, contentRefusal.message) : contentType!
}

/**
 * Returns the name without control and direction marks; `archivo` where nothing is left.
 * @throws RefusalError for a forbidden character or a size, with §5's message; for a NUL, or a name too long to keep
 */
export function checkFileName({ clase, filename: name, size }: SentFile): string {
  if (name.includes('\0')) throw new RefusalError('peticion', MESSAGES.peticion)
  // Direction marks go, since a name that reads backwards would mislead the readers of a list of files.
  const cleanName = withoutUnseen(name.toWellFormed().replace(/\p{Cc}/gu, '')) || 'archivo'
  // An unknown size passes here, and is checked once the file is whole.
  const refusal = refuseFile(clase, { name: cleanName, size: size ?? 1 })
  if (refusal) throw new RefusalError(refusal.reason, refusal.message)
  if (cleanName.length > MAX_FILE_NAME_CHARACTERS)
    throw new RefusalError('nombreArchivo', MESSAGES.archivoNombreLargo(cleanName))
  return cleanName
}
