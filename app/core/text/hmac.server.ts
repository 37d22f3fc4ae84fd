import { hash, type KeyObject } from 'node:crypto'

/** Block and digest of SHA-256. */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** The shared buffer's size; the rare longer texts get a buffer each. */
const SCRATCH_BYTES = 4_096

interface Pads {
  /** The key's block of the inner hash, and room for a text behind it. */
  inner: Buffer
  /** The key's block of the outer hash, and room for the inner digest. */
  outer: Buffer
}

const kept = new WeakMap<KeyObject, Pads>()

/**
 * HMAC-SHA256 (RFC 2104) of a text, equal to `createHmac` in half its time: `createHmac` makes an object for every text, and a
 * recount hashes ten million.
 * @param key a secret key
 */
export function hmacSha256(key: KeyObject, text: string): Buffer {
  let pads = kept.get(key)
  if (!pads) {
    pads = padsOf(key)
    kept.set(key, pads)
  }
  const { outer } = pads
  // A character takes at most three bytes.
  const fits = text.length * 3 <= SCRATCH_BYTES - BLOCK_BYTES
  const inner = fits ? pads.inner : Buffer.concat([pads.inner.subarray(0, BLOCK_BYTES), Buffer.from(text)])
  const end = fits ? BLOCK_BYTES + inner.write(text, BLOCK_BYTES, 'utf8') : inner.byteLength
  // A digest as a binary string takes half the time of one in a buffer.
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary')
  return Buffer.from(hash('sha256', outer, 'binary'), 'binary')
}

function padsOf(key: KeyObject): Pads {
  const secret = key.export()
  const bytes = secret.byteLength > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret
  const inner = Buffer.alloc(SCRATCH_BYTES)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  for (let at = 0; at < BLOCK_BYTES; at++) {
    inner[at] = (bytes[at] ?? 0) ^ 0x36
    outer[at] = (bytes[at] ?? 0) ^ 0x5c
  }
  return { inner, outer }
}
