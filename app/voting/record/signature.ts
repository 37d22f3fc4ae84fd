/**
 * The site's signature on its published acts, Ed25519 (RFC 8032). Seals are computed by anybody, so a file whose votes were
 * changed and whose seals were computed again fits in itself; only the site has the key that signs. Keys and signatures are
 * base64url, of 32 and 64 bytes.
 */

export const PUBLIC_KEY = /^[\w-]{43}$/
export const SIGNATURE = /^[\w-]{86}$/

/** Stands in an act's signature: the act's seal covers all else of the file. */
export const signedText = (edition: number, seal: string): string => `acta ${edition} ${seal}`

/** The key as mails say it, a name and its value: `readWitness` understands that very wording. */
export const wordsOfKey = (key: string): { dato: string; valor: string } => ({ dato: 'Llave del sitio:', valor: key })

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** @returns whether the key's owner signed the text; undefined: this browser does not know the algorithm */
export async function isSignedBy(key: string, text: string, signature: string): Promise<boolean | undefined> {
  try {
    const imported = await crypto.subtle.importKey('raw', bytesOf(key), 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', imported, bytesOf(signature), new TextEncoder().encode(text))
  } catch (error) {
    // A text that is no key throws a DataError.
    if (error instanceof Error && error.name === 'DataError') return false
    return undefined
  }
}
