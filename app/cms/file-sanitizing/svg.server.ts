import sax from 'sax'
import sharp from 'sharp'

/** Maximum size, in pixels, of a rasterized logo: five times the 240 × 96 of the site, for sharp and zoomed screens. */
const MAX_RASTER_SIZE = { width: 1_200, height: 480 }

/** An SVG beyond MAX_ELEMENTS, MAX_DEPTH or MAX_ENTITIES counts as too complex. */
const MAX_ELEMENTS = 20_000
const MAX_DEPTH = 100
/**
 * Matches the declaration of an entity with a plain text value, as Illustrator writes for namespaces. An entity that refers
 * to others does not match (billion laughs attack).
 */
const ENTITY_PATTERN = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"<&%]{0,100})"|'([^'<&%]{0,100})')\s*>/g
const MAX_ENTITIES = 20
const PREDEFINED_ENTITIES = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/** Namespaces that the root element gets unless the file declares them. */
const NAMESPACES = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:svg': 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
}

export type SvgRefusal = 'ilegible' | 'incrustada' | 'encoding' | 'noSize'

/**
 * Rasterizes an SVG logo to a PNG. librsvg runs no scripts, and follows no references out of an SVG in memory, which has no base URL.
 * @returns the PNG; `ilegible` for an invalid, empty or too complex SVG; `incrustada` for an embedded or linked picture; `encoding`
 * for bytes that do not match their encoding, or an unknown encoding; `noSize` for an SVG that does not state its size
 */
export async function rasterizeSvg(bytes: Uint8Array): Promise<Buffer | SvgRefusal> {
  const text = decodeText(bytes)
  if (text === undefined) return 'encoding'
  try {
    const svg = withRasterSize(text)
    if (svg === undefined) return 'noSize'
    const png = await sharp(Buffer.from(svg))
      .resize({ ...MAX_RASTER_SIZE, fit: 'inside' })
      .ensureAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer()
    const { channels } = await sharp(png).stats()
    return channels[3]!.max === 0 ? 'ilegible' : png
  } catch (error) {
    // sax throws for invalid XML, `parseSvg` for other roots and beyond its limits, librsvg for an SVG that it cannot draw.
    return error instanceof EmbeddedPictureError ? 'incrustada' : 'ilegible'
  }
}

class EmbeddedPictureError extends Error {}

/** Decodes bytes as browsers do, by their beginning or the declared encoding; undefined for an unknown encoding, or if it does not fit. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function encodingOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  if (/^(\xff\xfe|<\0)/.test(head)) return 'utf-16le'
  if (/^(\xfe\xff|\0<)/.test(head)) return 'utf-16be'
  const declaredEncoding = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  // A declaration that was found as single bytes cannot be UTF-16.
  return /^(utf-?16|ucs-?2|unicode)/i.test(declaredEncoding) ? 'utf-8' : declaredEncoding
}

/** Returns the SVG in its rasterized size, without declarations and entities; undefined if it does not state its size. */
function withRasterSize(text: string): string | undefined {
  const { name, attributes, inside, prefixes, entities } = parseSvg(text)
  const size = sizeOf(attributes)
  if (size === undefined) return undefined
  const scale = Math.min(MAX_RASTER_SIZE.width / size.width, MAX_RASTER_SIZE.height / size.height)
  const root = {
    // SVG optimisers drop namespace declarations.
    ...Object.fromEntries([...prefixes].map((prefix) => [`xmlns:${prefix}`, `urn:${prefix}`])),
    ...NAMESPACES,
    // Without a viewBox, the SVG would be cropped instead of scaled.
    viewBox: `0 0 ${size.width} ${size.height}`,
    ...attributes,
    width: String(Math.max(1, Math.round(size.width * scale))),
    height: String(Math.max(1, Math.round(size.height * scale))),
  }
  const attributesXml = Object.entries(root).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const inlinedXml = inside.replace(/&([\w.-]+);/g, (reference, entity: string) =>
    PREDEFINED_ENTITIES.has(entity) ? reference : escapeXml(entities[entity] ?? ''),
  )
  return `<${name}${attributesXml.join('')}>${inlinedXml}`
}

const escapeXml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/**
 * @returns the root element, with `inside`, the text after its start tag; the namespace prefixes; the declared entities
 * @throws EmbeddedPictureError for an embedded or linked picture; Error for invalid XML, another root element or a huge SVG
 */
function parseSvg(text: string) {
  const parser = sax.parser(true)
  const entities = parser.ENTITIES
  let root: { name: string; attributes: Record<string, string>; inside: string } | undefined
  const prefixes = new Set<string>()
  let [elementCount, depth] = [0, 0]
  parser.onerror = (error) => {
    throw error
  }
  parser.ondoctype = (doctype) => {
    const declaredEntities = [...doctype.matchAll(ENTITY_PATTERN)]
    if (declaredEntities.length > MAX_ENTITIES) throw new Error('too many entities')
    for (const [, name, value, singleQuotedValue] of declaredEntities)
      entities[name!] = value ?? singleQuotedValue ?? ''
  }
  parser.onopentag = ({ name, attributes }) => {
    const localName = name.slice(name.indexOf(':') + 1)
    if (localName === 'image' || localName === 'feImage') throw new EmbeddedPictureError()
    if (++elementCount > MAX_ELEMENTS || ++depth > MAX_DEPTH) throw new Error('too many or too deeply nested elements')
    for (const qualifiedName of [name, ...Object.keys(attributes)])
      if (qualifiedName.includes(':') && !qualifiedName.startsWith('xml'))
        prefixes.add(qualifiedName.slice(0, qualifiedName.indexOf(':')))
    root ??= { name, attributes: attributes as Record<string, string>, inside: text.slice(parser.position) }
  }
  parser.onclosetag = () => depth--
  parser.write(text).close()
  if (!/^(svg:)?svg$/.test(root?.name ?? '')) throw new Error('not an SVG')
  return { ...root!, prefixes, entities }
}

/** Pixels of the CSS units; font-relative units assume browsers' default of 16 pixels. */
const PIXELS_PER_UNIT: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  q: 0.94488,
  mm: 3.7795,
  cm: 37.795,
  in: 96,
  em: 16,
  rem: 16,
  ex: 8,
}

/** Returns the size in pixels: the viewBox gives a side that width or height does not state; undefined unless both are known. */
function sizeOf(attributes: Record<string, string>): { width: number; height: number } | undefined {
  const lengthOf = (name: string) => {
    const [, number, unit] = /^\s*\+?([\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(attributes[name] ?? '') ?? []
    // Without a number, `unit` is undefined, too; «x» is no unit.
    return Number(number) * (PIXELS_PER_UNIT[unit?.toLowerCase() ?? 'x'] ?? Number.NaN)
  }
  const [, , viewWidth, viewHeight] = (attributes.viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const ratio = viewWidth! / viewHeight!
  const [width, height] = [lengthOf('width'), lengthOf('height')]
  const firstPositive = (...lengths: number[]) => lengths.find((length) => length > 0) ?? 0
  const svgWidth = firstPositive(width, height * ratio, viewWidth!)
  const svgHeight = firstPositive(height, width / ratio, viewHeight!)
  return svgWidth > 0 && svgHeight > 0 ? { width: svgWidth, height: svgHeight } : undefined
}
