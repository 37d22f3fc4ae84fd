import { PDFArray, PDFDict, PDFDocument, PDFInvalidObject, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib'

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
    const document = await PDFDocument.load(withoutTail(bytes), {
      password: '',
      updateMetadata: false,
      parseSpeed: Number.POSITIVE_INFINITY,
    })
    forgetPacked(document)
    return document
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

/** What holds objects, and what tells where they stand. */
const PACKED = new Set<PDFObject | undefined>([PDFName.of('ObjStm'), PDFName.of('XRef')])

function forgetPacked({ context }: PDFDocument): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    // Unpacked, they would bring the pages along as they were; what stays locked says nothing to anybody.
    const isPacked = object instanceof PDFStream && PACKED.has(object.dict.lookup(PDFName.of('Type')))
    if (isPacked || (context.isDecrypted && object instanceof PDFInvalidObject)) context.delete(ref)
  }
}

/** A PDF written whole. */
export const writePdf = async (document: PDFDocument): Promise<Buffer> =>
  Buffer.from(
    await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
      objectsPerTick: Number.POSITIVE_INFINITY,
    }),
  )

/** Every page that a viewer may show: those of the tree, whatever they call themselves, and those that it lost; none without a tree. */
export function pagesOf({ catalog, context }: PDFDocument): Set<PDFDict> {
  const pages = new Set<PDFDict>()
  const seen = new Set<PDFObject>()
  const nodes: (PDFObject | undefined)[] = catalog instanceof PDFDict ? [catalog.get(PDFName.of('Pages'))] : []
  while (nodes.length > 0) {
    const node = context.lookup(nodes.pop())
    // Another program may read it, and would show a page without the mark.
    if (node instanceof PDFInvalidObject) return new Set()
    if (!(node instanceof PDFDict) || seen.has(node)) continue
    seen.add(node)
    const kids = node.lookup(PDFName.of('Kids'))
    if (kids instanceof PDFArray) nodes.push(...kids.asArray())
    else pages.add(node)
  }
  for (const [, object] of pages.size === 0 ? [] : context.enumerateIndirectObjects())
    if (object instanceof PDFDict && object.lookup(PDFName.of('Type')) === PDFName.of('Page')) pages.add(object)
  return pages
}
