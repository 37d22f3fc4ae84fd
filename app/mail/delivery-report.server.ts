import PostalMime from 'postal-mime'
import { isUuid } from '#app/core/text/uuid.ts'

/** A bounce names a message that came back by its Message-ID, with the status that the reporting server gave. */
export interface Bounce {
  messageId: string
  /** The status is as in RFC 3463, such as 5.1.1. */
  status: string
}

/**
 * Reads a delivery status notification, and finds which of our messages failed for good. No text of the report is kept or shown.
 * To forge a report takes the random Message-ID, which only the recipient and the servers on the way know, and gains only that
 * the message counts as bounced.
 * @param raw a message from the mailbox, perhaps cut off
 * @returns undefined for other mail: a delay, a success, a person's answer
 * @source RFC 3464
 */
export async function parseBounce(raw: Buffer): Promise<Bounce | undefined> {
  const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: 20 }).catch(() => undefined)
  const type = mail?.headers.find(({ key }) => key === 'content-type')?.value ?? ''
  if (!mail || !/^multipart\/report\b/i.test(type)) return undefined
  const part = (...types: string[]) => {
    const found = mail.attachments.find(({ mimeType }) => types.includes(mimeType.toLowerCase()))
    if (!found) return ''
    return typeof found.content === 'string' ? found.content : new TextDecoder('latin1').decode(found.content)
  }
  const status = failedStatus(part('message/delivery-status', 'message/global-delivery-status'))
  const returnedHeaders = part('text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers')
  // Only the header section is searched, since the text of the message may quote another Message-ID.
  const headerSection = returnedHeaders.split(/\r?\n\r?\n/, 1)[0]!.replace(/\r?\n[ \t]+/g, ' ')
  const messageId = /^message-id:\s*<([^@>\s]+)@[^>\s]+>/im.exec(headerSection)?.[1]?.toLowerCase()
  return status && messageId && isUuid(messageId) ? { messageId, status } : undefined
}

/**
 * Returns the status of the first recipient for whom the delivery failed for good; 5.0.0 where the report gives no valid status.
 */
function failedStatus(report: string): string | undefined {
  for (const group of report.split(/\r?\n\s*\r?\n/)) {
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(group)?.[1]
    if (field('Action')?.toLowerCase() !== 'failed') continue
    const status = field('Status')
    return status && /^[45]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : '5.0.0'
  }
  return undefined
}
