import { text } from 'node:stream/consumers'
import type { Services } from '#app/core/http/services.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { hashText } from '#app/voting/chain/block-seal.server.ts'
import { listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import type { OpeningRecord } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'

/**
 * What the site has given away of a vote (the act of zero, and the seal of each link, which it publishes and mails), kept
 * in the storage: whoever owns the database alone cannot take it back. Objects are never overwritten, and their names say
 * all that a recount asks: `<edition>/<number of the link>-<seal>`, with number 0 for the act of zero.
 */
const BUCKET = 'sellos'
const METADATA = { contentType: 'application/json; charset=utf-8', cacheControlSeconds: 3_600 }
const NAME = /^\d+\/(\d+)-([0-9a-f]{64})$/

async function put(storage: ObjectStorage, path: string, body: string): Promise<void> {
  await storage.putBytes(BUCKET, path, Buffer.from(body), METADATA).catch((error: unknown) => {
    if (!(error instanceof ObjectExistsError)) throw error
  })
}

/**
 * Keeps what is new of an edition, before it is mailed.
 * @param upTo the last link that is kept already; −1: nothing is
 * @returns the last link that is kept now
 */
export async function keepGivenAway(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  edition: number,
  upTo: number,
): Promise<number> {
  let kept = upTo
  if (kept < 0) {
    const opening = await readRecord(db, edition, 'apertura')
    if (!opening) return kept
    await put(storage, `${edition}/0-${opening.sello}`, opening.contenido)
    kept = 0
  }
  for (const { numero, papeletas, sello } of await listBlocks(db, edition, kept + 1)) {
    await put(storage, `${edition}/${numero}-${sello}`, JSON.stringify({ numero, papeletas, sello }))
    kept = numero
  }
  return kept
}

/** @returns number of the link, 0 for the act of zero, and its seal, as the site gave them away */
export async function listGivenAway(
  storage: ObjectStorage,
  edition: number,
): Promise<{ numero: number; sello: string }[]> {
  const given: { numero: number; sello: string }[] = []
  for await (const path of storage.list(BUCKET, `${edition}/`)) {
    const [, number, seal] = NAME.exec(path) ?? []
    if (seal !== undefined) given.push({ numero: Number(number), sello: seal })
  }
  return given
}

/**
 * The places that the act of zero published, as the storage keeps it: candidate's id → place, from 0.
 * @returns undefined before the vote has begun, and for acts from before they said places
 */
export async function readGivenPlaces(
  storage: ObjectStorage,
  edition: number,
): Promise<OpeningRecord['lugares'] | undefined> {
  for (const { numero, sello } of await listGivenAway(storage, edition)) {
    if (numero !== 0) continue
    const body = await storage.get(BUCKET, `${edition}/0-${sello}`)
    const content = body && (await text(body))
    if (content && hashText(content) === sello) return (JSON.parse(content) as OpeningRecord).lugares
  }
  return undefined
}
