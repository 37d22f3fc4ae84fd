import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { OpeningRecord } from '#app/voting/record/schema.ts'
import { signedText } from '#app/voting/record/signature.ts'
import { readRecord } from './data.server.ts'

type Keys = Pick<Services, 'keyed'>

/** Start of an Ed25519 private key in PKCS #8 (RFC 8410, section 7), before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key pair derives from the site's secret, so that every process and a restored site have the same pair. */
const privateKeyOf = ({ keyed }: Keys): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, keyed('voto.acta-publica').export()]),
    format: 'der',
    type: 'pkcs8',
  })

/** The site's public key, base64url, as the opening record publishes it. */
export const publicKeyOf = (keys: Keys): string =>
  createPublicKey(privateKeyOf(keys)).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')

/** The public key in an opening record; undefined: it was drawn up before records were signed. */
export const publicKeyIn = (opening: string): string | undefined => (JSON.parse(opening) as OpeningRecord).llave

/** The public key of an edition's closing record, known from the opening record on. */
export async function readPublicKey(db: Database, edition: number): Promise<string | undefined> {
  const opening = await readRecord(db, edition, 'apertura')
  return opening && publicKeyIn(opening.contenido)
}

/** The signature on a closing record, base64url. Ed25519 is deterministic. */
export const signAct = (keys: Keys, edition: number, seal: string): string =>
  sign(null, Buffer.from(signedText(edition, seal)), privateKeyOf(keys)).toString('base64url')
