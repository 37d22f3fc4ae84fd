import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFRef,
  StandardFonts,
} from '@cantoo/pdf-lib'
import { openPdf, pagesOf, writePdf } from '#app/core/uploads/pdf-document.server.ts'
import { pdfWatermark } from './watermark.ts'

type Box = readonly [left: number, bottom: number, right: number, top: number]
const LETTER: Box = [0, 0, 612, 792]

/** By these keys a catalog or a page makes a viewer act on opening (ISO 32000-1 §12.6.3, §7.7.4). */
const RUNS_WITH_FILE = ['OpenAction', 'AA', 'Names']
const RUNS_WITH_PAGE = ['AA']

/**
 * Puts the watermark across every page, and removes the actions that catalog and pages run when opened. The PDF is written
 * anew, without an owner password's encryption and without bytes before its header or after its end.
 * @returns undefined for a PDF that cannot be marked
 */
export const watermarkPdf = (original: Buffer): Promise<Buffer | undefined> => unlessUnreadable(original, true)

/** Removes those actions from a PDF; a PDF without any stays as it is. @returns undefined for a PDF that cannot be read */
export const disarmPdf = (original: Buffer): Promise<Buffer | undefined> => unlessUnreadable(original, false)

async function unlessUnreadable(original: Buffer, isMarked: boolean): Promise<Buffer | undefined> {
  try {
    return await rewrite(original, isMarked)
  } catch {
    // The library throws a different error for each fault of a file.
    return undefined
  }
}

async function rewrite(original: Buffer, isMarked: boolean): Promise<Buffer | undefined> {
  const document = await openPdf(original)
  const { catalog } = document
  const pages = pagesOf(document)
  if (!(catalog instanceof PDFDict) || pages.size === 0) return undefined
  const forget = (dict: PDFDict, keys: readonly string[]) =>
    keys.map((key) => dict.delete(PDFName.of(key))).includes(true)
  const removals = [forget(catalog, RUNS_WITH_FILE), ...[...pages].map((page) => forget(page, RUNS_WITH_PAGE))]
  if (isMarked) stamp(document, pages)
  return isMarked || removals.includes(true) ? writePdf(document) : original
}

/** The number sets the annotation flags Print, ReadOnly and Locked (ISO 32000-1 §12.5.3). */
const PRINTED_AND_LOCKED = 4 + 64 + 128

/**
 * Puts the watermark on pages twice: at the end of the page's content, where no program removes it, and as the last
 * annotation, which lies above the others and which no instruction of the page can cover.
 */
function stamp({ context }: PDFDocument, pages: Iterable<PDFDict>): void {
  const readArray = (page: PDFDict, key: string): PDFObject[] => {
    const found = page.lookup(PDFName.of(key))
    return found instanceof PDFArray ? found.asArray() : []
  }
  const begin = context.register(context.flateStream('q\n'))
  const marks = new Map<string, { drawn: PDFRef; annotation: PDFRef }>()
  const markOf = (box: Box) => {
    const text = pdfWatermark(box)
    const form = { Type: 'XObject', Subtype: 'Form', BBox: [...box] }
    const above = context.register(context.flateStream(text, form))
    const annotation = context.obj({
      Type: 'Annot',
      Subtype: 'Stamp',
      Rect: [...box],
      F: PRINTED_AND_LOCKED,
      AP: { N: above },
    })
    return {
      drawn: context.register(context.flateStream(`\nQ\n${text}`)),
      annotation: context.register(annotation),
    }
  }
  for (const page of pages) {
    const box = visibleBoxOf(page)
    const mark = marks.get(box.join(' ')) ?? markOf(box)
    marks.set(box.join(' '), mark)
    const contents = page.lookup(PDFName.of('Contents'))
    const ownContents =
      contents instanceof PDFArray ? contents.asArray() : contents ? [page.get(PDFName.of('Contents'))!] : []
    page.set(PDFName.of('Contents'), context.obj([begin, ...ownContents, mark.drawn]))
    // Some viewers show no page without /Type /Page.
    page.set(PDFName.of('Type'), PDFName.of('Page'))
    page.set(PDFName.of('Annots'), context.obj([...readArray(page, 'Annots'), mark.annotation]))
  }
}

const MAX_TREE_DEPTH = 30

/** Finds a page's visible rectangle: its CropBox within its MediaBox, both inherited from parent nodes; by default Letter. */
function visibleBoxOf(page: PDFDict): Box {
  const boxOf = (key: string): Box | undefined => {
    let node: PDFObject | undefined = page
    for (let depth = 0; node instanceof PDFDict && depth < MAX_TREE_DEPTH; depth++) {
      const found = node.lookup(PDFName.of(key))
      if (found instanceof PDFArray) {
        const numbers = found.asArray().map((_, at) => found.lookup(at))
        const [x1, y1, x2, y2] = numbers.map((one) => (one instanceof PDFNumber ? one.asNumber() : Number.NaN))
        const box: Box = [Math.min(x1!, x2!), Math.min(y1!, y2!), Math.max(x1!, x2!), Math.max(y1!, y2!)]
        if (isSheet(box)) return box
      }
      node = node.lookup(PDFName.of('Parent'))
    }
    return undefined
  }
  const sheet = boxOf('MediaBox') ?? LETTER
  const crop = boxOf('CropBox') ?? sheet
  const visibleBox: Box = [
    Math.max(sheet[0], crop[0]),
    Math.max(sheet[1], crop[1]),
    Math.min(sheet[2], crop[2]),
    Math.min(sheet[3], crop[3]),
  ]
  return isSheet(visibleBox) ? visibleBox : sheet
}

const isSheet = ([left, bottom, right, top]: Box) => right - left > 1 && top - bottom > 1

const COVER_LINES = [
  'A este PDF no se le pudo poner la marca: está protegido o dañado.',
  'Va adjunto a esta hoja tal como llegó: documento.pdf.',
  'Es solo para este certamen.',
]

/** Makes a marked sheet with the PDF attached. The attached PDF itself stays without the mark. */
export async function coverPdf(original: Buffer): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const [width, height] = [LETTER[2], LETTER[3]]
  const page = document.addPage([width, height])
  for (const [at, line] of COVER_LINES.entries())
    page.drawText(line, { x: 72, y: height - 96 - at * 24, size: 14, font })
  await document.attach(original, 'documento.pdf', { mimeType: 'application/pdf' })
  await document.flush()
  stamp(document, [page.node])
  return writePdf(document)
}
