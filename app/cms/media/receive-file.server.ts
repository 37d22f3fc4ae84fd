import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { runInSandbox, sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { type FileKind, type FileRefusal, messageForFile, type SanitizeOutcome } from './file-rules.ts'
import { type EditionFile, saveEditionFile } from './file-store.server.ts'

const SANITIZE_PROCESS_PATH = 'app/cms/file-sanitizing/sanitize-file.process.ts'

/** Maximum processor time for a logo; a slower one was probably made to be slow. */
const LOGO_LIMIT_SECONDS = 5
const REFUSAL_OF_ENDED_PROCESS = { foto: 'grande', logo: 'slow', video: 'ilegible', documento: 'reprint' } as const

interface UntrustedFile {
  kind: FileKind
  /** Path on this machine's disk; the file is not changed. */
  file: string
  /** Name on the sender's device. */
  name: string
}

/**
 * Sanitizes a file in a sandboxed process and stores the result.
 * @returns the stored file, or the reason of the refusal with advice in Spanish
 * @throws RefusalError `sinEspacio`; OverloadedError if too many files wait; errors of the storage or the database
 */
export async function receiveFile(
  services: Pick<Services, 'db' | 'storage' | 'settings'>,
  { kind, file, name }: UntrustedFile,
): Promise<{ ok: true; file: EditionFile } | { ok: false; reason: FileRefusal; message: string }> {
  const folder = dirname(file)
  const { availableBytes } = await readDiskSpace(folder, services.settings.diskReserve)
  if (availableBytes < (await stat(file)).size) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  const cleanPath = join(folder, `${randomUUID()}.limpio`)
  try {
    const outcome = await sanitizeInSandbox(kind, file, cleanPath)
    if (!outcome.ok) return { ok: false, reason: outcome.reason, message: messageForFile(kind, outcome.reason, name) }
    const { tipo, dimensions } = outcome
    return { ok: true, file: await saveEditionFile(services, { tipo, dimensions, file: cleanPath }) }
  } finally {
    await rm(cleanPath, { force: true })
  }
}

/**
 * Sanitizes a file, from the panel or from an import, in a sandboxed process.
 * @param cleanPath path to which the sanitized file is written
 * @throws RefusalError `sinEspacio`; OverloadedError if too many files wait
 */
export async function sanitizeInSandbox(kind: FileKind, file: string, cleanPath: string): Promise<SanitizeOutcome> {
  const { output, outcome, errorText } = await sandboxQueue('panel', '', () =>
    runInSandbox(
      SANITIZE_PROCESS_PATH,
      undefined,
      [kind, file, cleanPath],
      kind === 'logo' ? LOGO_LIMIT_SECONDS : undefined,
    ),
  )
  return outcome === 'done'
    ? (JSON.parse(output.toString()) as SanitizeOutcome)
    : refusalOfEndedProcess(kind, errorText)
}

/**
 * Returns the refusal for a process that ended without a result, mostly because memory or time ran out.
 * @throws RefusalError if the disk was full
 */
function refusalOfEndedProcess(kind: FileKind, errorText: string): SanitizeOutcome {
  if (errorText.includes('ENOSPC')) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
  return { ok: false, reason: REFUSAL_OF_ENDED_PROCESS[kind] }
}
