import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib'
import { openPdf, pagesOf, writePdf } from '#app/core/uploads/pdf-document.server.ts'
import { withoutJpegMetadata } from './jpeg-metadata.server.ts'
import { blankBox, readBoxes } from './mp4.server.ts'

/** Keys of the catalog that display needs. @source ISO 32000-1 table 28 */
const KEPT_OF_CATALOG = ['Type', 'Pages', 'Version', 'Lang', 'OCProperties', 'PageLabels']
/** Keys of page tree nodes that display needs. @source ISO 32000-1 table 29 */
const KEPT_OF_NODE = ['Type', 'Kids', 'Count', 'Parent', 'Resources', 'MediaBox', 'CropBox', 'Rotate']
/** Keys of pages that display needs. @source ISO 32000-1 table 30 */
const KEPT_OF_PAGE =
  'Type Parent Resources MediaBox CropBox BleedBox TrimBox ArtBox Rotate Contents Group Annots UserUnit'.split(' ')
/** Keys with author, program, other files, structure, scripts or actions, removed from streams and from dictionaries with a Type. */
const REMOVED_KEYS = 'Metadata PieceInfo AA AF JS EF LastModified StructParent StructParents OPI Ref Measure PtData VP'
  .split(' ')
  .map((key) => PDFName.of(key))
const CREATOR_KEY = PDFName.of('CreatorInfo')
const METADATA_TYPES = [PDFName.of('Metadata'), PDFName.of('EmbeddedFile')]
/** Keys of a stream whose bytes are in another file. */
const EXTERNAL_FILE_KEYS = ['F', 'FFilter', 'FDecodeParms'].map((key) => PDFName.of(key))

/** Flags of annotations: Hidden and NoView; Print, ReadOnly and Locked. @source ISO 32000-1 table 165 */
const HIDDEN_FLAGS = 2 + 32
const PRINTED_AND_LOCKED_FLAGS = 4 + 64 + 128
const MAX_LINK_CHARACTERS = 2_000

/**
 * Rewrites a PDF with only the visible content of its pages and their links to URLs; undefined for a PDF that cannot be read, cleaned
 * and written again.
 */
export async function sanitizePdfDocument(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    const document = await openPdf(bytes)
    const { catalog, context } = document
    const pages = pagesOf(document)
    if (!(catalog instanceof PDFDict) || pages.size === 0) return undefined
    keepKeys(catalog, KEPT_OF_CATALOG)
    for (const page of pages) keepPage(document, page)
    for (const node of nodesAbove(pages)) keepKeys(node, KEPT_OF_NODE)
    context.trailerInfo = { Root: context.trailerInfo.Root! }
    removeMetadata(document)
    return await writePdf(document)
  } catch {
    // The library throws various errors for faults of the file.
    return undefined
  }
}

function keepKeys(dict: PDFDict, keys: readonly string[]): void {
  for (const key of dict.keys()) if (!keys.includes(key.decodeText())) dict.delete(key)
}

function nodesAbove(pages: Iterable<PDFDict>): Set<PDFDict> {
  const nodes = new Set<PDFDict>()
  for (const page of pages) {
    let node = page.lookup(PDFName.of('Parent'))
    while (node instanceof PDFDict && !nodes.has(node)) {
      nodes.add(node)
      node = node.lookup(PDFName.of('Parent'))
    }
  }
  return nodes
}

function keepPage({ context }: PDFDocument, page: PDFDict): void {
  keepKeys(page, KEPT_OF_PAGE)
  const annotations = page.lookup(PDFName.of('Annots'))
  page.delete(PDFName.of('Annots'))
  if (!(annotations instanceof PDFArray)) return
  const keptAnnotations = annotations
    .asArray()
    .map((annotation) => publishableAnnotation(context.lookup(annotation)))
    .filter((annotation) => annotation !== undefined)
  if (keptAnnotations.length > 0) page.set(PDFName.of('Annots'), context.obj(keptAnnotations))
}

/**
 * Returns an annotation with only its appearance or its link to a URL; undefined for a hidden annotation, for a link to anything
 * else, and for an annotation without an appearance.
 */
function publishableAnnotation(annotation: PDFObject | undefined): PDFDict | undefined {
  if (!(annotation instanceof PDFDict)) return undefined
  const { context } = annotation
  const lookup = (key: string) => annotation.lookup(PDFName.of(key))
  const flags = lookup('F')
  if (flags instanceof PDFNumber && (flags.asNumber() & HIDDEN_FLAGS) !== 0) return undefined
  const keptAnnotation = context.obj({ Type: 'Annot', F: PRINTED_AND_LOCKED_FLAGS })
  const rect = lookup('Rect')
  if (rect) keptAnnotation.set(PDFName.of('Rect'), rect)
  if (lookup('Subtype') === PDFName.of('Link')) {
    const url = linkUrlOf(lookup('A'))
    if (url === undefined) return undefined
    keptAnnotation.set(PDFName.of('Subtype'), PDFName.of('Link'))
    keptAnnotation.set(PDFName.of('Border'), context.obj([0, 0, 0]))
    keptAnnotation.set(PDFName.of('A'), context.obj({ S: 'URI', URI: PDFString.of(url) }))
    return keptAnnotation
  }
  const appearances = lookup('AP')
  const normalAppearance = appearances instanceof PDFDict ? appearances.get(PDFName.of('N')) : undefined
  const states = context.lookup(normalAppearance)
  const state = lookup('AS')
  const appearance = states instanceof PDFDict && state instanceof PDFName ? states.get(state) : normalAppearance
  if (!appearance || !(context.lookup(appearance) instanceof PDFStream)) return undefined
  keptAnnotation.set(PDFName.of('Subtype'), PDFName.of('Stamp'))
  keptAnnotation.set(PDFName.of('AP'), context.obj({ N: appearance }))
  return keptAnnotation
}

/** Returns the URL of a link to the web, a mailbox or a telephone number; undefined for other actions, and for a long or invalid URL. */
function linkUrlOf(action: PDFObject | undefined): string | undefined {
  if (!(action instanceof PDFDict) || action.lookup(PDFName.of('S')) !== PDFName.of('URI')) return undefined
  const uri = action.lookup(PDFName.of('URI'))
  if (!(uri instanceof PDFString || uri instanceof PDFHexString)) return undefined
  const url = URL.parse(uri.decodeText().trim())
  if (!url || !['https:', 'http:', 'mailto:', 'tel:'].includes(url.protocol)) return undefined
  // Parentheses and backslashes, which are special in a PDF string, are percent-encoded.
  const escapedUrl = url.href
    .replace(/[()\\]/g, encodeURIComponent)
    .replace(/[()]/g, (parenthesis) => (parenthesis === '(' ? '%28' : '%29'))
  return escapedUrl.length <= MAX_LINK_CHARACTERS ? escapedUrl : undefined
}

/** Removes metadata from all reachable objects, and deletes unreachable objects. */
function removeMetadata({ context }: PDFDocument): void {
  const reachedObjects = new Set<PDFObject>()
  const pendingObjects: (PDFObject | undefined)[] = [context.trailerInfo.Root]
  while (pendingObjects.length > 0) {
    const object = pendingObjects.pop()
    if (object === undefined || reachedObjects.has(object)) continue
    reachedObjects.add(object)
    if (object instanceof PDFRef) pendingObjects.push(context.lookup(object))
    else if (object instanceof PDFArray) pendingObjects.push(...object.asArray())
    else if (object instanceof PDFDict || object instanceof PDFStream) {
      const dict = object instanceof PDFDict ? object : object.dict
      dict.delete(CREATOR_KEY)
      // A dictionary without Type may be a list of resources with arbitrary names as keys.
      if (object instanceof PDFStream || dict.has(PDFName.of('Type'))) for (const key of REMOVED_KEYS) dict.delete(key)
      if (object instanceof PDFStream) for (const key of EXTERNAL_FILE_KEYS) dict.delete(key)
      for (const [key, value] of dict.entries())
        if (isMetadataStream(context.lookup(value))) dict.delete(key)
        else pendingObjects.push(value)
    }
  }
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!reachedObjects.has(ref)) context.delete(ref)
    else if (object instanceof PDFRawStream) {
      const contents = withoutPictureMetadata(object)
      if (contents) context.assign(ref, PDFRawStream.of(object.dict, contents))
    }
  }
}

const isMetadataStream = (object: PDFObject | undefined): boolean =>
  object instanceof PDFStream && METADATA_TYPES.some((type) => object.dict.lookup(PDFName.of('Type')) === type)

/** Boxes that decoding a JPEG 2000 needs. @source ITU-T T.800 table I.2, T.801 table M.13 */
const NEEDED_JP2_BOXES = new Set(['jP  ', 'ftyp', 'rreq', 'jp2h', 'jpch', 'jplh', 'jp2c'])

/**
 * Returns the bytes of a photograph in a PDF without its metadata.
 * @returns undefined for a stream of another kind
 * @throws RangeError for an invalid photograph, and for one with several filters
 */
function withoutPictureMetadata({ dict, contents }: PDFRawStream): Buffer | undefined {
  const filter = dict.lookup(PDFName.of('Filter'))
  const filters = filter instanceof PDFArray ? filter.asArray().map((_, index) => filter.lookup(index)) : [filter]
  const lastFilter = filters.at(-1)
  const isJp2 = lastFilter === PDFName.of('JPXDecode')
  if (!isJp2 && lastFilter !== PDFName.of('DCTDecode')) return undefined
  if (filters.length > 1) throw new RangeError('a photograph with several filters')
  const bytes = Buffer.from(contents)
  if (!isJp2) return withoutJpegMetadata(bytes)
  // A bare JPEG 2000 codestream has no boxes.
  if (bytes.toString('latin1', 4, 8) === 'jP  ')
    for (const box of readBoxes(bytes, 0, bytes.length)) if (!NEEDED_JP2_BOXES.has(box.name)) blankBox(bytes, box)
  return bytes
}
