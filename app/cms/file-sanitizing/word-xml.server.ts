import sax from 'sax'

export class UnpublishableDocumentError extends Error {}

interface Attribute {
  name: string
  local: string
  uri: string
  value: string
}
/** An element as sax reads it: `local` is the name without its prefix, `uri` the namespace of the prefix. */
export interface XmlNode {
  name: string
  local: string
  uri: string
  attributes: Attribute[]
  children: (XmlNode | string)[]
}

/** Deeper nesting is refused, since `serializeNode` recurses once for each level. */
const MAX_DEPTH = 400

/** Parses XML. @throws UnpublishableDocumentError for a document type declaration, too deep nesting or no element; Error for invalid XML */
export function parseXml(text: string): XmlNode {
  const parser = sax.parser(true, { xmlns: true })
  const documentNode: XmlNode = { name: '', local: '', uri: '', attributes: [], children: [] }
  const openNodes = [documentNode]
  parser.onerror = (error) => {
    throw error
  }
  parser.ondoctype = () => {
    throw new UnpublishableDocumentError('a document type declaration')
  }
  parser.onopentag = (tag) => {
    const { name, local, uri, attributes } = tag as sax.QualifiedTag
    if (openNodes.length > MAX_DEPTH) throw new UnpublishableDocumentError('too deeply nested elements')
    const attributeList = Object.values(attributes).map((attribute) => ({ ...attribute }))
    const node = { name, local, uri, attributes: attributeList, children: [] }
    openNodes.at(-1)!.children.push(node)
    openNodes.push(node)
  }
  parser.onclosetag = () => void openNodes.pop()
  const onText = (content: string) => void openNodes.at(-1)!.children.push(content)
  parser.ontext = onText
  parser.oncdata = onText
  parser.write(text.replace(/^\ufeff/, '')).close()
  const root = documentNode.children.find((child) => typeof child === 'object')
  if (root === undefined) throw new UnpublishableDocumentError('empty')
  return root
}

export const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/** Returns whether a namespace belongs to any version of Word. */
const isWordNamespace = (uri: string) => uri.includes('wordprocessingml') || uri.includes('/office/word/')
const isRelations = (uri: string) => uri.endsWith('/officeDocument/2006/relationships')

/** Elements that are removed with their content: deletions, comments, revision data, data for programs. */
const REMOVED_ELEMENTS_PATTERN =
  /^(del|moveFrom|\w+Change|cell(Ins|Del|Merge)|comment\w*|annotationRef|proofErr|perm(Start|End)|(moveFrom|moveTo|customXml)\w*Range(Start|End)|sdtPr|sdtEndPr|customXmlPr|smartTagPr|embed(Regular|Bold|Italic|BoldItalic)|lastRenderedPageBreak|rsids?|conflict(Ins|Del)\w*|dataBinding)$/
/** Elements that are replaced by their content. */
const UNWRAPPED_ELEMENTS = new Set(['ins', 'moveTo', 'sdt', 'sdtContent', 'smartTag', 'customXml'])
/** Elements that embed or run foreign content; a document with one of them is refused. */
const REFUSED_ELEMENTS = new Set(['altChunk', 'subDoc', 'object', 'control', 'movie', 'OLEObject', 'contentPart'])
/** Settings that affect the pages' appearance. */
const KEPT_SETTINGS = new Set(
  `defaultTabStop characterSpacingControl compat compatSetting mathPr themeFontLang clrSchemeMapping decimalSymbol
  listSeparator evenAndOddHeaders mirrorMargins gutterAtTop displayBackgroundShape autoHyphenation hyphenationZone`.split(
    /\s+/,
  ),
)
/** Fields that are computed from the document and the clock alone. */
const KEPT_FIELDS_PATTERN =
  /^(PAGE|NUMPAGES|SECTIONPAGES|SECTION|PAGEREF|NOTEREF|REF|TOC|TC|SEQ|STYLEREF|DATE|TIME|SYMBOL|EQ)$/i
const HYPERLINK_PATTERN = /^HYPERLINK\s+(\\l\s|"(https?:|mailto:|tel:))/i

/**
 * Rewrites a part of a document without authors, changes, comments and hidden text.
 * @param kind of the part, such as `settings` (PART_TYPES)
 * @param keptIds ids of the kept relationships
 * @throws UnpublishableDocumentError for a removed relationship that is no link, a field that is not kept, foreign content and
 * strict Open XML; also as `parseXml`
 */
export function cleanWordXml(text: string, kind: string, keptIds: ReadonlySet<string>): Buffer {
  const root = parseXml(text)
  if (root.uri.includes('purl.oclc.org'))
    throw new UnpublishableDocumentError('strict Open XML, which few programs write')
  if (kind === 'settings')
    root.children = root.children.filter((child) => typeof child === 'object' && KEPT_SETTINGS.has(child.local))
  const fields: string[] = []
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${serializeNode(root, keptIds, fields)}`)
}

function serializeNode(node: XmlNode | string, keptIds: ReadonlySet<string>, fields: string[]): string {
  if (typeof node === 'string') return escapeXml(node)
  const { name, local, uri, children } = node
  if (REFUSED_ELEMENTS.has(local)) throw new UnpublishableDocumentError(local)
  const serializeChildren = () => children.map((child) => serializeNode(child, keptIds, fields)).join('')
  if (isWordNamespace(uri)) {
    if (REMOVED_ELEMENTS_PATTERN.test(local) || (local === 'r' && isHidden(node))) return ''
    if (UNWRAPPED_ELEMENTS.has(local)) return serializeChildren()
    checkField(node, fields)
  }
  const isLink = local === 'hyperlink' || local === 'hlinkClick' || local === 'hlinkHover'
  const hasKeptTargets = node.attributes
    .filter(({ uri: attributeUri }) => isRelations(attributeUri))
    .every(({ value }) => keptIds.has(value))
  if (!hasKeptTargets && local.startsWith('hlink')) return ''
  if (!hasKeptTargets && !isLink) throw new UnpublishableDocumentError('a reference to a removed part')
  const attributes = node.attributes
    .filter((attribute) => isKeptAttribute(attribute) && (hasKeptTargets || !isRelations(attribute.uri)))
    .map((attribute) => ` ${attribute.name}="${escapeXml(isPictureName(node, attribute) ? '' : attribute.value)}"`)
    .join('')
  const innerXml = serializeChildren()
  return innerXml === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${innerXml}</${name}>`
}

/** Returns whether an attribute is kept: all but those that reveal author, date or origin, or name another file. */
function isKeptAttribute({ local, uri, name }: Attribute): boolean {
  if (name.startsWith('xmlns')) return true
  if (isWordNamespace(uri))
    return !/^(rsid\w*|author|date|dateUtc|initials|userId|paraId|textId|docLocation)$/.test(local)
  return isRelations(uri) || !/^(href|src|althref|title|gfxdata)$/i.test(local)
}

/** Returns whether an attribute is a picture's name, which programs fill with the file's name. */
const isPictureName = ({ local }: XmlNode, attribute: Attribute) =>
  (local === 'docPr' || local === 'cNvPr') && attribute.name === 'name'

const attributeOf = ({ attributes }: XmlNode, local: string) =>
  attributes.find((attribute) => attribute.local === local)?.value
const childOf = ({ children }: XmlNode, local: string) =>
  children.find((child): child is XmlNode => typeof child === 'object' && child.local === local)

function isHidden(run: XmlNode): boolean {
  const runProperties = childOf(run, 'rPr')
  const vanish = runProperties && childOf(runProperties, 'vanish')
  return vanish !== undefined && !/^(0|false|off)$/.test(attributeOf(vanish, 'val') ?? '')
}

/**
 * Checks a field.
 * @param fields instructions of the fields that have begun and not ended, the innermost last
 * @throws UnpublishableDocumentError for a field that is neither kept (KEPT_FIELDS_PATTERN) nor a link
 */
function checkField(node: XmlNode, fields: string[]): void {
  const { local } = node
  if (local === 'fldSimple') assertKeptField(attributeOf(node, 'instr') ?? '')
  if (local === 'instrText') {
    if (fields.length === 0) throw new UnpublishableDocumentError('a field without its beginning')
    fields[fields.length - 1] += node.children.join('')
  }
  if (local !== 'fldChar') return
  const type = attributeOf(node, 'fldCharType')
  if (type === 'begin') fields.push('')
  else {
    assertKeptField(fields.at(-1) ?? '')
    // The text after «separate» is the field's result.
    if (type === 'end') fields.pop()
  }
}

function assertKeptField(instruction: string): void {
  const content = instruction.trim()
  if (content !== '' && !KEPT_FIELDS_PATTERN.test(content.split(/\s/, 1)[0]!) && !HYPERLINK_PATTERN.test(content))
    throw new UnpublishableDocumentError('a field')
}
