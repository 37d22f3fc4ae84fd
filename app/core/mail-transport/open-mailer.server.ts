import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { Mailer } from './mailer.server.ts'
import { openOutbox, outboxFolderOf } from './outbox-folder.server.ts'
import { openSmtp } from './smtp.server.ts'

/**
 * Opens the mailer: the SMTP server of SMTP_URL or, without it, the folder DATA_DIR/outbox. An SMTP server that does not answer
 * does not keep the site from starting.
 */
export function openMailer(settings: Settings, senderName: string, log: Log): Mailer {
  const from = { name: senderName, address: settings.mailFrom }
  if (settings.smtpUrl) return openSmtp(settings.smtpUrl, from)
  if (settings.publicUrl.startsWith('https:')) log.warn('without SMTP_URL, mail stays in the data folder')
  return openOutbox(outboxFolderOf(settings.dataDir), from)
}
