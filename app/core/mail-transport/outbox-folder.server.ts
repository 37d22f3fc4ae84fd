import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import MailComposer from 'nodemailer/lib/mail-composer'
import { errorCode, makeFolder, writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { HOUR_MS } from '#app/core/time/mexico-dates.ts'
import { type Mailer, type MailSender, mailOptions } from './mailer.server.ts'

/** Returns the folder that keeps the messages when there is no mail server. */
export const outboxOf = (dataDir: string) => join(dataDir, 'outbox')

/** Removes messages from the folder, if present. */
export async function forgetMail(folder: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names)
    if (messageIds.some((id) => name.endsWith(`-${id}.eml`))) await rm(join(folder, name), { force: true })
}

const FORGET_EVERY_MS = 5 * 60_000
/** Messages of these kinds are useless after an hour: codes, and letters sent in place of a code. */
const PASSING = ['codigo', 'puerta']
const KEPT_MS = 30 * 24 * HOUR_MS

/** Removes expired messages: codes after an hour, all others after thirty days. */
async function forgetOldMail(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const keptMs = PASSING.includes(/^[^-]+-([a-z]+)-.*\.eml$/.exec(name)?.[1] ?? '') ? HOUR_MS : KEPT_MS
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && now - found.mtimeMs > keptMs) await rm(join(folder, name), { force: true })
  }
}

/**
 * Stores messages as files `<UTC time>-<kind>-<message id>.eml`. Each is placed whole: drafts lie in `<folder>.tmp`, so the
 * folder holds complete messages only. A repeated message replaces its earlier file. Expired messages are removed.
 */
export function openMailFolder(folder: string, from: MailSender): Mailer {
  const drafts = `${folder}.tmp`
  const forget = () => void forgetOldMail(folder).catch(() => {})
  const forgetting = setInterval(forget, FORGET_EVERY_MS).unref()
  forget()
  return {
    parallel: 2,
    isFolder: true,
    async send(message) {
      try {
        const eml = await new MailComposer(mailOptions(message, from)).compile().build()
        const time = message.date.toISOString().replace(/[-:]/g, '')
        await makeFolder(folder)
        await makeFolder(drafts)
        await writeFileAtomically(join(folder, `${time}-${message.kind}-${message.messageId}.eml`), eml, drafts)
        return { ok: true }
      } catch (error) {
        // On a full disk no message gets through until there is room again.
        return { ok: false, reason: 'unreachable', code: errorCode(error) ?? 'fault' }
      }
    },
    close: () => clearInterval(forgetting),
  }
}
