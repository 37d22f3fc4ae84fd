import sax from 'sax'

/** Elements that may stay. Text depends on the fonts of each machine, but does no harm. */
const ELEMENTS = new Set(
  `svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc
  linearGradient radialGradient stop pattern clipPath mask style
  filter feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
  feGaussianBlur feMerge feMergeNode feMorphology feOffset feTurbulence marker`.split(/\s+/),
)
/** Elements that are replaced by their content. */
const FRAMES = new Set(['a', 'switch'])

const ATTRIBUTES = new Set(
  `id class style x y x1 x2 y1 y2 dx dy cx cy r rx ry fx fy fr width height d points transform viewBox
  preserveAspectRatio version pathLength rotate textLength lengthAdjust startOffset spreadMethod gradientUnits
  gradientTransform patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits offset
  markerWidth markerHeight markerUnits refX refY orient role aria-label aria-hidden
  filterUnits primitiveUnits in in2 result mode type values tableValues slope intercept amplitude exponent operator
  k1 k2 k3 k4 stdDeviation radius baseFrequency numOctaves seed stitchTiles
  xml:space`.split(/\s+/),
)

/** Presentation properties, as attributes and in styles. */
const PROPERTIES = new Set(
  `alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters
  direction display dominant-baseline enable-background fill fill-opacity fill-rule filter flood-color flood-opacity
  font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight image-rendering isolation
  letter-spacing marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order
  shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering transform transform-box
  transform-origin unicode-bidi vector-effect visibility word-spacing writing-mode`.split(/\s+/),
)

const FUNCTIONS = new Set(
  'rgb rgba hsl hsla matrix translate translatex translatey scale scalex scaley rotate skewx skewy calc'.split(' '),
)
const INTERNAL_REFERENCE = /^#[\w.:-]+$/
const SVG = 'http://www.w3.org/2000/svg'
/** Namespaces of drawing elements: SVG, and the rest of a prefix whose declaration an optimiser dropped. */
const DRAWS = new Set([SVG, '', 'svg'])
const XLINK = 'http://www.w3.org/1999/xlink'

const MAX_ELEMENTS = 20_000
const MAX_DEPTH = 100
const MAX_SIDE = 100_000
/** Most elements that may be drawn, each counted as often as others refer to it: nested references multiply. */
const MAX_DRAWN = 50_000
/** Entities that old drawing programs declare for their namespaces. */
const ENTITY = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"<&%]{0,100})"|'([^'<&%]{0,100})')\s*>/g
const MAX_ENTITIES = 20

interface SvgNode {
  name: string
  attributes: Map<string, string>
  children: (SvgNode | string)[]
}

export type SvgRefusal = 'ilegible' | 'incrustada' | 'encoding' | 'noSize'

/**
 * Rewrites an SVG logo without scripts and external references, and finds its size in pixels.
 * @returns ilegible for an invalid, empty or too complex drawing; incrustada for an embedded photograph; encoding for
 * bytes that do not match the declared encoding; noSize for a drawing that does not state its size
 */
export function sanitizeSvg(bytes: Uint8Array): { svg: Buffer; width: number; height: number } | SvgRefusal {
  try {
    const text = textOf(bytes)
    if (text === undefined) return 'encoding'
    const root = parse(text)
    const rules: Rule[] = []
    const [clean] = cleaned(root, rules)
    if (typeof clean !== 'object') return 'ilegible'
    const size = sizeOf(clean)
    if (size === undefined) return 'noSize'
    if (size.width >= MAX_SIDE || size.height >= MAX_SIDE || drawnBy(clean, rules) > MAX_DRAWN) return 'ilegible'
    // Without a viewBox, a browser crops the drawing instead of scaling it down.
    if (!clean.attributes.has('viewBox')) clean.attributes.set('viewBox', `0 0 ${size.width} ${size.height}`)
    clean.attributes.set('xmlns', SVG)
    return { svg: Buffer.from(written(clean)), ...size }
  } catch (error) {
    // Errors come from sax, for invalid XML, and from the limits of `parse`.
    return error instanceof EmbeddedPhotoError ? 'incrustada' : 'ilegible'
  }
}

class EmbeddedPhotoError extends Error {}

/** The text, in the encoding of its first bytes or of its declaration, as in browsers; undefined for other bytes. */
function textOf(bytes: Uint8Array): string | undefined {
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
  const declared = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  // In UTF-16, the declaration would not be readable here.
  return /^(utf-?16|ucs-?2|unicode)/i.test(declared) ? 'utf-8' : declared
}

/** The drawing as a tree. Elements of other namespaces get an empty name. @throws Error for invalid XML */
function parse(text: string): SvgNode {
  const parser = sax.parser(true, { xmlns: true })
  const open: SvgNode[] = [{ name: '', attributes: new Map(), children: [] }]
  let elements = 0
  parser.onerror = (error) => {
    // Prefixes of drawing programs, whose declaration an optimiser dropped.
    if (!error.message.startsWith('Unbound namespace prefix')) throw error
    parser.resume()
  }
  parser.ondoctype = (doctype) => {
    const declared = [...doctype.matchAll(ENTITY)]
    // ENTITY leaves out entities that refer to others (billion laughs attack); their use is then invalid XML.
    if (declared.length > MAX_ENTITIES) throw new Error('too many entities')
    for (const [, name, value, other] of declared) parser.ENTITIES[name!] = value ?? other ?? ''
  }
  parser.onopentag = (tag) => {
    const { local, uri, attributes } = tag as sax.QualifiedTag
    if (++elements > MAX_ELEMENTS || open.length > MAX_DEPTH) throw new Error('too much')
    const attrs = new Map<string, string>()
    for (const one of Object.values(attributes)) {
      if (one.uri === '' || one.name === 'xml:space') attrs.set(one.name, one.value)
      else if ((one.uri === XLINK || one.prefix === 'xlink') && one.local === 'href' && !attrs.has('href'))
        attrs.set('href', one.value)
    }
    const node = { name: DRAWS.has(uri) ? local : '', attributes: attrs, children: [] }
    open.at(-1)!.children.push(node)
    open.push(node)
  }
  parser.onclosetag = () => void open.pop()
  const onText = (said: string) => void open.at(-1)!.children.push(said)
  parser.ontext = onText
  parser.oncdata = onText
  parser.write(text).close()
  const root = open[0]!.children.find((one) => typeof one === 'object')
  if (root?.name !== 'svg') throw new Error('no drawing')
  return root
}

/** The part of an element that stays: the element itself, its content, or nothing. */
function cleaned(node: SvgNode, rules: Rule[]): (SvgNode | string)[] {
  const { name: tag, attributes, children } = node
  const within = () => children.flatMap((one) => (typeof one === 'object' ? cleaned(one, rules) : []))
  if (tag === 'image' || tag === 'feImage') throw new EmbeddedPhotoError()
  if (FRAMES.has(tag)) return within()
  if (!ELEMENTS.has(tag)) return []
  if (tag === 'style') {
    const own = rulesOf(children.filter((one) => typeof one === 'string').join(''))
    rules.push(...own)
    return own.length === 0 ? [] : [{ name: tag, attributes: new Map(), children: own.map(({ css }) => css) }]
  }
  const kept = new Map([...attributes].flatMap(([name, value]) => attribute(name, value)))
  // Without a reference, `use` draws nothing.
  if (tag === 'use' && !kept.has('href')) return []
  const says = TEXT_ELEMENTS.has(tag)
  const inside = children.flatMap((one) => (typeof one === 'object' ? cleaned(one, rules) : says ? [one] : []))
  return [{ name: tag, attributes: kept, children: inside }]
}

const TEXT_ELEMENTS = new Set(['text', 'tspan', 'textPath', 'title', 'desc'])

function attribute(name: string, value: string): [string, string][] {
  if (name === 'href') return INTERNAL_REFERENCE.test(value.trim()) ? [[name, value.trim()]] : []
  if (name === 'style') {
    const style = declarations(value)
    return style === '' ? [] : [[name, style]]
  }
  return (ATTRIBUTES.has(name) || PROPERTIES.has(name)) && isQuiet(value) ? [[name, value]] : []
}

/** Whether a value loads nothing, and calls only functions for colours, transforms and lengths. */
const isQuiet = (value: string): boolean =>
  !/[\\<>{};@]|\/\*|javascript:/i.test(value) &&
  [...value.matchAll(/([\w-]*)\(\s*["']?([^)"']*)/g)].every(([, name, inner]) =>
    name!.toLowerCase() === 'url' ? INTERNAL_REFERENCE.test(inner!.trim()) : FUNCTIONS.has(name!.toLowerCase()),
  )

const declarations = (css: string): string =>
  css
    .split(';')
    .flatMap((one) => {
      const at = one.indexOf(':')
      const name = one.slice(0, at).trim().toLowerCase()
      const value = one.slice(at + 1).trim()
      return at > 0 && PROPERTIES.has(name) && value !== '' && isQuiet(value) ? [`${name}:${value}`] : []
    })
    .join(';')

/** A CSS rule of the drawing. */
interface Rule {
  /** Each selects one element name, one class or one id. */
  selectors: string[]
  css: string
}

/** The rules of a style that stay: those with simple selectors, and no at-rules. */
function rulesOf(css: string): Rule[] {
  if (css.includes('\\')) return []
  const plain = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/<!--|-->/g, '')
    .replace(/@[^;{}]*(;|\{(?:[^{}]|\{[^{}]*\})*\})/g, '')
  return [...plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors, body]) => {
    const simpleSelectors = selectors!.split(',').map((one) => one.trim())
    const style = declarations(body!)
    const isSimple = simpleSelectors.every((one) => /^[.#]?[\w-]+$/.test(one))
    return isSimple && style !== ''
      ? [{ selectors: simpleSelectors, css: `${simpleSelectors.join(',')}{${style}}` }]
      : []
  })
}

/** How many elements are drawn, with all references followed; Infinity for a circular reference. */
function drawnBy(root: SvgNode, rules: readonly Rule[]): number {
  const byId = new Map<string, SvgNode>()
  const note = (node: SvgNode) => {
    const id = node.attributes.get('id')
    if (id !== undefined && !byId.has(id)) byId.set(id, node)
    for (const one of node.children) if (typeof one === 'object') note(one)
  }
  note(root)
  const known = new Map<SvgNode, number>()
  const count = (node: SvgNode, depth: number): number => {
    const before = known.get(node)
    if (before !== undefined) return before
    if (depth > MAX_DEPTH * 2) return Number.POSITIVE_INFINITY
    // A reference to this node from within itself is circular, and counts as Infinity.
    known.set(node, Number.POSITIVE_INFINITY)
    let sum = 1
    for (const one of node.children) if (typeof one === 'object') sum += count(one, depth + 1)
    for (const id of asksFor(node, rules)) {
      const target = byId.get(id)
      if (target) sum += count(target, depth + 1)
    }
    known.set(node, sum)
    return sum
  }
  return count(root, 0)
}

/** Ids that an element refers to, by href or as its paint, mask or marker. */
function asksFor({ name, attributes }: SvgNode, rules: readonly Rule[]): string[] {
  const classes = (attributes.get('class') ?? '').split(/\s+/).map((one) => `.${one}`)
  const names = new Set([name, `#${attributes.get('id')}`, ...classes])
  const styles = rules.filter(({ selectors }) => selectors.some((one) => names.has(one))).map(({ css }) => css)
  const href = attributes.get('href')
  const urls = [...attributes.values(), ...styles].flatMap((value) =>
    [...value.matchAll(/url\(\s*["']?#([\w.:-]+)/gi)].map(([, id]) => id!),
  )
  return [...(href === undefined ? [] : [href.slice(1)]), ...urls]
}

/** Pixels of each CSS unit. Font-relative units assume browsers' default of 16 pixels. */
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

/** Size in pixels from width, height and viewBox, one side by the other if need be; undefined without any. */
function sizeOf({ attributes }: SvgNode): { width: number; height: number } | undefined {
  const lengthOf = (name: string) => {
    const [, number, unit] = /^\s*\+?([\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(attributes.get(name) ?? '') ?? []
    return Number(number) * (PIXELS_PER_UNIT[unit?.toLowerCase() ?? 'x'] ?? Number.NaN)
  }
  const [, , viewWidth, viewHeight] = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const ratio = viewWidth! / viewHeight!
  const [width, height] = [lengthOf('width'), lengthOf('height')]
  const either = (...lengths: number[]) => Math.round(lengths.find((one) => one > 0) ?? 0)
  const drawnWidth = either(width, height * ratio, viewWidth!)
  const drawnHeight = either(height, width / ratio, viewHeight!)
  return drawnWidth > 0 && drawnHeight > 0 ? { width: drawnWidth, height: drawnHeight } : undefined
}

const escaped = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    // Characters that XML does not allow.
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')

function written({ name: tag, attributes, children }: SvgNode): string {
  const attrs = [...attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
  const inside = children.map((one) => (typeof one === 'object' ? written(one) : escaped(one))).join('')
  return inside === '' ? `<${tag}${attrs}/>` : `<${tag}${attrs}>${inside}</${tag}>`
}
