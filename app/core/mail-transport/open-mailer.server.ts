import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { Mailer } from './mailer.server.ts'
import { openMailFolder, outboxOf } from './outbox-folder.server.ts'
import { openSmtp } from './smtp.server.ts'

/**
 * Opens the mail server of SMTP_URL, or the folder DATA_DIR/outbox. A server that does not answer does not stop the start.
 * @param name the sender's display name
 */
export function openMailer(settings: Settings, name: string, log: Log): Mailer {
  const from = { name, address: settings.mailFrom }
  if (settings.smtpUrl) return openSmtp(settings.smtpUrl, from)
  if (settings.publicUrl.startsWith('https:')) log.warn('without SMTP_URL, mail stays in the data folder')
  return openMailFolder(outboxOf(settings.dataDir), from)
}
