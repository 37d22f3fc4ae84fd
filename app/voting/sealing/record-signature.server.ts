import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashText } from '#app/voting/chain/seal-hash.server.ts'
import { isSealSigned, signSeal } from '#app/voting/election/seal-signature.server.ts'
import type { ClosingMove, ClosingRecord, OpeningRecord } from '#app/voting/record/schema.ts'
import { signedText } from '#app/voting/record/signature.ts'
import { readRecord } from './data.server.ts'

type Keys = Pick<Services, 'keyed'>

/** Returns the columns of a record's row: its text, the text's seal, and the signature on kind, edition and seal. */
export function sealRecord(keys: Keys, record: OpeningRecord | ClosingMove | ClosingRecord) {
  const content = JSON.stringify(record)
  const seal = hashText(content)
  return { contenido: content, sello: seal, firma: signSeal(keys, `${record.clase} ${record.edicion} ${seal}`) }
}

/** Returns whether a stored record is unchanged since the site sealed it. */
export const isRecordAuthentic = (
  keys: Keys,
  { clase, edicion, contenido, sello, firma }: Selectable<Tables['actas']>,
): boolean => hashText(contenido) === sello && isSealSigned(keys, `${clase} ${edicion} ${sello}`, firma)

/** Bytes that precede the 32 bytes of an Ed25519 private key in PKCS #8. @source RFC 8410, section 7 */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Returns the site's private key. It is derived from the site's secret, so that all processes, and a site that is restored with
 * its secret, have the same.
 */
const privateKeyOf = ({ keyed }: Keys): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, keyed('voto.acta-publica').export()]),
    format: 'der',
    type: 'pkcs8',
  })

/** Returns the site's public key in base64url, as the opening record publishes it. */
export const publicKeyOf = (keys: Keys): string =>
  createPublicKey(privateKeyOf(keys)).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')

/** Returns the public key in an opening record; undefined in a record older than signatures. */
export const publicKeyIn = (content: string): string | undefined => (JSON.parse(content) as OpeningRecord).llave

/**
 * Returns the public key for an edition's closing record, as the opening record states it; undefined if that record states none
 * or does not exist.
 */
export async function readPublicKey(db: Database, edition: number): Promise<string | undefined> {
  const opening = await readRecord(db, edition, 'apertura')
  return opening && publicKeyIn(opening.contenido)
}

/**
 * Returns the signature on a closing record in base64url. Since Ed25519 is deterministic, a file that is made again is the same.
 */
export const signClosingRecord = (keys: Keys, edition: number, seal: string): string =>
  sign(null, Buffer.from(signedText(edition, seal)), privateKeyOf(keys)).toString('base64url')
