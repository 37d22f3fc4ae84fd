import PostalMime from 'postal-mime'
import { isUuid } from '#app/core/text/uuid.ts'

export interface Bounce {
  /** Message-ID of the mail, without its domain. */
  messageId: string
  /** Status of RFC 3463, such as 5.1.1. */
  status: string
}

/**
 * Parses a delivery status notification of a permanent failure. No text of the report is kept or shown. A forged report needs the
 * random Message-ID, which only the recipient and the servers on the way know, and merely makes the mail count as bounced.
 * @param source of a mail in the bounce mailbox, perhaps truncated
 * @returns undefined for other mail, such as a delay, a success or a person's answer, and for a report without a Message-ID
 *   like the site's
 * @source RFC 3464
 */
export async function parseBounce(source: Buffer): Promise<Bounce | undefined> {
  const mail = await PostalMime.parse(source, { forceRfc822Attachments: true, maxNestingDepth: 20 }).catch(
    () => undefined,
  )
  const contentType = mail?.headers.find(({ key }) => key === 'content-type')?.value ?? ''
  if (!mail || !/^multipart\/report\b/i.test(contentType)) return undefined
  const readPart = (...types: string[]) => {
    const part = mail.attachments.find(({ mimeType }) => types.includes(mimeType.toLowerCase()))
    if (!part) return ''
    return typeof part.content === 'string' ? part.content : new TextDecoder('latin1').decode(part.content)
  }
  const status = failedStatus(readPart('message/delivery-status', 'message/global-delivery-status'))
  const returnedMail = readPart('text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers')
  // Only the header section is searched, since the text of a mail may quote another Message-ID.
  const headerSection = returnedMail.split(/\r?\n\r?\n/, 1)[0]!.replace(/\r?\n[ \t]+/g, ' ')
  const messageId = /^message-id:\s*<([^@>\s]+)@[^>\s]+>/im.exec(headerSection)?.[1]?.toLowerCase()
  return status && messageId && isUuid(messageId) ? { messageId, status } : undefined
}

/**
 * Returns the status of the first recipient to whom the delivery failed for good; 5.0.0 for an invalid status.
 * @returns undefined without such a failure
 */
function failedStatus(report: string): string | undefined {
  for (const group of report.split(/\r?\n\s*\r?\n/)) {
    const fieldOf = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(group)?.[1]
    if (fieldOf('Action')?.toLowerCase() !== 'failed') continue
    const status = fieldOf('Status')
    return status && /^[45]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : '5.0.0'
  }
  return undefined
}
