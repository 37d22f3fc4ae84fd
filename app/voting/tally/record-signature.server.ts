import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { OpeningRecord } from '#app/voting/record/schema.ts'
import { signedText } from '#app/voting/record/signature.ts'
import { readRecord } from './data.server.ts'

type Keys = Pick<Services, 'keyed'>

/** An Ed25519 key in PKCS #8 (RFC 8410, section 7), up to its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The pair comes from the site's secret, so that every process has it and a restored site goes on with it. */
const privateKeyOf = ({ keyed }: Keys): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, keyed('voto.acta-publica').export()]),
    format: 'der',
    type: 'pkcs8',
  })

/** The site's public key, base64url, as the act of zero publishes it. */
export const publicKeyOf = (keys: Keys): string =>
  createPublicKey(privateKeyOf(keys)).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')

/** The key that an act of zero publishes. @returns undefined: it was drawn up before acts were signed */
export const publicKeyIn = (opening: string): string | undefined => (JSON.parse(opening) as OpeningRecord).llave

/** The key by which an edition's closing act is signed, from its act of zero on. */
export async function readPublicKey(db: Database, edition: number): Promise<string | undefined> {
  const opening = await readRecord(db, edition, 'apertura')
  return opening && publicKeyIn(opening.contenido)
}

/** The signature on a closing act, base64url. The same act always has the same one. */
export const signAct = (keys: Keys, edition: number, seal: string): string =>
  sign(null, Buffer.from(signedText(edition, seal)), privateKeyOf(keys)).toString('base64url')
