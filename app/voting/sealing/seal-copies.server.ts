import { text } from 'node:stream/consumers'
import type { Services } from '#app/core/http/services.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { hashText } from '#app/voting/chain/seal-hash.server.ts'
import type { OpeningRecord } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'

/**
 * Bucket of the opening record and of each block's number, count and seal. These copies lie outside the database, so that they
 * reveal a later change by a person with access to the database alone. Objects are never overwritten.
 * A recount reads their names only: `<edition>/<number of the block>-<seal>`, with number 0 for the opening record.
 */
const SEALS_BUCKET = 'sellos'
const SEAL_METADATA = { contentType: 'application/json; charset=utf-8', cacheControlSeconds: 3_600 }
const SEAL_PATH_PATTERN = /^\d+\/(\d+)-([0-9a-f]{64})$/

async function putUnlessStored(storage: ObjectStorage, path: string, body: string): Promise<void> {
  await storage.putBytes(SEALS_BUCKET, path, Buffer.from(body), SEAL_METADATA).catch((error: unknown) => {
    if (!(error instanceof ObjectExistsError)) throw error
  })
}

/**
 * Stores an edition's new seals. Receipts state a seal only after it is stored.
 * @param lastStoredNumber number of the last block that is already stored; 0 for the opening record alone, −1 for nothing
 * @returns number of the last block that is stored now, with the same meaning of 0 and −1
 */
export async function storeSealCopies(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  edition: number,
  lastStoredNumber: number,
): Promise<number> {
  let lastStored = lastStoredNumber
  if (lastStored < 0) {
    const opening = await readRecord(db, edition, 'apertura')
    if (!opening) return lastStored
    await putUnlessStored(storage, `${edition}/0-${opening.sello}`, opening.contenido)
    lastStored = 0
  }
  for (const { numero, papeletas, sello } of await listBlocks(db, edition, lastStored + 1)) {
    await putUnlessStored(storage, `${edition}/${numero}-${sello}`, JSON.stringify({ numero, papeletas, sello }))
    lastStored = numero
  }
  return lastStored
}

/** Lists the stored copies of the published seals, with number 0 for the opening record. */
export async function listSealCopies(
  storage: ObjectStorage,
  edition: number,
): Promise<{ number: number; seal: string }[]> {
  const sealCopies: { number: number; seal: string }[] = []
  for await (const path of storage.list(SEALS_BUCKET, `${edition}/`)) {
    const [, number, seal] = SEAL_PATH_PATTERN.exec(path) ?? []
    if (seal !== undefined) sealCopies.push({ number: Number(number), seal })
  }
  return sealCopies
}

/**
 * Returns the candidates' places as the opening record states them, from the record's copy in the storage.
 * @returns undefined until that copy is stored, for older records, which state no places, and for a copy that differs from its seal
 */
export async function readCopiedPlaces(
  storage: ObjectStorage,
  edition: number,
): Promise<OpeningRecord['lugares'] | undefined> {
  for (const { number, seal } of await listSealCopies(storage, edition)) {
    if (number !== 0) continue
    const body = await storage.get(SEALS_BUCKET, `${edition}/0-${seal}`)
    const content = body && (await text(body))
    if (content && hashText(content) === seal) return (JSON.parse(content) as OpeningRecord).lugares
  }
  return undefined
}
