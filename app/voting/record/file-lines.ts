/** A line of a published record's file, parsed. */
export interface RecordLine {
  section: 'portada' | 'caja' | 'anulada'
  value: unknown
  /** Whether the line is exactly as the site serialises the value: an edited line may, for example, repeat a key. */
  isExact: boolean
}

/** Decodes a file's bytes, leaving out a byte order mark. @throws TypeError for invalid UTF-8 */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Splits a streamed text into lines, without their line ends. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let unfinishedLine = ''
  for await (const piece of pieces) {
    const lines = (unfinishedLine + piece).split('\n')
    unfinishedLine = lines.pop()!
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (unfinishedLine !== '') yield unfinishedLine
}

/**
 * Parses a file in the published layout line by line, so that long files take little memory.
 * @throws SyntaxError for another layout, and for a file that is no record
 */
export async function* parseLineByLine(lines: AsyncIterable<string>): AsyncGenerator<RecordLine> {
  let step: 'portada' | 'cajas' | 'caja' | 'anuladas' | 'anulada' | 'fin' = 'portada'
  // Whether another line of the section may follow: at the start of the section, and after a comma.
  let mayFollow = true
  let isFirst = true
  const expect = (line: string, expected: string) => {
    if (line !== expected) throw new SyntaxError(`Not a record of this site: there is no ${expected}`)
  }
  const begin = (nextStep: typeof step) => {
    step = nextStep
    mayFollow = true
    isFirst = true
  }
  for await (const line of lines) {
    if (step === 'portada') {
      if (!line.startsWith('{"portada":') || !line.endsWith(',')) throw new SyntaxError('Not a record of this site')
      const { portada, ...otherParts } = parse(`${line.slice(0, -1)}}`)
      if (Object.keys(otherParts).length > 0) throw new SyntaxError('Not a record of this site')
      yield { section: 'portada', value: portada, isExact: line === `{"portada":${JSON.stringify(portada)},` }
      step = 'cajas'
    } else if (step === 'cajas') {
      expect(line, '"cajas":[')
      begin('caja')
    } else if (step === 'anuladas') {
      expect(line, '"anuladas":[')
      begin('anulada')
    } else if (step === 'fin') expect(line, '')
    else if (line.startsWith(']')) {
      expect(line, step === 'caja' ? '],' : ']}')
      if (mayFollow && !isFirst) throw new SyntaxError('Not a record of this site: a line is missing')
      step = step === 'caja' ? 'anuladas' : 'fin'
    } else {
      if (!mayFollow) throw new SyntaxError('Not a record of this site: a comma is missing')
      mayFollow = line.endsWith(',')
      isFirst = false
      const json = mayFollow ? line.slice(0, -1) : line
      const value = parse(json)
      yield { section: step, value, isExact: JSON.stringify(value) === json }
    }
  }
  if (step !== 'fin') throw new SyntaxError('Incomplete record')
}

/** Parses a JSON object. @throws SyntaxError for invalid JSON and for other values */
function parse(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('It is no object')
  return value as Record<string, unknown>
}

/**
 * Parses a file whose layout was changed, for example by pretty-printing. Holds the whole file in memory.
 * @throws SyntaxError for a file that is no record
 */
export async function* parseAsWhole(text: string): AsyncGenerator<RecordLine> {
  const parsedFile = parse(text)
  const { portada, cajas, anuladas, ...otherParts } = parsedFile
  if (!Array.isArray(cajas) || !Array.isArray(anuladas) || Object.keys(otherParts).length > 0)
    throw new SyntaxError('Not a record of this site')
  yield { section: 'portada', value: portada, isExact: isExact(text, parsedFile) }
  for (const value of cajas) yield { section: 'caja', value, isExact: true }
  for (const value of anuladas) yield { section: 'anulada', value, isExact: true }
}

/**
 * Returns whether a JSON text, white space aside, is exactly as the site serialises the value: without repeated keys, for
 * example.
 */
export function isExact(text: string, value: unknown): boolean {
  const compactText = text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => {
    if (token[0] !== '"') return ''
    return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token
  })
  return compactText === JSON.stringify(value)
}
