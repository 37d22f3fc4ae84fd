import type { Services } from '#app/core/http/services.server.ts'
import type { NewestBlock } from '#app/voting/ballot/schema.ts'
import { blockSummaryOf, isBlockSigned, listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { type BlockSummary, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { SealsFile } from '#app/voting/record/schema.ts'
import { readPublicKey } from './record-signature.server.ts'

/** One reading of the blocks serves all requests for this time. */
const FRESH_MS = 2_000
/** A client keeps the answer for this long. */
const CACHE_SECONDS = 5

interface SealsReading {
  blocks: BlockSummary[]
  /** Number of ballots in all blocks. */
  ballotCount: number
  body: string
  etag: string
}

/** The published blocks, as one process serves them. */
export interface PublishedSeals {
  /** Serves /misspopularidad/sellos.json, a `SealsFile`. */
  answer(request: Request): Promise<Response>
  /** Returns the newest block of the current edition; undefined while there is none. */
  readNewest(): Promise<NewestBlock | undefined>
}

export function createPublishedSeals({ db, keyed, log }: Pick<Services, 'db' | 'keyed' | 'log'>): PublishedSeals {
  let knownBlocks: { edition: number; blocks: BlockSummary[] } = { edition: 0, blocks: [] }
  let reading: { promise: Promise<SealsReading>; untilMs: number } | undefined

  /** Returns the latest reading, or a new one if the latest failed or ended more than FRESH_MS ago. */
  function readCached(): Promise<SealsReading> {
    if (reading && performance.now() < reading.untilMs) return reading.promise
    const promise = readBlocks()
    const currentReading = { promise, untilMs: Number.POSITIVE_INFINITY }
    reading = currentReading
    promise.then(
      () => {
        currentReading.untilMs = performance.now() + FRESH_MS
      },
      () => {
        if (reading === currentReading) reading = undefined
      },
    )
    return promise
  }

  /** Reads the last known block and newer blocks. If the last known block has changed, reads all blocks. */
  async function readBlocks(): Promise<SealsReading> {
    const { edicion } = await loadElection()
    let unchangedBlocks = knownBlocks.edition === edicion ? knownBlocks.blocks : []
    const lastKnownBlock = unchangedBlocks.at(-1)
    let rows = await listBlocks(db, edicion, lastKnownBlock?.numero ?? 1)
    if (lastKnownBlock && rows[0]?.sello !== lastKnownBlock.sello) {
      unchangedBlocks = []
      rows = await listBlocks(db, edicion)
    }
    // A block that this site did not sign is not published, nor is any later block.
    const firstForeignIndex = rows.findIndex((row) => !isBlockSigned({ keyed }, row))
    if (firstForeignIndex >= 0)
      log.error({ edicion, caja: rows[firstForeignIndex]!.numero }, 'a block was written without the site')
    const ownRows = firstForeignIndex < 0 ? rows : rows.slice(0, firstForeignIndex)
    const blocks = [...unchangedBlocks.slice(0, -1), ...ownRows.map(blockSummaryOf)]
    knownBlocks = { edition: edicion, blocks }
    const publicKey = await readPublicKey(db, edicion)
    const sealsFile: SealsFile = { edicion, minimo: MIN_BLOCK_BALLOTS, cajas: blocks, llave: publicKey }
    return {
      blocks,
      ballotCount: blocks.reduce((sum, { papeletas }) => sum + papeletas, 0),
      body: JSON.stringify(sealsFile),
      // The key is there from the vote's opening record on, before the first block.
      etag: `"${edicion}-${blocks.length}-${(blocks.at(-1)?.sello ?? publicKey)?.slice(0, 16) ?? ''}"`,
    }
  }

  return {
    async answer(request) {
      const { body, etag } = await readCached()
      const headers = { 'cache-control': `public, max-age=${CACHE_SECONDS}`, etag }
      const knownTags = request.headers.get('if-none-match') ?? ''
      if (knownTags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
        return new Response(null, { status: 304, headers })
      return new Response(request.method === 'HEAD' ? null : body, {
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
      })
    },
    async readNewest() {
      const { blocks, ballotCount } = await readCached()
      const block = blocks.at(-1)
      return (
        block && { number: block.numero, seal: block.sello, minBallots: MIN_BLOCK_BALLOTS, totalBallots: ballotCount }
      )
    },
  }
}
