import { PDFDocument } from '@cantoo/pdf-lib'

/** PDFs that anybody may have made, opened in a process apart (aparte.server.ts), never in the site's own. */

/**
 * A PDF as viewers open it: with bytes before its head or behind its end, a broken table of objects, or locked by an owner's
 * password, which keeps nobody from reading.
 * @throws for what cannot be read
 */
export async function openPdf(bytes: Buffer): Promise<PDFDocument> {
  const { stackTraceLimit } = Error
  // The library throws at every byte that begins no object: without traces, junk passes six times as quickly.
  Error.stackTraceLimit = 0
  try {
    return await PDFDocument.load(withoutTail(bytes), {
      password: '',
      updateMetadata: false,
      parseSpeed: Number.POSITIVE_INFINITY,
    })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Up to the end that it says itself, unless objects follow, as in one that was cut off. */
function withoutTail(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('%%EOF') + '%%EOF'.length
  const hasTail = end >= '%%EOF'.length && !/\d\s+\d+\s+obj\b/.test(bytes.toString('latin1', end))
  return hasTail ? bytes.subarray(0, end) : bytes
}

/** What the library says of a PDF that a password opens, and of one that a certificate or another program does. */
const LOCKED = ['NEEDS PASSWORD', 'unknown encryption method']

/** Whether a PDF shows nothing until a password is typed. */
export async function asksForPassword(bytes: Buffer): Promise<boolean> {
  if (!bytes.includes('/Encrypt')) return false
  try {
    await openPdf(bytes)
    return false
  } catch (error) {
    return error instanceof Error && LOCKED.includes(error.message)
  }
}
