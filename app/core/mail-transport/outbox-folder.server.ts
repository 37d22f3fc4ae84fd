import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import MailComposer from 'nodemailer/lib/mail-composer'
import { createFolderDurably, errorCode, writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { type Mailer, type MailSender, mailOptions } from './mailer.server.ts'

/** Returns the folder for messages without a mail server. */
export const outboxFolderOf = (dataDir: string) => join(dataDir, 'outbox')

export async function removeMail(folder: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names)
    if (messageIds.some((id) => name.endsWith(`-${id}.eml`))) await rm(join(folder, name), { force: true })
}

const SWEEP_INTERVAL_MS = 5 * MINUTE_MS
/** Kinds of messages that are removed after an hour, when they are useless: codes, and letters that are sent in place of a code. */
const SHORT_LIVED_KINDS = ['codigo', 'puerta']
/** Messages of all other kinds are removed after this time. */
const RETENTION_MS = 30 * DAY_MS

async function removeExpiredMail(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const kind = /^[^-]+-([a-z]+)-.*\.eml$/.exec(name)?.[1] ?? ''
    const retentionMs = SHORT_LIVED_KINDS.includes(kind) ? HOUR_MS : RETENTION_MS
    const fileStat = await stat(join(folder, name)).catch(() => undefined)
    if (fileStat && now - fileStat.mtimeMs > retentionMs) await rm(join(folder, name), { force: true })
  }
}

/**
 * Opens a folder that stores messages as files `<UTC time>-<kind>-<message id>.eml`. The folder holds complete messages only,
 * since half-written files are in `<folder>.tmp`. A repeated message replaces its earlier file. Expired messages are removed.
 */
export function openOutbox(folder: string, from: MailSender): Mailer {
  const tempFolder = `${folder}.tmp`
  const sweep = () => void removeExpiredMail(folder).catch(() => {})
  const sweepTimer = setInterval(sweep, SWEEP_INTERVAL_MS).unref()
  sweep()
  return {
    maxConcurrent: 2,
    isFolder: true,
    async send(message) {
      try {
        const eml = await new MailComposer(mailOptions(message, from)).compile().build()
        const time = message.date.toISOString().replace(/[-:]/g, '')
        await createFolderDurably(folder)
        await createFolderDurably(tempFolder)
        await writeFileAtomically(join(folder, `${time}-${message.kind}-${message.messageId}.eml`), eml, tempFolder)
        return { ok: true }
      } catch (error) {
        // The disk may be full: no message can be stored until there is room again.
        return { ok: false, reason: 'unreachable', code: errorCode(error) ?? 'fault' }
      }
    },
    close: () => clearInterval(sweepTimer),
  }
}
