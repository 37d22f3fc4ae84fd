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
/** A sheet of US Letter, in points. */
const LETTER_BOX: Box = [0, 0, 612, 792]

/**
 * Keys by which a catalog or a page makes a viewer act by itself: on opening, closing, saving or printing. `Names` also holds named
 * destinations and attachments.
 * @source ISO 32000-1 §12.6.3, §7.7.4
 */
const CATALOG_ACTION_KEYS = ['OpenAction', 'AA', 'Names']
const PAGE_ACTION_KEYS = ['AA']

/**
 * Puts the watermark across every page, and removes CATALOG_ACTION_KEYS and PAGE_ACTION_KEYS with all that they hold. The PDF is
 * written anew, without an owner password's encryption and without bytes before its header or after its end.
 * @returns undefined for a PDF that cannot be rewritten
 */
export const watermarkPdf = (original: Buffer): Promise<Buffer | undefined> => rewriteIfReadable(original, true)

/**
 * Removes CATALOG_ACTION_KEYS and PAGE_ACTION_KEYS from a PDF with all that they hold; a PDF without them stays as it is.
 * @returns undefined for a PDF that cannot be rewritten
 */
export const disarmPdf = (original: Buffer): Promise<Buffer | undefined> => rewriteIfReadable(original, false)

async function rewriteIfReadable(original: Buffer, addsWatermark: boolean): Promise<Buffer | undefined> {
  try {
    return await rewrite(original, addsWatermark)
  } catch {
    // The library throws a different error for each fault of a file.
    return undefined
  }
}

async function rewrite(original: Buffer, addsWatermark: boolean): Promise<Buffer | undefined> {
  const document = await openPdf(original)
  const { catalog } = document
  const pages = pagesOf(document)
  if (!(catalog instanceof PDFDict) || pages.size === 0) return undefined
  const deleteKeys = (dict: PDFDict, keys: readonly string[]) =>
    keys.map((key) => dict.delete(PDFName.of(key))).includes(true)
  const hadKeys = [
    deleteKeys(catalog, CATALOG_ACTION_KEYS),
    ...[...pages].map((page) => deleteKeys(page, PAGE_ACTION_KEYS)),
  ].includes(true)
  if (addsWatermark) addWatermark(document, pages)
  return addsWatermark || hadKeys ? writePdf(document) : original
}

/** The annotation flags Print, ReadOnly and Locked (ISO 32000-1 §12.5.3). */
const ANNOTATION_FLAGS = 4 + 64 + 128

/**
 * Puts the watermark on each page twice: at the end of the page's content, from which programs do not remove it as they do an
 * annotation, and as the last annotation, which lies above all others and which no instruction of the page can cover.
 */
function addWatermark({ context }: PDFDocument, pages: Iterable<PDFDict>): void {
  const readArray = (page: PDFDict, key: string): PDFObject[] => {
    const value = page.lookup(PDFName.of(key))
    return value instanceof PDFArray ? value.asArray() : []
  }
  // `q` saves the graphics state before the page's content, and `Q` restores it before the watermark.
  const saveState = context.register(context.flateStream('q\n'))
  const watermarksByBox = new Map<string, { content: PDFRef; annotation: PDFRef }>()
  const createWatermark = (box: Box) => {
    const operators = pdfWatermark(box)
    const form = { Type: 'XObject', Subtype: 'Form', BBox: [...box] }
    const appearance = context.register(context.flateStream(operators, form))
    const annotation = context.obj({
      Type: 'Annot',
      Subtype: 'Stamp',
      Rect: [...box],
      F: ANNOTATION_FLAGS,
      AP: { N: appearance },
    })
    return {
      content: context.register(context.flateStream(`\nQ\n${operators}`)),
      annotation: context.register(annotation),
    }
  }
  for (const page of pages) {
    const box = visibleBoxOf(page)
    const watermark = watermarksByBox.get(box.join(' ')) ?? createWatermark(box)
    watermarksByBox.set(box.join(' '), watermark)
    const contents = page.lookup(PDFName.of('Contents'))
    const ownContents =
      contents instanceof PDFArray ? contents.asArray() : contents ? [page.get(PDFName.of('Contents'))!] : []
    page.set(PDFName.of('Contents'), context.obj([saveState, ...ownContents, watermark.content]))
    // Some viewers show no page without /Type /Page.
    page.set(PDFName.of('Type'), PDFName.of('Page'))
    page.set(PDFName.of('Annots'), context.obj([...readArray(page, 'Annots'), watermark.annotation]))
  }
}

/** A page tree deeper than this, or one that refers to itself, is not searched further. */
const MAX_TREE_DEPTH = 30

/** Finds a page's visible rectangle: its CropBox within its MediaBox, both inherited from parent nodes; by default LETTER_BOX. */
function visibleBoxOf(page: PDFDict): Box {
  const boxOf = (key: string): Box | undefined => {
    let node: PDFObject | undefined = page
    for (let depth = 0; node instanceof PDFDict && depth < MAX_TREE_DEPTH; depth++) {
      const corners = node.lookup(PDFName.of(key))
      if (corners instanceof PDFArray) {
        const numbers = corners.asArray().map((_, index) => corners.lookup(index))
        const [x1, y1, x2, y2] = numbers.map((number) => (number instanceof PDFNumber ? number.asNumber() : Number.NaN))
        const box: Box = [Math.min(x1!, x2!), Math.min(y1!, y2!), Math.max(x1!, x2!), Math.max(y1!, y2!)]
        if (hasArea(box)) return box
      }
      node = node.lookup(PDFName.of('Parent'))
    }
    return undefined
  }
  const sheet = boxOf('MediaBox') ?? LETTER_BOX
  const crop = boxOf('CropBox') ?? sheet
  const visibleBox: Box = [
    Math.max(sheet[0], crop[0]),
    Math.max(sheet[1], crop[1]),
    Math.min(sheet[2], crop[2]),
    Math.min(sheet[3], crop[3]),
  ]
  return hasArea(visibleBox) ? visibleBox : sheet
}

const hasArea = ([left, bottom, right, top]: Box) => right - left > 1 && top - bottom > 1

const COVER_LINES = [
  'A este PDF no se le pudo poner la marca: está protegido o dañado.',
  'Va adjunto a esta hoja tal como llegó: documento.pdf.',
  'Es solo para este certamen.',
]

/** Makes a sheet with the watermark, to which the PDF is attached unchanged. */
export async function coverPdf(original: Buffer): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const [width, height] = [LETTER_BOX[2], LETTER_BOX[3]]
  const page = document.addPage([width, height])
  for (const [index, line] of COVER_LINES.entries())
    page.drawText(line, { x: 72, y: height - 96 - index * 24, size: 14, font })
  await document.attach(original, 'documento.pdf', { mimeType: 'application/pdf' })
  await document.flush()
  addWatermark(document, [page.node])
  return writePdf(document)
}
