import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { inTurn, runInSandbox } from '#app/core/process/sandbox.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { type FileKind, type FileRefusal, messageForFile, type OpenedFile } from './file-rules.ts'
import { type EditionFile, saveFile } from './file-store.server.ts'

const SANITIZE_PROCESS = 'app/cms/sanitizing/sanitize-file.process.ts'

/** A mark is drawn in a tenth of this; what takes longer would keep every visitor's browser busy, too. */
const DRAWING_MS = 5_000
const ENDED_FOR = { foto: 'grande', logo: 'slow', video: 'ilegible', documento: 'reprint' } as const

/** A file that came whole, and for what. */
interface SentFile {
  clase: FileKind
  /** On this machine's disk; it stays as it is. */
  file: string
  /** As the person's device calls it. */
  nombre: string
}

/**
 * Opens a file apart, and keeps what is clean of it.
 * @returns the file of the edition; or why it is not taken, and how to mend it
 * @throws Rechazo sinEspacio; Saturado when too many are being opened; what the storage or the database says where they
 * are away
 */
export async function receiveFile(
  services: Pick<Services, 'db' | 'storage' | 'settings'>,
  { clase, file, nombre }: SentFile,
): Promise<{ ok: true; archivo: EditionFile } | { ok: false; reason: FileRefusal; message: string }> {
  const folder = dirname(file)
  const { disponible } = await readDiskSpace(folder, services.settings.piso)
  if (disponible < (await stat(file)).size) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  const cleanPath = join(folder, `${randomUUID()}.limpio`)
  try {
    const opened = await openSent(clase, file, cleanPath)
    if (!opened.ok) return { ok: false, reason: opened.motivo, message: messageForFile(clase, opened.motivo, nombre) }
    const { tipo, medidas } = opened
    return { ok: true, archivo: await saveFile(services, { tipo, medidas, file: cleanPath }) }
  } finally {
    await rm(cleanPath, { force: true })
  }
}

/**
 * Opens a file in a process apart: the one door through which a file comes into an edition.
 * @param cleanPath where it is left clean, if it is taken
 * @throws Rechazo sinEspacio; Saturado when too many are being opened
 */
export async function openSent(kind: FileKind, file: string, cleanPath: string): Promise<OpenedFile> {
  const { painted, outcome, said } = await inTurn('panel', '', () =>
    runInSandbox(SANITIZE_PROCESS, undefined, [kind, file, cleanPath], kind === 'logo' ? DRAWING_MS : undefined),
  )
  return outcome === 'hecho' ? (JSON.parse(painted.toString()) as OpenedFile) : endedAs(kind, said)
}

/** The process was ended: it took more memory or time than there is, or the disk was full. @throws for the disk */
function endedAs(kind: FileKind, said: string): OpenedFile {
  if (said.includes('ENOSPC')) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  return { ok: false, motivo: ENDED_FOR[kind] }
}
