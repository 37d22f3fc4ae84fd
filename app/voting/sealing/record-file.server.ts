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
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { readBallots } from '#app/voting/chain/batch-reader.server.ts'
import { fileLineOf, readBlocksWithBallots } from '#app/voting/chain/published-blocks.server.ts'
import { hashText, packBlocks } from '#app/voting/chain/seal-hash.server.ts'
import { type Ballot, GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { ballotNamesOf, type ClosingRecord, parseClosingRecord, readingGuideOf } from '#app/voting/record/schema.ts'
import { listAnnulmentsWithReceipts } from './annulments.server.ts'
import { readRecord } from './data.server.ts'
import { listClosingMoveRecords } from './moved-closing.server.ts'
import { isRecordAuthentic, publicKeyIn, publicKeyOf, signClosingRecord } from './record-signature.server.ts'

/** Bucket of the published records' files, which can be made again from the database. */
export const RECORD_BUCKET = 'actas'
const CONTENT_TYPE = 'application/json; charset=utf-8'
const CACHE_SECONDS = 3600
/** Pause after the file could not be made, as when votes differ from their seals or the storage is unreachable. */
const RETRY_MS = MINUTE_MS

export type RecordRow = Selectable<Tables['actas']>

/** Thrown if the record, its votes or its annulments are not as they were sealed, so that they are not published. */
class NotAsSealedError extends Error {
  override name = 'NotAsSealedError'
}
const NO_FILE_MESSAGES = {
  pending: 'El archivo todavía no está listo. Inténtalo de nuevo en unos minutos.',
  mismatch:
    'El archivo no se puede publicar: los votos guardados ya no son los que el acta selló. Avisa al comité organizador.',
}
/** Path of this process's copy of the file, or the reason why there is none. */
type PublishedFile = { file: string } | { reason: keyof typeof NO_FILE_MESSAGES }

/** Returns the path of the file's object. It contains the seal, since a restored database may have another record. */
const objectPathOf = ({ edicion, sello }: RecordRow) => `${edicion}/${sello}.json`

interface FileEntry {
  publication: Promise<PublishedFile>
  /** Moment by `performance.now()` at which the publication failed; Infinity if it has not. */
  failedMs: number
}

export interface RecordFiles {
  /**
   * Writes the published file of a sealed record into the storage, unless it exists, and makes a local copy. Concurrent callers
   * share one run. Failures are logged.
   */
  publish(closing: RecordRow): Promise<PublishedFile>
  /**
   * Serves the published file from this process's copy, which it makes if needed; answers 503 while there is none.
   * @returns undefined while the record is not sealed
   */
  answer(edition: number, request: Request): Promise<Response | undefined>
}

export function createRecordFiles(services: Services): RecordFiles {
  /** Files that exist, are being made or could not be made, by the path of their object. */
  const files = new Map<string, FileEntry>()

  function publish(closing: RecordRow): Promise<PublishedFile> {
    const path = objectPathOf(closing)
    const earlierEntry = files.get(path)
    if (earlierEntry && performance.now() - earlierEntry.failedMs < RETRY_MS) return earlierEntry.publication
    const entry: FileEntry = {
      failedMs: Number.POSITIVE_INFINITY,
      publication: makeCopy(services, closing).then(
        (file) => {
          if (file !== undefined) return { file }
          files.delete(path)
          return { reason: 'pending' }
        },
        (error: unknown) => {
          entry.failedMs = performance.now()
          services.log.error(
            { err: error, edicion: closing.edicion },
            'the record could not be published; it is tried again',
          )
          return { reason: error instanceof NotAsSealedError ? 'mismatch' : 'pending' }
        },
      ),
    }
    files.set(path, entry)
    return entry.publication
  }

  async function answer(edition: number, request: Request): Promise<Response | undefined> {
    const closing = await readRecord(services.db, edition, 'cierre')
    if (!closing) return undefined
    const publication = await publish(closing)
    const response =
      'file' in publication ? await answerRecordFile(publication.file, edition, closing.sello, request) : undefined
    if (response) return response
    // If the copy has vanished from the disk, the next request fetches the file or makes it again.
    if ('file' in publication) files.delete(objectPathOf(closing))
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

/**
 * Makes this process's copy of the stored file, unless it exists; if no file is stored, writes and stores it.
 * @returns the copy's path; undefined if another process is writing the file
 */
async function makeCopy(services: Services, closing: RecordRow): Promise<string | undefined> {
  const { storage, settings } = services
  const path = objectPathOf(closing)
  const file = join(settings.dataDir, RECORD_BUCKET, path)
  if (await stat(file).catch(() => undefined)) return file
  await createFolderDurably(dirname(file))
  const tempFile = `${file}.tmp`
  // A killed process may have left a temporary file that is a hard link to the stored object: overwriting would damage the
  // object.
  await rm(tempFile, { force: true })
  try {
    const fetchStoredFile = async () => {
      const body = await storage.get(RECORD_BUCKET, path)
      if (body) await pipeline(body, createWriteStream(tempFile, { flags: 'wx', mode: 0o600 }))
      return body !== undefined
    }
    if (!(await fetchStoredFile())) {
      const sha256 = await writeTempFile(services, closing, tempFile)
      if (sha256 === undefined) return undefined
      const metadata = { contentType: CONTENT_TYPE, cacheControlSeconds: CACHE_SECONDS, sha256 }
      await storage.putFile(RECORD_BUCKET, path, tempFile, metadata).catch((error: unknown) => {
        if (!(error instanceof ObjectExistsError)) throw error
      })
    }
    await rename(tempFile, file)
    return file
  } finally {
    await rm(tempFile, { force: true })
  }
}

/**
 * Writes the file from the database.
 * @returns the file's SHA-256 in hexadecimal; undefined if another process is writing the file
 * @throws NotAsSealedError if the record, its votes or its annulments are not as they were sealed
 */
async function writeTempFile(services: Services, closing: RecordRow, tempFile: string): Promise<string | undefined> {
  const { edicion } = closing
  if (!isRecordAuthentic(services, closing)) throw new NotAsSealedError('The record differs from the sealed record')
  // At `repeatable read`, all queries read one snapshot of names, ballots and annulments.
  return services.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ is_acquired: boolean }>`
        select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.writeRecord}, ${closing.edicion}::int) as is_acquired`.execute(
        tx,
      )
      if (!rows[0]!.is_acquired) return undefined
      const hash = createHash('sha256')
      const lines = await recordLines({ ...services, db: tx }, edicion)
      await writeFile(
        tempFile,
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
 * Returns the published file line by line. It is a JSON document whose lines can be parsed alone, so that neither this process
 * nor a program that counts it has to hold the whole file in memory. No ballot is published with a person, an address or a time.
 * @returns parts of the file in order; undefined while the record is not sealed
 * @throws NotAsSealedError while the lines are read, if votes or annulments are not those that the record sealed
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
    const names = await listBallotNames(db, record)
    const nameIndexes = new Map(names.map((name, index) => [name, index]))
    const publicKey = publicKeyIn(opening!.contenido)
    // The records are written exactly as they were sealed.
    const cover = [
      `"lectura":${JSON.stringify(readingGuideOf(record))}`,
      `"acta":${closing!.contenido}`,
      `"sello":${JSON.stringify(closing!.sello)}`,
      ...(publicKey === undefined ? [] : [`"llave":${JSON.stringify(publicKey)}`]),
      // A site that was restored without its secret has another key, so it cannot sign.
      ...(publicKey === publicKeyOf({ keyed })
        ? [`"firma":${JSON.stringify(signClosingRecord({ keyed }, edition, closing!.sello))}`]
        : []),
      `"apertura":${opening!.contenido}`,
      `"selloApertura":${JSON.stringify(opening!.sello)}`,
      ...(closingMoves.length > 0 ? [`"movidos":[${closingMoves.map(({ contenido }) => contenido)}]`] : []),
      `"nombres":${JSON.stringify(names)}`,
    ]
    yield `{"portada":{${cover}},\n"cajas":[`
    let separator = '\n'
    let lastSeal = GENESIS_SEAL
    for await (const { papeletas, ...block } of readRecordBlocks(db, record)) {
      yield `${separator}${fileLineOf(block, papeletas, nameIndexes)}`
      separator = ',\n'
      lastSeal = block.sello
    }
    if (lastSeal !== record.ultimoSello) throw new NotAsSealedError('The votes are not what the record sealed')
    yield '\n],\n"anuladas":['
    separator = '\n'
    const annulments = await listAnnulmentsWithReceipts(db, edition)
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

/** Lists the names on the ballots: first the record's names, then others. */
async function listBallotNames(db: Database, record: ClosingRecord): Promise<string[]> {
  const recordNames = [...record.candidatas, ...(record.retiradas ?? [])].flatMap(ballotNamesOf)
  // If each ballot counts for a candidate, the record has all names, and the ballots need not be read.
  const candidateVotes = record.candidatas.reduce((sum, { votos }) => sum + votos, 0)
  if (record.fallas.length === 0 && record.minimo !== undefined && candidateVotes === record.papeletas)
    return [...new Set(recordNames)]
  const { rows } = await sql<{ nombre: string }>`
    select distinct coalesce(candidata, '') as nombre from banda_digital_votes
    where edicion = ${record.edicion} and lote > 0 order by 1`.execute(db)
  return [...new Set([...recordNames, ...rows.map(({ nombre }) => nombre)])]
}

/**
 * Yields the blocks of a closed vote with their ballots. If an earlier version published no blocks during the vote, makes them
 * now.
 */
async function* readRecordBlocks(
  db: Database,
  { edicion, minimo, fallas }: ClosingRecord,
): AsyncGenerator<{ numero: number; anterior: string; sello: string; papeletas: Ballot[] }> {
  if (minimo === undefined) return yield* packBlocks(readBallots(db, edicion))
  for await (const { block, ballots: papeletas, seal } of readBlocksWithBallots(db, edicion)) {
    // A record that itself declares faults is published nevertheless: verifying the file shows the changed block.
    if (seal !== block.sello && fallas.length === 0)
      throw new NotAsSealedError('The votes are not what the record sealed')
    yield { numero: block.numero, anterior: block.anterior, sello: block.sello, papeletas }
  }
}
