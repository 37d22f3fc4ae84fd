import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/platform/storage.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { boxed, hashText, PRINCIPIO } from './cadena.server.ts'
import { readActa } from './data.server.ts'
import { annulmentsOf, ballots } from './recuento.server.ts'
import { type Apertura, type CajaPublicada, type Cierre, LECTURA, type Portada } from './schema.ts'
import { isSealed } from './sello.server.ts'

const BUCKET = 'actas'
const CONTENT_TYPE = 'application/json; charset=utf-8'
const CACHE_SECONDS = 3600
/** Whose making failed, for votes that are not what was sealed or a storage that is away, is not made again before. */
const RETRY_MS = 60_000
/** Any number, the same in every process of this site: one of them writes the file. */
const WRITE_LOCK = 7_402_105

type Acta = Selectable<Tables['actas']>

/**
 * The published file, streamed from the storage: no request for it reads a vote.
 * @returns undefined while the act is not sealed
 */
export async function answerActa(services: Services, edicion: number, request: Request): Promise<Response | undefined> {
  const cierre = await readActa(services.db, edicion, 'cierre')
  if (!cierre) return undefined
  const etag = `"${cierre.sello}"`
  const headers = {
    'content-type': CONTENT_TYPE,
    'content-disposition': `attachment; filename="acta-senorita-popularidad-${edicion}.json"`,
    // Sealed: it never changes.
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    etag,
  }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return new Response(null, { status: 304, headers })
  const bytes = await publishActa(services, cierre)
  const body =
    bytes === undefined || request.method === 'HEAD' ? undefined : await services.storage.get(BUCKET, pathOf(cierre))
  if (bytes === undefined || (!body && request.method !== 'HEAD')) {
    // Taken out of the storage: made again for the next who asks.
    if (bytes !== undefined) makings.get(services.storage)?.delete(pathOf(cierre))
    return new Response('El archivo todavía no está listo. Inténtalo de nuevo en unos minutos.', {
      status: 503,
      headers: { 'cache-control': 'no-store', 'retry-after': '60' },
    })
  }
  return new Response(body ? (Readable.toWeb(body) as ReadableStream) : null, {
    headers: { ...headers, 'content-length': String(bytes) },
  })
}

/** By its seal: the file of another act, of a database that was set back, say, is another one. */
const pathOf = ({ edicion, sello }: Acta) => `${edicion}/${sello}.json`

interface Making {
  bytes: Promise<number | undefined>
  /** When it came to nothing. */
  failedMs: number
}
const makings = new WeakMap<ObjectStorage, Map<string, Making>>()

/**
 * Writes the published file of a sealed act into the storage, unless it is there: once, whoever asks. Whoever asks
 * meanwhile waits along.
 * @returns its size in bytes; undefined: another process is writing it, or it cannot be written now
 */
export function publishActa(services: Services, cierre: Acta): Promise<number | undefined> {
  const { storage, log } = services
  const here = makings.get(storage) ?? new Map<string, Making>()
  makings.set(storage, here)
  const path = pathOf(cierre)
  const before = here.get(path)
  if (before && performance.now() - before.failedMs < RETRY_MS) return before.bytes
  const making: Making = {
    failedMs: Number.POSITIVE_INFINITY,
    bytes: write(services, cierre).then(
      (bytes) => {
        if (bytes === undefined) here.delete(path)
        return bytes
      },
      (error: unknown) => {
        making.failedMs = performance.now()
        log.error({ err: error, edicion: cierre.edicion }, 'the act could not be published; it is tried again')
        return undefined
      },
    ),
  }
  here.set(path, making)
  return making.bytes
}

async function write(services: Services, cierre: Acta): Promise<number | undefined> {
  const { db, storage, settings } = services
  const path = pathOf(cierre)
  const size = async () => (await storage.head(BUCKET, path))?.size
  const there = await size()
  if (there !== undefined) return there
  // One moment of the database: names, ballots and annulments belong together.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ ours: boolean }>`
        select pg_try_advisory_xact_lock(${WRITE_LOCK}, ${cierre.edicion}::int) as ours`.execute(tx)
      if (!rows[0]!.ours) return undefined
      const meanwhile = await size()
      if (meanwhile !== undefined) return meanwhile
      if (!isSealed(services, `cierre ${cierre.edicion} ${cierre.sello}`, cierre.firma))
        throw new Error('The act is not as it was sealed')
      const file = join(settings.dataDir, `acta-${cierre.edicion}.tmp`)
      // What a killed process left may be the object by another name: it is taken away, never written over.
      await rm(file, { force: true })
      const handle = await open(file, 'wx', 0o600)
      try {
        const hash = createHash('sha256')
        const lines = await actaLines(tx, cierre.edicion)
        await handle.writeFile(
          (async function* () {
            for await (const line of lines!) {
              hash.update(line)
              yield line
            }
          })(),
        )
        const { size: bytes } = await handle.stat()
        await storage
          .putFile(BUCKET, path, file, {
            contentType: CONTENT_TYPE,
            cacheControlSeconds: CACHE_SECONDS,
            sha256: hash.digest('hex'),
          })
          .catch((error: unknown) => {
            if (!(error instanceof ObjectExistsError)) throw error
          })
        return bytes
      } finally {
        await handle.close()
        await rm(file, { force: true })
      }
    })
}

/**
 * The published file, line by line: one JSON document, and each of its lines by itself, so that ten million ballots are
 * neither held in memory here nor by whoever recounts them. It says no person, no address and no time of any ballot.
 * @returns undefined while the act is not sealed
 * @throws while it is read, when votes or annulments are not what the act sealed
 */
export async function actaLines(db: Database, edicion: number): Promise<AsyncGenerator<string> | undefined> {
  const [apertura, cierre] = [await readActa(db, edicion, 'apertura'), await readActa(db, edicion, 'cierre')]
  if (!apertura || !cierre) return undefined
  const acta = JSON.parse(cierre.contenido) as Cierre
  return lines()

  async function* lines() {
    // Ballots may name whoever is no candidate any more.
    const { rows: named } = await sql<{ nombre: string }>`
      select distinct coalesce(candidata, '') as nombre from banda_digital_votes
      where edicion = ${edicion} and lote > 0 order by 1`.execute(db)
    const nombres = [...new Set([...acta.candidatas, ...named].map(({ nombre }) => nombre))]
    const places = new Map(nombres.map((nombre, place) => [nombre, place]))
    const portada: Portada = {
      lectura: LECTURA,
      acta,
      sello: cierre!.sello,
      apertura: JSON.parse(apertura!.contenido) as Apertura,
      selloApertura: apertura!.sello,
      nombres,
    }
    yield `{"portada":${JSON.stringify(portada)},\n"cajas":[`
    let separator = '\n'
    let ultimo = PRINCIPIO
    for await (const { numero, anterior, sello, papeletas } of boxed(ballots(db, edicion))) {
      const caja: CajaPublicada = {
        numero,
        anterior,
        sello,
        papeletas: papeletas.map(({ recibo, candidata }) => `${recibo} ${places.get(candidata)}`),
      }
      yield `${separator}${JSON.stringify(caja)}`
      separator = ',\n'
      ultimo = sello
    }
    if (ultimo !== acta.ultimoSello) throw new Error('The votes are not what the act sealed')
    yield '\n],\n"anuladas":['
    separator = '\n'
    const anuladas = await annulmentsOf(db, edicion)
    const huellas = anuladas.map(({ recibos }) => hashText(recibos.join('\n')))
    if (huellas.join() !== acta.anulaciones.map(({ huella }) => huella).join())
      throw new Error('The annulments are not what the act sealed')
    for (const { recibos } of anuladas) {
      yield `${separator}${JSON.stringify({ recibos })}`
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}
