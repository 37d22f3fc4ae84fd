/**
 * Patterns of Ed25519 public keys and signatures (RFC 8032): 32 and 64 bytes in base64url. Records are signed since seals alone
 * do not prove who made a file: a forger can change votes and compute new seals.
 */

export const PUBLIC_KEY_PATTERN = /^[\w-]{43}$/
export const SIGNATURE_PATTERN = /^[\w-]{86}$/

/** Returns the text that a record's signature covers; the seal covers the record, which names the other seals of the file. */
export const signedText = (edition: number, seal: string): string => `acta ${edition} ${seal}`

/** Returns the line of a mail that states the site's key; `readWitness` parses it. */
export const publicKeyStatement = (key: string): { name: string; value: string } => ({
  name: 'Llave del sitio:',
  value: key,
})

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/**
 * Verifies a signature.
 * @returns whether the key's owner signed the text: false also for a key of the wrong length; undefined if the browser does not
 * support Ed25519, or key or signature is not base64url
 */
export async function verifySignature(key: string, text: string, signature: string): Promise<boolean | undefined> {
  try {
    const publicKey = await crypto.subtle.importKey('raw', bytesOf(key), 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', publicKey, bytesOf(signature), new TextEncoder().encode(text))
  } catch (error) {
    // importKey throws a DataError for a text that is no key.
    if (error instanceof Error && error.name === 'DataError') return false
    return undefined
  }
}
