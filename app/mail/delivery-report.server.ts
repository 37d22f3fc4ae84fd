import PostalMime from 'postal-mime'
import { isUuid } from '#app/core/text/uuid.ts'

/** A message that came back: our name of it, and the status that its last server gave. */
export interface Bounce {
  messageId: string
  /** As RFC 3463 has it: 5.1.1. */
  status: string
}

/**
 * Reads a delivery report: which of our messages could not be delivered for good. Nothing of what it says in words is
 * kept or shown; whoever forges one has to know the random name of a message, which only its reader and the servers on
 * its way do, and can say no more of that message than that it came back.
 * @param raw a message as a mailbox has it, perhaps cut off
 * @returns undefined for what is no such report: a delay, a success, an answer of a person
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
  const returned = part('text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers')
  // Only from its head: what follows is the message's own words.
  const head = returned.split(/\r?\n\r?\n/, 1)[0]!.replace(/\r?\n[ \t]+/g, ' ')
  const messageId = /^message-id:\s*<([^@>\s]+)@[^>\s]+>/im.exec(head)?.[1]?.toLowerCase()
  return status && messageId && isUuid(messageId) ? { messageId, status } : undefined
}

/** The status of the first recipient for whom the delivery failed for good. */
function failedStatus(report: string): string | undefined {
  for (const group of report.split(/\r?\n\s*\r?\n/)) {
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(group)?.[1]
    if (field('Action')?.toLowerCase() !== 'failed') continue
    const status = field('Status')
    return status && /^[45]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : '5.0.0'
  }
  return undefined
}
