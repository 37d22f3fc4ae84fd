import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Selectable, sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { fileResponse } from '#app/core/http/file-response.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createFolderDurably } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError } from '#app/core/storage/object-store.server.ts'
import { ballots } from '#app/voting/chain/batch-reader.server.ts'
import { hashText, packBlocks } from '#app/voting/chain/block-seal.server.ts'
import { filledBlocks, lineOf } from '#app/voting/chain/published-blocks.server.ts'
import { type Ballot, GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { type ClosingRecord, namesOf, parseClosingRecord, readingGuideOf } from '#app/voting/record/schema.ts'
import { annulmentsOf } from './annulments.server.ts'
import { readRecord } from './data.server.ts'
import { listClosingMoveRecords } from './moved-closing.server.ts'
import { isAsSealed, publicKeyIn, publicKeyOf, signAct } from './record-signature.server.ts'

/** This bucket of the storage holds published records, which can be made again from the database. */
export const BUCKET = 'actas'
const CONTENT_TYPE = 'application/json; charset=utf-8'
const CACHE_SECONDS = 3600
/**
 * After a failure (votes that differ from their seals, an unreachable storage) the file is made again only after this many
 * milliseconds.
 */
const RETRY_MS = 60_000

export type RecordRow = Selectable<Tables['actas']>

/** The error tells that the stored votes are not those that the record sealed, so they are not published. */
class NotAsSealedError extends Error {
  override name = 'NotAsSealedError'
}
const NO_FILE_MESSAGES = {
  pending: 'El archivo todavía no está listo. Inténtalo de nuevo en unos minutos.',
  mismatch:
    'El archivo no se puede publicar: los votos guardados ya no son los que el acta selló. Avisa al comité organizador.',
}
type Publication = { file: string } | { reason: keyof typeof NO_FILE_MESSAGES }

/** Returns the file's path. It holds the record's seal, so that another record (of a restored database, say) has another file. */
const pathOf = ({ edicion, sello }: RecordRow) => `${edicion}/${sello}.json`

interface Making {
  publication: Promise<Publication>
  /** The time of the failure, by `performance.now()`; Infinity without one. */
  failedMs: number
}

export interface RecordFiles {
  /**
   * Writes the published file of a sealed record into the storage, unless it exists, and keeps a local copy. Concurrent
   * callers share one run. Failures to write the file are logged.
   */
  publish(closing: RecordRow): Promise<Publication>
  /**
   * Serves the published file from this process's copy, without reading votes or holding a connection to the storage.
   * @returns undefined while the record is not sealed
   */
  answer(edition: number, request: Request): Promise<Response | undefined>
}

/** Creates the service for the published files of one process. */
export function createRecordFiles(services: Services): RecordFiles {
  /** `makings` holds files made or being made, by path. */
  const makings = new Map<string, Making>()

  function publish(closing: RecordRow): Promise<Publication> {
    const path = pathOf(closing)
    const earlierMaking = makings.get(path)
    if (earlierMaking && performance.now() - earlierMaking.failedMs < RETRY_MS) return earlierMaking.publication
    const making: Making = {
      failedMs: Number.POSITIVE_INFINITY,
      publication: makeCopy(services, closing).then(
        (file) => {
          if (file !== undefined) return { file }
          makings.delete(path)
          return { reason: 'pending' }
        },
        (error: unknown) => {
          making.failedMs = performance.now()
          services.log.error(
            { err: error, edicion: closing.edicion },
            'the record could not be published; it is tried again',
          )
          return { reason: error instanceof NotAsSealedError ? 'mismatch' : 'pending' }
        },
      ),
    }
    makings.set(path, making)
    return making.publication
  }

  async function answer(edition: number, request: Request): Promise<Response | undefined> {
    const closing = await readRecord(services.db, edition, 'cierre')
    if (!closing) return undefined
    const publication = await publish(closing)
    const file =
      'file' in publication ? await answerRecordFile(publication.file, edition, closing.sello, request) : undefined
    if (file) return file
    // The copy is missing from the disk: the next request fetches the file or makes it again.
    if ('file' in publication) makings.delete(pathOf(closing))
    return new Response(NO_FILE_MESSAGES['file' in publication ? 'pending' : publication.reason], {
      status: 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '60' },
    })
  }

  return { publish, answer }
}

/** Serves a published file as a download. @returns undefined if the file does not exist */
export const answerRecordFile = (file: string, edition: number, seal: string, request: Request) =>
  fileResponse(file, request, {
    'content-type': CONTENT_TYPE,
    'content-disposition': `attachment; filename="acta-senorita-popularidad-${edition}.json"`,
    // A sealed record never changes.
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    etag: `"${seal}"`,
  })

/** Makes this process's copy of the file. @returns path of the copy; undefined: another process is writing the file */
async function makeCopy(services: Services, closing: RecordRow): Promise<string | undefined> {
  const { storage, settings } = services
  const path = pathOf(closing)
  const file = join(settings.dataDir, BUCKET, path)
  if (await stat(file).catch(() => undefined)) return file
  await createFolderDurably(dirname(file))
  const draft = `${file}.tmp`
  // A draft of a killed process may share its bytes with the stored object, so it is removed, never written over.
  await rm(draft, { force: true })
  try {
    const fetched = async () => {
      const body = await storage.get(BUCKET, path)
      if (body) await pipeline(body, createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
      return body !== undefined
    }
    if (!(await fetched())) {
      const sha256 = await write(services, closing, draft)
      if (sha256 === undefined) return undefined
      const metadata = { contentType: CONTENT_TYPE, cacheControlSeconds: CACHE_SECONDS, sha256 }
      await storage.putFile(BUCKET, path, draft, metadata).catch((error: unknown) => {
        if (!(error instanceof ObjectExistsError)) throw error
      })
    }
    await rename(draft, file)
    return file
  } finally {
    await rm(draft, { force: true })
  }
}

/** Writes the file from the database. @returns SHA-256 of the file, in hex; undefined: another process is writing the file */
async function write(services: Services, closing: RecordRow, draft: string): Promise<string | undefined> {
  const { edicion } = closing
  if (!isAsSealed(services, closing)) throw new NotAsSealedError('The record differs from the sealed record')
  // Names, ballots and annulments are read from one snapshot of the database.
  return services.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ ours: boolean }>`
        select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.writeRecord}, ${closing.edicion}::int) as ours`.execute(tx)
      if (!rows[0]!.ours) return undefined
      const hash = createHash('sha256')
      const lines = await recordLines({ ...services, db: tx }, edicion)
      await writeFile(
        draft,
        (async function* () {
          for await (const line of lines!) {
            hash.update(line)
            yield line
          }
        })(),
        { flag: 'wx', mode: 0o600 },
      )
      return hash.digest('hex')
    })
}

/**
 * Returns the published file, line by line: one JSON document whose lines can be parsed alone, so that neither this process nor a
 * counting program holds all ballots in memory. The file names no person, no address and no time of any ballot.
 * @returns pieces of the file in order; undefined while the record is not sealed
 * @throws NotAsSealedError, while the lines are read, when votes or annulments are not those that the record sealed
 */
export async function recordLines(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
): Promise<AsyncGenerator<string> | undefined> {
  const [opening, closing] = [await readRecord(db, edition, 'apertura'), await readRecord(db, edition, 'cierre')]
  if (!opening || !closing) return undefined
  const record = parseClosingRecord(closing.contenido)
  const closingMoves = await listClosingMoveRecords(db, edition)
  return lines()

  async function* lines() {
    const names = await ballotNamesOf(db, record)
    const places = new Map(names.map((name, place) => [name, place]))
    // Both records are written as they were sealed, to the letter.
    const key = publicKeyIn(opening!.contenido)
    const cover = [
      `"lectura":${JSON.stringify(readingGuideOf(record))}`,
      `"acta":${closing!.contenido}`,
      `"sello":${JSON.stringify(closing!.sello)}`,
      ...(key === undefined ? [] : [`"llave":${JSON.stringify(key)}`]),
      // A site that was restored without its secret has another key, and cannot sign.
      ...(key === publicKeyOf({ keyed })
        ? [`"firma":${JSON.stringify(signAct({ keyed }, edition, closing!.sello))}`]
        : []),
      `"apertura":${opening!.contenido}`,
      `"selloApertura":${JSON.stringify(opening!.sello)}`,
      ...(closingMoves.length > 0 ? [`"movidos":[${closingMoves.map(({ contenido }) => contenido)}]`] : []),
      `"nombres":${JSON.stringify(names)}`,
    ]
    yield `{"portada":{${cover}},\n"cajas":[`
    let separator = '\n'
    let lastSeal = GENESIS_SEAL
    for await (const { papeletas, ...block } of blocksOf(db, record)) {
      yield `${separator}${lineOf(block, papeletas, places)}`
      separator = ',\n'
      lastSeal = block.sello
    }
    if (lastSeal !== record.ultimoSello) throw new NotAsSealedError('The votes are not what the record sealed')
    yield '\n],\n"anuladas":['
    separator = '\n'
    const annulments = await annulmentsOf(db, edition)
    const fingerprints = annulments.map(({ receiptHashes }) => hashText(receiptHashes.join('\n')))
    if (fingerprints.join() !== record.anulaciones.map(({ huella }) => huella).join())
      throw new NotAsSealedError('The annulments are not what the record sealed')
    for (const { receiptHashes } of annulments) {
      yield `${separator}${JSON.stringify({ recibos: receiptHashes })}`
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}

/** Returns the names on the ballots: those of the record, then any others. */
async function ballotNamesOf(db: Database, record: ClosingRecord): Promise<string[]> {
  const recordNames = [...record.candidatas, ...(record.retiradas ?? [])].flatMap(namesOf)
  // A record that counts each ballot for a candidate knows all names, so that the ballots need not be read.
  const candidateVotes = record.candidatas.reduce((sum, { votos }) => sum + votos, 0)
  if (record.fallas.length === 0 && record.minimo !== undefined && candidateVotes === record.papeletas)
    return [...new Set(recordNames)]
  // Ballots may bear names that belong to no candidate any more.
  const { rows } = await sql<{ nombre: string }>`
    select distinct coalesce(candidata, '') as nombre from banda_digital_votes
    where edicion = ${record.edicion} and lote > 0 order by 1`.execute(db)
  return [...new Set([...recordNames, ...rows.map(({ nombre }) => nombre)])]
}

/**
 * Yields the blocks of a closed vote with their ballots, as closed during the vote. For older records the blocks are made now.
 */
async function* blocksOf(
  db: Database,
  { edicion, minimo, fallas }: ClosingRecord,
): AsyncGenerator<{ numero: number; anterior: string; sello: string; papeletas: Ballot[] }> {
  if (minimo === undefined) return yield* packBlocks(ballots(db, edicion))
  for await (const { block, ballots: papeletas, seal } of filledBlocks(db, edicion)) {
    // A record that declares changed votes is published all the same: a count of the file shows the block with the change.
    if (seal !== block.sello && fallas.length === 0)
      throw new NotAsSealedError('The votes are not what the record sealed')
    yield { numero: block.numero, anterior: block.anterior, sello: block.sello, papeletas }
  }
}
