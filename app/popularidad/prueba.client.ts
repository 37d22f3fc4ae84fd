import type { Reto } from './schema.ts'

/** So long at a stretch: the page stays awake beside the work. */
const STRETCH_MS = 16

/**
 * Does the work that unusual traffic asks for: finds a number with which the hash of the text begins with so many zero
 * bits. The platform's own hash answers one promise a call, and none at all without TLS; hence this one.
 */
export async function workOn({ texto, bits }: Reto): Promise<string> {
  let respuesta = 0
  for (;;) {
    const until = performance.now() + STRETCH_MS
    while (performance.now() < until)
      for (const end = respuesta + 200; respuesta < end; respuesta++)
        if (Math.clz32(sha256Head(`${texto}:${respuesta}`)) >= bits) return String(respuesta)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** The first n primes' roots, their fraction's 32 bits: FIPS 180-4 makes its constants so. */
function roots(count: number, power: number): Uint32Array {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++)
    if (Array.from({ length: candidate - 2 }, (_, at) => at + 2).every((divisor) => candidate % divisor !== 0))
      found.push(candidate)
  return Uint32Array.from(found, (prime) => (prime ** power % 1) * 2 ** 32)
}
const ROUND = roots(64, 1 / 3)
const START = roots(8, 1 / 2)
const words = new Uint32Array(64)
const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

/** The first 32 bits of the SHA-256 of an ASCII text. */
export function sha256Head(text: string): number {
  const blocks = Math.ceil((text.length + 9) / 64)
  const bytes = new DataView(new ArrayBuffer(blocks * 64))
  for (let at = 0; at < text.length; at++) bytes.setUint8(at, text.charCodeAt(at))
  bytes.setUint8(text.length, 0x80)
  bytes.setUint32(blocks * 64 - 4, text.length * 8)
  let [a, b, c, d, e, f, g, h] = START as unknown as [number, number, number, number, number, number, number, number]
  const state = [a, b, c, d, e, f, g, h]
  for (let block = 0; block < blocks; block++) {
    for (let at = 0; at < 16; at++) words[at] = bytes.getUint32(block * 64 + at * 4)
    for (let at = 16; at < 64; at++) {
      const [x, y] = [words[at - 15]!, words[at - 2]!]
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
      words[at] = words[at - 16]! + s0 + words[at - 7]! + s1
    }
    ;[a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number]
    for (let at = 0; at < 64; at++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[at]! + words[at]!) | 0
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at]! + word) | 0
  }
  return state[0]! >>> 0
}
