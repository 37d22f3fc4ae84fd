// Longer than 350 lines: one file format, read and added to in one place; each half needs the other’s words.
import { deflateSync, inflateSync } from 'node:zlib'
import { marcaPdf } from './marca.ts'

/** What a file may unfold to on its way to being understood; a real document needs a fraction of it. */
const MAX_UNFOLDED_BYTES = 64 * 1_048_576
const MAX_PAGES = 2_000
/** Beyond these it is made to be hard to read: a document has some thousand objects, of some kilobytes each. */
const MAX_DICT_CHARS = 4 * 1_048_576
const MAX_OBJECTS = 500_000
const MAX_ADDED_BYTES = 64 * 1_048_576
/** Of what a page is drawn by, which many pages may share. */
const MAX_ARRAY_CHARS = 65_536
/** Of a type, however it is spelled. */
const MAX_NAME_CHARS = 100
/** Of the four numbers of a box. */
const MAX_BOX_CHARS = 500
const LETTER = [0, 0, 612, 792] as const

interface Objeto {
  generation: number
  /** What stands between «obj» and «endobj», a stream's bytes left out. */
  text: string
  /** Where its «stream» begins in the file; undefined for objects without one. */
  streamAt: number | undefined
  /** Once they have been asked for; undefined where they cannot be read. */
  keys?: Map<string, string> | undefined
}

/** What makes a viewer do something by itself, named where it is looked for when a file is opened. @source ISO 32000-1 §12.6.3, §7.7.4 */
const EN_EL_CATALOGO = ['OpenAction', 'AA', 'Names']
const EN_LA_PAGINA = ['AA']

/**
 * A PDF with the mark across every page, and without what its catalog and pages would run when they are opened. Nothing of the file is changed: the marked pages are written behind it, as the
 * format provides for (ISO 32000-1 §7.5.6), so that whatever stands in it stays as it came.
 * @returns undefined for what cannot be marked: encrypted, damaged, or no PDF
 */
export const marcarPdf = (original: Buffer): Buffer | undefined => written(original, true)

/** A PDF to look at: without what its catalog and pages would run when they are opened. @returns undefined for what cannot be read */
export const calmarPdf = (original: Buffer): Buffer | undefined => written(original, false)

/** A page with words on it does not fit into less; what is larger and damaged, programs mend as well as they can. */
const MIN_PDF_BYTES = 1_024

/** Whether some program may open it, locked and damaged ones included. */
export const isOpenablePdf = (bytes: Buffer): boolean =>
  bytes.length >= MIN_PDF_BYTES || /\d\s+\d+\s+obj\b/.test(bytes.toString('latin1'))

function written(original: Buffer, isMarked: boolean): Buffer | undefined {
  try {
    return new Marcado(original).write(isMarked)
  } catch (error) {
    // Its own refusals, and whatever a damaged file makes the reading stumble over.
    if (error instanceof Ilegible || error instanceof RangeError || isZlib(error)) return undefined
    throw error
  }
}

class Ilegible extends Error {}
const isZlib = (error: unknown) => String((error as { code?: unknown }).code).startsWith('Z_')

class Marcado {
  readonly #original: Buffer
  readonly #text: string
  readonly #objects = new Map<number, Objeto>()
  #unfolded = 0

  constructor(original: Buffer) {
    this.#original = original
    this.#text = original.toString('latin1')
    if (!this.#text.startsWith('%PDF-')) throw new Ilegible()
  }

  write(isMarked: boolean): Buffer {
    // The last one counts, whatever was hung on behind it on its way.
    const ends = [...this.#text.slice(-2_048).matchAll(/startxref\s+(\d+)\s+%%EOF/g)]
    const startAt = Number(ends.at(-1)?.[1] ?? Number.NaN)
    if (!(startAt > 0 && startAt < this.#text.length)) throw new Ilegible()
    const isTable = /^\s*xref\b/.test(this.#text.slice(startAt, startAt + 20))
    const trailerAt = isTable ? this.#text.indexOf('trailer', startAt) + 'trailer'.length : startAt
    const trailer = keysOf(dictAt(this.#text, this.#text.indexOf('<<', trailerAt)))
    const size = Number(trailer.get('Size'))
    if (!trailer.has('Root') || !Number.isSafeInteger(size) || size < 1 || size > 5_000_000) throw new Ilegible()
    // Its streams and texts are locked; what is added would have to be, too.
    if (trailer.has('Encrypt') || /\/Encrypt\s+\d+\s+\d+\s+R/.test(this.#text)) throw new Ilegible()

    this.#readObjects()
    const pages = [...this.#objects].filter(([, object]) => this.#isOf('Page', object))
    if (pages.length === 0 || pages.length > MAX_PAGES) throw new Ilegible()

    const begin = size
    let next = size + 1
    let addedBytes = 0
    const added: [number, number, Buffer][] = isMarked ? [[begin, 0, streamOf('q\n')]] : []
    const put = (number: number, generation: number, keys: Map<string, string>) => {
      const dict = [...keys].map(([key, value]) => `${nameOf(key)} ${value}`).join('\n')
      addedBytes += dict.length
      if (addedBytes > MAX_ADDED_BYTES) throw new Ilegible()
      added.push([number, generation, Buffer.from(`<<${dict}>>`, 'latin1')])
    }
    const root = Number(/^(\d+)\s+\d+\s+R$/.exec(trailer.get('Root')!)?.[1])
    const catalog = this.#objects.get(root)
    if (!catalog?.text.startsWith('<<')) throw new Ilegible()
    const catalogKeys = new Map(this.#keysOf(catalog))
    if (forget(catalogKeys, EN_EL_CATALOGO)) put(root, catalog.generation, catalogKeys)

    const stamps = new Map<string, number>()
    for (const [number, page] of pages) {
      const { generation } = page
      const keys = new Map(this.#keysOf(page))
      const ran = forget(keys, EN_LA_PAGINA)
      if (!isMarked) {
        if (ran) put(number, generation, keys)
        continue
      }
      const box = this.#boxOf(page)
      const name = box.join(' ')
      let stamp = stamps.get(name)
      if (stamp === undefined) {
        stamp = next++
        stamps.set(name, stamp)
        added.push([stamp, 0, streamOf(`\nQ\n${marcaPdf(box)}`)])
      }
      keys.set('Contents', `[${begin} 0 R ${this.#contentsOf(keys.get('Contents'))} ${stamp} 0 R]`)
      put(number, generation, keys)
    }
    if (added.length === 0) return this.#original

    const parts: Buffer[] = [this.#original, Buffer.from('\n')]
    let at = this.#original.length + 1
    const places: [number, number, number][] = []
    const place = (number: number, generation: number, body: Buffer) => {
      places.push([number, generation, at])
      const whole = Buffer.concat([Buffer.from(`${number} ${generation} obj\n`), body, Buffer.from('\nendobj\n')])
      parts.push(whole)
      at += whole.length
    }
    for (const one of added) place(...one)

    const kept = ['Root', 'Info', 'ID'].flatMap((key) => (trailer.has(key) ? `/${key} ${trailer.get(key)}` : []))
    const last = at
    if (isTable) {
      const rows = places.map(
        ([number, generation, place]) =>
          `${number} 1\n${String(place).padStart(10, '0')} ${String(generation).padStart(5, '0')} n\r\n`,
      )
      const said = `<</Size ${next} /Prev ${startAt} ${kept.join(' ')}>>`
      parts.push(Buffer.from(`xref\n${rows.join('')}trailer\n${said}\n`, 'latin1'))
    } else {
      places.push([next, 0, last])
      const rows = Buffer.concat(
        places.map(([, generation, place]) => {
          const row = Buffer.alloc(7)
          row.writeUInt8(1, 0)
          row.writeUInt32BE(place, 1)
          row.writeUInt16BE(generation, 5)
          return row
        }),
      )
      const index = places.map(([number]) => `${number} 1`).join(' ')
      const said = `/Type /XRef /W [1 4 2] /Index [${index}] /Size ${next + 1} /Prev ${startAt} ${kept.join(' ')}`
      parts.push(Buffer.from(`${next} 0 obj\n<<${said} /Length ${rows.length}>>\nstream\n`, 'latin1'))
      parts.push(rows, Buffer.from('\nendstream\nendobj\n'))
    }
    parts.push(Buffer.from(`startxref\n${last}\n%%EOF\n`))
    return Buffer.concat(parts)
  }

  /** Every object by its number, the last one that is written under it; those packed into streams, too. */
  #readObjects(): void {
    const packs: Objeto[] = []
    const heads = /(?<![\d.])(\d{1,9})\s+(\d{1,5})\s+obj\b/g
    for (let match = heads.exec(this.#text); match; match = heads.exec(this.#text)) {
      const from = match.index + match[0].length
      const begins = from + /^\s*/.exec(this.#text.slice(from, from + 100))![0].length
      if (this.#text.startsWith('<<', begins)) {
        const text = dictAt(this.#text, begins)
        // No object begins within it: each byte is read once, however many are said to.
        heads.lastIndex = begins + text.length
        const stream = /^\s*stream(\r\n|\n|\r)/.exec(this.#text.slice(heads.lastIndex, heads.lastIndex + 40))
        const streamAt = stream ? heads.lastIndex + stream[0].length : undefined
        const object: Objeto = { generation: Number(match[2]), text, streamAt }
        this.#put(Number(match[1]), object)
        if (streamAt !== undefined && this.#isOf('ObjStm', object)) packs.push(object)
      } else {
        const endobjAt = this.#text.indexOf('endobj', begins)
        heads.lastIndex = endobjAt < 0 ? this.#text.length : endobjAt
        const text = this.#text.slice(begins, heads.lastIndex).trim()
        this.#put(Number(match[1]), { generation: Number(match[2]), text, streamAt: undefined })
      }
    }
    for (const pack of packs) this.#unpack(pack)
  }

  #put(number: number, object: Objeto): void {
    this.#objects.set(number, object)
    if (this.#objects.size > MAX_OBJECTS) throw new Ilegible()
  }

  #unpack(pack: Objeto): void {
    const keys = this.#keysOf(pack)!
    const filter = keys.get('Filter')
    if ((filter !== undefined && !/^\[?\s*\/FlateDecode\s*\]?$/.test(filter)) || keys.has('DecodeParms'))
      throw new Ilegible()
    const length = this.#number(keys.get('Length'))
    const bytes = this.#original.subarray(pack.streamAt, pack.streamAt! + length)
    // What is read counts as well: streams may lie within one another.
    this.#unfolded += bytes.length
    if (this.#unfolded >= MAX_UNFOLDED_BYTES) throw new Ilegible()
    const plain = filter ? inflateSync(bytes, { maxOutputLength: MAX_UNFOLDED_BYTES - this.#unfolded }) : bytes
    this.#unfolded += plain.length
    const [count, first] = [this.#number(keys.get('N')), this.#number(keys.get('First'))]
    if (count > MAX_OBJECTS) throw new Ilegible()
    const body = plain.toString('latin1')
    const head = body
      .slice(0, first)
      .trim()
      .split(/\s+/, count * 2)
      .map(Number)
    for (let at = 0; at < Math.min(count, head.length / 2); at++) {
      const [number, from] = [head[at * 2]!, first + head[at * 2 + 1]!]
      const to = at + 1 < count ? first + head[at * 2 + 3]! : body.length
      // One behind the other, as the format has them (ISO 32000-1 §7.5.7): else they could all be the same one.
      if (!(from <= to)) throw new Ilegible()
      // One that stands in the file by itself was written later: packed files are rewritten whole, or added to openly.
      if (!this.#objects.has(number))
        this.#put(number, { generation: 0, text: body.slice(from, to).trim(), streamAt: undefined })
    }
  }

  /** Keys of an object, asked for once; undefined for what is no dictionary. */
  #keysOf(object: Objeto): Map<string, string> | undefined {
    if (object.keys === undefined && object.text.startsWith('<<')) object.keys = keysOf(object.text)
    return object.keys
  }

  #isOf(type: string, object: Objeto): boolean {
    const found = this.#resolve(this.#keysOf(object)?.get('Type'))
    return meant(found?.slice(0, MAX_NAME_CHARS) ?? '') === `/${type}`
  }

  /** The object that a value refers to. */
  #objectOf(value: string | undefined): Objeto | undefined {
    const reference = /^(\d{1,10})\s+\d{1,5}\s+R$/.exec(value ?? '')
    return reference ? this.#objects.get(Number(reference[1])) : undefined
  }

  /** A value, through the reference to it. */
  #resolve(value: string | undefined): string | undefined {
    return /^\d+\s+\d+\s+R$/.test(value ?? '') ? this.#objectOf(value)?.text : value
  }

  #number(value: string | undefined): number {
    const number = Number(this.#resolve(value)?.slice(0, 20))
    if (!Number.isSafeInteger(number) || number < 0) throw new Ilegible()
    return number
  }

  /** What a page is drawn by, as elements of an array. */
  #contentsOf(value: string | undefined): string {
    const found = this.#resolve(value) ?? ''
    if (!found.startsWith('[')) return value ?? ''
    if (found.length > MAX_ARRAY_CHARS) throw new Ilegible()
    return found.replace(/^\[|\]$/g, '')
  }

  /** What of a page is seen: its own box, or that of the pages above it. */
  #boxOf(page: Objeto): readonly [number, number, number, number] {
    let keys = this.#keysOf(page)
    for (let depth = 0; keys && depth < 30; depth++) {
      const box = this.#resolve(keys.get('CropBox') ?? keys.get('MediaBox'))?.slice(0, MAX_BOX_CHARS)
      const numbers = /^\[([^\]]*)\]/
        .exec(box ?? '')?.[1]
        ?.trim()
        .split(/\s+/)
        .map(Number)
      if (numbers?.length === 4 && numbers.every((one) => Number.isFinite(one) && Math.abs(one) < 20_000)) {
        const [x1, y1, x2, y2] = numbers as [number, number, number, number]
        const corners = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)] as const
        if (corners[2] - corners[0] > 1 && corners[3] - corners[1] > 1) return corners
      }
      const above = this.#objectOf(keys.get('Parent'))
      keys = above && this.#keysOf(above)
    }
    return LETTER
  }
}

/** @returns whether there was any of them */
const forget = (keys: Map<string, string>, names: string[]) => names.map((name) => keys.delete(name)).includes(true)

/** A name as it is meant: any of its characters may be written as #xx. @source ISO 32000-1 §7.3.5 */
const meant = (name: string) =>
  name.replace(/#([\da-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** A name as it is written, from what it means. */
const nameOf = (key: string) =>
  `/${key.replace(/[^!-~]|[#()<>[\]{}/%]/g, (char) => `#${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}`

const streamOf = (text: string): Buffer => {
  const packed = deflateSync(text)
  return Buffer.concat([
    Buffer.from(`<</Filter /FlateDecode /Length ${packed.length}>>\nstream\n`),
    packed,
    Buffer.from('\nendstream'),
  ])
}

/** What a value is made of, as far as finding its end needs it (ISO 32000-1 §7.2, §7.3). */
const TOKEN = /\s+|%[^\r\n]*|<<|>>|\[|\]|<[0-9a-fA-F\s]*>|\(|\/[^\s()<>[\]{}/%]*|[^\s()<>[\]{}/%]+|[{}>)]/y

/** The dictionary that begins here, with its marks. */
function dictAt(text: string, from: number): string {
  if (from < 0 || !text.startsWith('<<', from)) throw new Ilegible()
  return text.slice(from, valueEnd(text, from))
}

/** Where the value that begins here ends. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const [token, end] = tokenAt(text, at)
    at = end
    if (/^[\s%]/.test(token)) continue
    if (token === '<<' || token === '[') depth++
    else if (token === '>>' || token === ']') depth--
    if (depth < 0) throw new Ilegible()
    if (depth === 0) return at
  }
  throw new Ilegible()
}

function tokenAt(text: string, at: number): [string, number] {
  TOKEN.lastIndex = at
  const token = TOKEN.exec(text)?.[0]
  if (token === undefined) throw new Ilegible()
  if (token !== '(') return [token, at + token.length]
  // A text: its brackets are balanced, or escaped.
  let open = 1
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++
    else if (text[end] === '(') open++
    else if (text[end] === ')' && --open === 0) return [text.slice(at, end + 1), end + 1]
  }
  throw new Ilegible()
}

/** Keys of a dictionary, as they are meant, with their values as written; references stay references. */
function keysOf(dict: string): Map<string, string> {
  if (dict.length > MAX_DICT_CHARS) throw new Ilegible()
  const keys = new Map<string, string>()
  const tokens: { at: number; end: number; token: string }[] = []
  for (let at = 2; at < dict.length - 2; ) {
    const end = valueOrToken(dict, at)
    const token = dict.slice(at, end)
    if (!/^[\s%]/.test(token)) tokens.push({ at, end, token })
    at = end
  }
  for (let at = 0; at < tokens.length; ) {
    const key = tokens[at]!.token
    if (!key.startsWith('/')) throw new Ilegible()
    const isReference = tokens[at + 3]?.token === 'R' && /^\d+$/.test(tokens[at + 1]!.token)
    const count = isReference ? 3 : 1
    const value = tokens.slice(at + 1, at + 1 + count).map(({ token }) => token)
    if (value.length === 0) throw new Ilegible()
    keys.set(meant(key.slice(1)), value.join(' '))
    at += 1 + count
  }
  return keys
}

/** End of the token that begins here, or of the whole array or dictionary. */
function valueOrToken(text: string, at: number): number {
  const [token, end] = tokenAt(text, at)
  return token === '<<' || token === '[' ? valueEnd(text, at) : end
}
