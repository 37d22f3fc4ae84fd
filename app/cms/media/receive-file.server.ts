import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { runInSandbox, sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { type FileKind, type FileRefusal, messageForFile, type OpenedFile } from './file-rules.ts'
import { type EditionFile, saveFile } from './file-store.server.ts'

const SANITIZE_PROCESS = 'app/cms/file-sanitizing/sanitize-file.process.ts'

/** A logo has this many seconds of processor time, ten times the usual. A slower one was made to be slow. */
const LOGO_LIMIT_S = 5
const REFUSAL_WHEN_ENDED = { foto: 'grande', logo: 'slow', video: 'ilegible', documento: 'reprint' } as const

interface SentFile {
  kind: FileKind
  /** A path on this machine's disk; the file is not changed. */
  file: string
  /** The file's name on the sender's device. */
  name: string
}

/**
 * Sanitizes a file in a process apart and stores the result.
 * @returns the stored file; or the reason of the refusal, with advice in Spanish
 * @throws RefusalError sinEspacio; OverloadedError when too many files wait; errors of the storage or the database
 */
export async function receiveFile(
  services: Pick<Services, 'db' | 'storage' | 'settings'>,
  { kind, file, name }: SentFile,
): Promise<{ ok: true; file: EditionFile } | { ok: false; reason: FileRefusal; message: string }> {
  const folder = dirname(file)
  const { availableBytes } = await readDiskSpace(folder, services.settings.diskReserve)
  if (availableBytes < (await stat(file)).size) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  const cleanPath = join(folder, `${randomUUID()}.limpio`)
  try {
    const opened = await sanitizeInSandbox(kind, file, cleanPath)
    if (!opened.ok) return { ok: false, reason: opened.reason, message: messageForFile(kind, opened.reason, name) }
    const { tipo, dimensions } = opened
    return { ok: true, file: await saveFile(services, { tipo, dimensions, file: cleanPath }) }
  } finally {
    await rm(cleanPath, { force: true })
  }
}

/**
 * Sanitizes a file in a process apart. All files from the panel or from an import pass through here.
 * @param cleanPath where the sanitized file is written
 * @throws RefusalError sinEspacio; OverloadedError when too many files wait
 */
export async function sanitizeInSandbox(kind: FileKind, file: string, cleanPath: string): Promise<OpenedFile> {
  const { output, outcome, errorText } = await sandboxQueue('panel', '', () =>
    runInSandbox(SANITIZE_PROCESS, undefined, [kind, file, cleanPath], kind === 'logo' ? LOGO_LIMIT_S : undefined),
  )
  return outcome === 'done' ? (JSON.parse(output.toString()) as OpenedFile) : refusalOfEndedProcess(kind, errorText)
}

/** Returns the refusal after the process was ended for its memory or time. @throws RefusalError if the disk was full */
function refusalOfEndedProcess(kind: FileKind, errorText: string): OpenedFile {
  if (errorText.includes('ENOSPC')) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  return { ok: false, reason: REFUSAL_WHEN_ENDED[kind] }
}
