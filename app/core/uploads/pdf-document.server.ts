// Untrusted PDFs are opened in a sandbox (app/core/process/sandbox.server.ts), never in the site's own process.

import { PDFArray, PDFDict, PDFDocument, PDFInvalidObject, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib'

/**
 * Opens a PDF as tolerantly as viewers do: it may have bytes before its header or after its end, a broken cross-reference table,
 * or an owner's password, which does not prevent reading.
 * @throws for an unreadable PDF
 */
export async function openPdf(bytes: Buffer): Promise<PDFDocument> {
  const { stackTraceLimit } = Error
  // The library throws an error at every byte that does not begin an object, which is six times as fast without stack traces.
  Error.stackTraceLimit = 0
  try {
    const document = await PDFDocument.load(withoutTail(bytes), {
      password: '',
      updateMetadata: false,
      parseSpeed: Number.POSITIVE_INFINITY,
    })
    removeUselessObjects(document)
    return document
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Cuts off bytes after the last %%EOF, unless objects follow, as in a truncated file. */
function withoutTail(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('%%EOF') + '%%EOF'.length
  const isComplete = end >= '%%EOF'.length && !/\d\s+\d+\s+obj\b/.test(bytes.toString('latin1', end))
  return isComplete ? bytes.subarray(0, end) : bytes
}

/** The library's errors for a PDF that needs a password, a certificate or another program. */
const PASSWORD_ERRORS = ['NEEDS PASSWORD', 'unknown encryption method']

/** Returns whether a PDF opens only with a password, a certificate or another program. */
export async function asksForPassword(bytes: Buffer): Promise<boolean> {
  if (!bytes.includes('/Encrypt')) return false
  try {
    await openPdf(bytes)
    return false
  } catch (error) {
    return error instanceof Error && PASSWORD_ERRORS.includes(error.message)
  }
}

/** Types of streams that contain objects or the cross-reference table. */
const OBJECT_STREAM_TYPES = new Set<PDFObject | undefined>([PDFName.of('ObjStm'), PDFName.of('XRef')])

function removeUselessObjects({ context }: PDFDocument): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    // Object streams, whose objects have been unpacked, would keep copies of the original pages in the file. Objects that could
    // not be decrypted are useless.
    const isObjectStream =
      object instanceof PDFStream && OBJECT_STREAM_TYPES.has(object.dict.lookup(PDFName.of('Type')))
    if (isObjectStream || (context.isDecrypted && object instanceof PDFInvalidObject)) context.delete(ref)
  }
}

export const writePdf = async (document: PDFDocument): Promise<Buffer> =>
  Buffer.from(
    await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
      objectsPerTick: Number.POSITIVE_INFINITY,
    }),
  )

/**
 * Collects every page that a viewer may show: all leaves of the page tree or, if it has none, all page objects. The set is empty
 * if a node of the tree is invalid.
 */
export function pagesOf({ catalog, context }: PDFDocument): Set<PDFDict> {
  const pages = new Set<PDFDict>()
  const visited = new Set<PDFObject>()
  const nodes: (PDFObject | undefined)[] = catalog instanceof PDFDict ? [catalog.get(PDFName.of('Pages'))] : []
  while (nodes.length > 0) {
    const node = context.lookup(nodes.pop())
    // Another program may be able to read the invalid node, and would show its pages without the watermark.
    if (node instanceof PDFInvalidObject) return new Set()
    if (!(node instanceof PDFDict) || visited.has(node)) continue
    visited.add(node)
    const kids = node.lookup(PDFName.of('Kids'))
    if (kids instanceof PDFArray) nodes.push(...kids.asArray())
    else pages.add(node)
  }
  for (const [, object] of pages.size === 0 ? [] : context.enumerateIndirectObjects())
    if (object instanceof PDFDict && object.lookup(PDFName.of('Type')) === PDFName.of('Page')) pages.add(object)
  return pages
}
