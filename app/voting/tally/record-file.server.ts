import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Selectable, sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { answerFile } from '#app/core/http/file-response.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { makeFolder } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError } from '#app/core/storage/object-store.server.ts'
import { ballots } from '#app/voting/chain/batch-reader.server.ts'
import { boxed, hashText } from '#app/voting/chain/block-seal.server.ts'
import { type Block, filledBlocks, lineOf, listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { partsOf, runInThreads } from '#app/voting/chain/threads.server.ts'
import { isSealed } from '#app/voting/election/seal-signature.server.ts'
import { type Ballot, GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { type ClosingRecord, namesOf, readClosingRecord, readingGuideOf } from '#app/voting/record/schema.ts'
import { annulmentsOf } from './annulments.server.ts'
import { readRecord } from './data.server.ts'
import { publicKeyIn, publicKeyOf, signAct } from './record-signature.server.ts'

/** Where the storage keeps published acts, which can be made again from the database. */
export const BUCKET = 'actas'
const CONTENT_TYPE = 'application/json; charset=utf-8'
const CACHE_SECONDS = 3600
/** What is read at once of a part of the file: hashing and writing so much takes a millisecond or two. */
const PIECE_BYTES = 1_048_576
/** How long after a failure (votes that are not what was sealed, a storage that is away) the file is not made again. */
const RETRY_MS = 60_000

/** The row of an act, as it was sealed. */
export type RecordRow = Selectable<Tables['actas']>

/** The stored votes are not what the act sealed, so they are not published as the act's. */
class NotAsSealedError extends Error {
  override name = 'NotAsSealedError'
}
const NO_FILE_MESSAGES = {
  pendiente: 'El archivo todavía no está listo. Inténtalo de nuevo en unos minutos.',
  'no-cuadra':
    'El archivo no se puede publicar: los votos guardados ya no son los que el acta selló. Avisa al comité organizador.',
}
type Publication = { file: string } | { falta: keyof typeof NO_FILE_MESSAGES }

/** The path holds the act's seal: another act (of a database that was set back, say) has another file. */
const pathOf = ({ edicion, sello }: RecordRow) => `${edicion}/${sello}.json`

interface Making {
  publicada: Promise<Publication>
  /** When it failed; Infinity while it has not. */
  failedMs: number
}

export interface RecordFiles {
  /**
   * Writes the published file of a sealed act into the storage, unless it is there, and keeps a copy at hand. It is
   * done once; all who ask meanwhile wait for it. What keeps the file from being written is logged.
   */
  publish(closing: RecordRow): Promise<Publication>
  /**
   * The published file, from this process's own copy: no request for it reads a vote, or holds a connection to the storage.
   * @returns undefined while the act is not sealed
   */
  answer(edition: number, request: Request): Promise<Response | undefined>
}

/** The published files of one process. */
export function createRecordFiles(services: Services): RecordFiles {
  /** Files made or being made, by path. */
  const makings = new Map<string, Making>()

  function publish(closing: RecordRow): Promise<Publication> {
    const path = pathOf(closing)
    const before = makings.get(path)
    if (before && performance.now() - before.failedMs < RETRY_MS) return before.publicada
    const making: Making = {
      failedMs: Number.POSITIVE_INFINITY,
      publicada: keepCopy(services, closing).then(
        (file) => {
          if (file !== undefined) return { file }
          makings.delete(path)
          return { falta: 'pendiente' }
        },
        (error: unknown) => {
          making.failedMs = performance.now()
          services.log.error(
            { err: error, edicion: closing.edicion },
            'the act could not be published; it is tried again',
          )
          return { falta: error instanceof NotAsSealedError ? 'no-cuadra' : 'pendiente' }
        },
      ),
    }
    makings.set(path, making)
    return making.publicada
  }

  async function answer(edition: number, request: Request): Promise<Response | undefined> {
    const closing = await readRecord(services.db, edition, 'cierre')
    if (!closing) return undefined
    const published = await publish(closing)
    const file =
      'file' in published ? await answerRecordFile(published.file, edition, closing.sello, request) : undefined
    if (file) return file
    // The copy was taken off the disk: it is fetched or made again for the next request.
    if ('file' in published) makings.delete(pathOf(closing))
    return new Response(NO_FILE_MESSAGES['file' in published ? 'pendiente' : published.falta], {
      status: 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '60' },
    })
  }

  return { publish, answer }
}

/** The published file for its reader's disk. @returns undefined when it is not there */
export const answerRecordFile = (file: string, edition: number, seal: string, request: Request) =>
  answerFile(file, request, {
    'content-type': CONTENT_TYPE,
    'content-disposition': `attachment; filename="acta-senorita-popularidad-${edition}.json"`,
    // A sealed act never changes.
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    etag: `"${seal}"`,
  })

/** @returns path of the copy; undefined: another process is writing the file */
async function keepCopy(services: Services, closing: RecordRow): Promise<string | undefined> {
  const { storage, settings } = services
  const path = pathOf(closing)
  const file = join(settings.dataDir, BUCKET, path)
  if (await stat(file).catch(() => undefined)) return file
  await makeFolder(dirname(file))
  const draft = `${file}.tmp`
  // A draft that a killed process left may share its bytes with the stored object: it is removed, never written over.
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

/** @returns SHA-256 of what was written, in hex; undefined: another process is writing it */
async function write(services: Services, closing: RecordRow, draft: string): Promise<string | undefined> {
  const { edicion, sello, contenido, firma } = closing
  if (hashText(contenido) !== sello || !isSealed(services, `cierre ${edicion} ${sello}`, firma))
    throw new NotAsSealedError('The act is not as it was sealed')
  // Names, ballots and annulments are read as of one moment of the database.
  return services.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ ours: boolean }>`
        select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.publicar}, ${closing.edicion}::int) as ours`.execute(tx)
      if (!rows[0]!.ours) return undefined
      const hash = createHash('sha256')
      const parts: string[] = []
      try {
        const lines = await recordLines({ ...services, db: tx }, edicion, (asked) =>
          writeBeside({ ...services, db: tx }, asked, draft, parts),
        )
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
      } finally {
        for (const part of parts) await rm(part, { force: true })
      }
    })
}

/** What is asked of whoever writes the links beside: as they are, with the places of names. */
interface Enlaces {
  edicion: number
  cajas: readonly Block[]
  nombres: string[]
  /** Whether the act says itself that votes were changed. */
  mayDiffer: boolean
}

/**
 * Writes the lines of a long chain in threads, as of the moment of this transaction.
 * @param parts is told the files before they are there, so that nothing is left of them
 * @returns the files in their order; none: whoever asked has to do it
 */
async function writeBeside(
  { db, hilos, log }: Services,
  { edicion, cajas, nombres, mayDiffer }: Enlaces,
  draft: string,
  parts: string[],
): Promise<string[]> {
  const stretches = hilos ? partsOf(cajas, hilos.desde) : []
  if (!hilos || stretches.length === 0) return []
  // Nothing is asked over this connection while the threads write.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
  const { rows } = await sql<{ moment: string }>`select pg_export_snapshot() as moment`.execute(db)
  const files = stretches.map((_, at) => `${draft}.${at}`)
  for (const file of files) await rm(file, { force: true })
  parts.push(...files)
  const answers = await runInThreads<{ cuadra: boolean }>(
    stretches.map((stretch, at) => ({
      ...{ que: 'escribir' as const, conexion: hilos.conexion, edicion, nombres, mayDiffer, ...stretch },
      moment: rows[0]!.moment,
      file: files[at]!,
      separator: at === 0 ? '\n' : ',\n',
    })),
  ).catch((error: unknown) => {
    log.warn({ err: error, edicion }, 'the act is written by the site itself')
    return undefined
  })
  if (answers?.some(({ cuadra }) => !cuadra)) throw new NotAsSealedError('The votes are not what the act sealed')
  return answers ? files : []
}

/**
 * The published file, line by line: one JSON document, and each of its lines by itself, so that ten million ballots are
 * neither held in memory here nor by whoever recounts them. It names no person, no address and no time of any ballot.
 * @param beside has the links written into files, where that is done beside
 * @returns pieces of it in their order; undefined while the act is not sealed
 * @throws NotAsSealedError, while the lines are read, when votes or annulments are not what the act sealed
 */
export async function recordLines(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
  beside?: (asked: Enlaces) => Promise<string[]>,
): Promise<AsyncGenerator<string | Buffer> | undefined> {
  const [opening, closing] = [await readRecord(db, edition, 'apertura'), await readRecord(db, edition, 'cierre')]
  if (!opening || !closing) return undefined
  const record = readClosingRecord(closing.contenido)
  const closingMoves = await db
    .selectFrom('actas')
    .select('contenido')
    .where('edicion', '=', edition)
    .where('clase', '=', 'cierre-movido')
    .orderBy('numero')
    .execute()
  return lines()

  async function* lines() {
    const names = await ballotNamesOf(db, record)
    const places = new Map(names.map((name, place) => [name, place]))
    // Both acts are written as they were sealed, to the letter.
    const key = publicKeyIn(opening!.contenido)
    const cover = [
      `"lectura":${JSON.stringify(readingGuideOf(record))}`,
      `"acta":${closing!.contenido}`,
      `"sello":${JSON.stringify(closing!.sello)}`,
      ...(key === undefined ? [] : [`"llave":${JSON.stringify(key)}`]),
      // A site that was restored without its secret has another key, and cannot sign for this one.
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
    let ultimo = GENESIS_SEAL
    const blocks = beside && record.minimo !== undefined ? await listBlocks(db, edition) : []
    const files = await beside?.({
      edicion: edition,
      cajas: blocks,
      nombres: names,
      mayDiffer: record.fallas.length > 0,
    })
    if (files && files.length > 0) {
      for (const file of files) yield* createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>
      ultimo = blocks.at(-1)!.sello
    } else
      for await (const { numero, anterior, sello, papeletas } of blocksOf(db, record)) {
        yield `${separator}${lineOf({ numero, anterior, sello }, papeletas, places)}`
        separator = ',\n'
        ultimo = sello
      }
    if (ultimo !== record.ultimoSello) throw new NotAsSealedError('The votes are not what the act sealed')
    yield '\n],\n"anuladas":['
    separator = '\n'
    const annulledOnes = await annulmentsOf(db, edition)
    const fingerprints = annulledOnes.map(({ recibos }) => hashText(recibos.join('\n')))
    if (fingerprints.join() !== record.anulaciones.map(({ huella }) => huella).join())
      throw new NotAsSealedError('The annulments are not what the act sealed')
    for (const { recibos } of annulledOnes) {
      yield `${separator}${JSON.stringify({ recibos })}`
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}

/** The names on the ballots: those of the act, and after them any other. */
async function ballotNamesOf(db: Database, record: ClosingRecord): Promise<string[]> {
  const said = [...record.candidatas, ...(record.retiradas ?? [])].flatMap(namesOf)
  // Where the act counts each ballot for somebody, none bears another name: all of them need not be read to know it.
  const counted = record.candidatas.reduce((sum, { votos }) => sum + votos, 0)
  if (record.fallas.length === 0 && record.minimo !== undefined && counted === record.papeletas)
    return [...new Set(said)]
  // Ballots may bear the name of somebody who is no candidate any more.
  const { rows } = await sql<{ nombre: string }>`
    select distinct coalesce(candidata, '') as nombre from banda_digital_votes
    where edicion = ${record.edicion} and lote > 0 order by 1`.execute(db)
  return [...new Set([...said, ...rows.map(({ nombre }) => nombre)])]
}

/** The links of a closed vote with their ballots: as they were closed while it was open; older acts made theirs at the end. */
async function* blocksOf(
  db: Database,
  { edicion, minimo, fallas }: ClosingRecord,
): AsyncGenerator<{ numero: number; anterior: string; sello: string; papeletas: Ballot[] }> {
  if (minimo === undefined) return yield* boxed(ballots(db, edicion))
  for await (const { caja, papeletas, sello } of await filledBlocks(db, edicion)) {
    // An act that says itself that votes were changed is published all the same: whoever counts it sees in which link.
    if (sello !== caja.sello && fallas.length === 0) throw new NotAsSealedError('The votes are not what the act sealed')
    yield { numero: caja.numero, anterior: caja.anterior, sello: caja.sello, papeletas }
  }
}
