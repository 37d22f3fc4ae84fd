import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import MailComposer from 'nodemailer/lib/mail-composer'
import { errorCode, makeFolder, writeWhole } from './durable-files.server.ts'
import { type Mailer, type MailSender, mailOptions } from './mail.server.ts'

/** Where messages stay without a mail server. */
export const outboxOf = (dataDir: string) => join(dataDir, 'outbox')

/** Removes messages from the folder, if they are there. */
export async function forgetMail(folder: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names)
    if (messageIds.some((id) => name.endsWith(`-${id}.eml`))) await rm(join(folder, name), { force: true })
}

/**
 * Messages as files `<UTC time>-<kind>-<message id>.eml`, each put in place whole: whoever reads the folder finds
 * messages and nothing else, drafts lie in `<folder>.tmp`. A repeated message replaces itself.
 */
export function openMailFolder(folder: string, from: MailSender): Mailer {
  const drafts = `${folder}.tmp`
  return {
    parallel: 2,
    isFolder: true,
    async send(message) {
      try {
        const eml = await new MailComposer(mailOptions(message, from)).compile().build()
        const time = message.date.toISOString().replace(/[-:]/g, '')
        await makeFolder(folder)
        await makeFolder(drafts)
        await writeWhole(join(folder, `${time}-${message.kind}-${message.messageId}.eml`), eml, drafts)
        return { ok: true }
      } catch (error) {
        // On a full disk nothing gets through until there is room again.
        return { ok: false, reason: 'unreachable', code: errorCode(error) ?? 'fault' }
      }
    },
    close() {},
  }
}
