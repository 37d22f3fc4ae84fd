import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Selectable, sql } from 'kysely'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { answerFile } from '#app/core/http/file-response.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { makeFolder } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError } from '#app/core/storage/object-store.server.ts'
import { ballots } from '#app/voting/chain/batch-reader.server.ts'
import { boxed, hashText } from '#app/voting/chain/block-seal.server.ts'
import { type Caja, filledCajas, lineOf, listCajas } from '#app/voting/chain/published-blocks.server.ts'
import { enHilos, partsOf } from '#app/voting/chain/threads.server.ts'
import { isSealed } from '#app/voting/election/seal-signature.server.ts'
import { type Papeleta, PRINCIPIO } from '#app/voting/record/block-seal.ts'
import { type Cierre, lecturaOf, namesOf, readCierre } from '#app/voting/record/schema.ts'
import { annulmentsOf } from './annulments.server.ts'
import { readActa } from './data.server.ts'
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
export type ActaSellada = Selectable<Tables['actas']>

/** The stored votes are not what the act sealed, so they are not published as the act's. */
class NoCuadra extends Error {
  override name = 'NoCuadra'
}
const SIN_ARCHIVO = {
  pendiente: 'El archivo todavía no está listo. Inténtalo de nuevo en unos minutos.',
  'no-cuadra':
    'El archivo no se puede publicar: los votos guardados ya no son los que el acta selló. Avisa al comité organizador.',
}
type Publicacion = { file: string } | { falta: keyof typeof SIN_ARCHIVO }

/** The path holds the act's seal: another act (of a database that was set back, say) has another file. */
const pathOf = ({ edicion, sello }: ActaSellada) => `${edicion}/${sello}.json`

interface Making {
  publicada: Promise<Publicacion>
  /** When it failed; Infinity while it has not. */
  failedMs: number
}

export interface Actas {
  /**
   * Writes the published file of a sealed act into the storage, unless it is there, and keeps a copy at hand. It is
   * done once; all who ask meanwhile wait for it. What keeps the file from being written is logged.
   */
  publish(cierre: ActaSellada): Promise<Publicacion>
  /**
   * The published file, from this process's own copy: no request for it reads a vote, or holds a connection to the storage.
   * @returns undefined while the act is not sealed
   */
  answer(edicion: number, request: Request): Promise<Response | undefined>
}

/** The published files of one process. */
export function createActas(services: Services): Actas {
  /** Files made or being made, by path. */
  const makings = new Map<string, Making>()

  function publish(cierre: ActaSellada): Promise<Publicacion> {
    const path = pathOf(cierre)
    const before = makings.get(path)
    if (before && performance.now() - before.failedMs < RETRY_MS) return before.publicada
    const making: Making = {
      failedMs: Number.POSITIVE_INFINITY,
      publicada: keepCopy(services, cierre).then(
        (file) => {
          if (file !== undefined) return { file }
          makings.delete(path)
          return { falta: 'pendiente' }
        },
        (error: unknown) => {
          making.failedMs = performance.now()
          services.log.error(
            { err: error, edicion: cierre.edicion },
            'the act could not be published; it is tried again',
          )
          return { falta: error instanceof NoCuadra ? 'no-cuadra' : 'pendiente' }
        },
      ),
    }
    makings.set(path, making)
    return making.publicada
  }

  async function answer(edicion: number, request: Request): Promise<Response | undefined> {
    const cierre = await readActa(services.db, edicion, 'cierre')
    if (!cierre) return undefined
    const publicada = await publish(cierre)
    const file = 'file' in publicada ? await answerActa(publicada.file, edicion, cierre.sello, request) : undefined
    if (file) return file
    // The copy was taken off the disk: it is fetched or made again for the next request.
    if ('file' in publicada) makings.delete(pathOf(cierre))
    return new Response(SIN_ARCHIVO['file' in publicada ? 'pendiente' : publicada.falta], {
      status: 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '60' },
    })
  }

  return { publish, answer }
}

/** The published file for its reader's disk. @returns undefined when it is not there */
export const answerActa = (file: string, edicion: number, sello: string, request: Request) =>
  answerFile(file, request, {
    'content-type': CONTENT_TYPE,
    'content-disposition': `attachment; filename="acta-senorita-popularidad-${edicion}.json"`,
    // A sealed act never changes.
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    etag: `"${sello}"`,
  })

/** @returns path of the copy; undefined: another process is writing the file */
async function keepCopy(services: Services, cierre: ActaSellada): Promise<string | undefined> {
  const { storage, settings } = services
  const path = pathOf(cierre)
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
      const sha256 = await write(services, cierre, draft)
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
async function write(services: Services, cierre: ActaSellada, draft: string): Promise<string | undefined> {
  const { edicion, sello, contenido, firma } = cierre
  if (hashText(contenido) !== sello || !isSealed(services, `cierre ${edicion} ${sello}`, firma))
    throw new NoCuadra('The act is not as it was sealed')
  // Names, ballots and annulments are read as of one moment of the database.
  return services.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ ours: boolean }>`
        select pg_try_advisory_xact_lock(${CANDADOS.publicar}, ${cierre.edicion}::int) as ours`.execute(tx)
      if (!rows[0]!.ours) return undefined
      const hash = createHash('sha256')
      const parts: string[] = []
      try {
        const lines = await actaLines({ ...services, db: tx }, edicion, (asked) =>
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
  cajas: readonly Caja[]
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
  const answers = await enHilos<{ cuadra: boolean }>(
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
  if (answers?.some(({ cuadra }) => !cuadra)) throw new NoCuadra('The votes are not what the act sealed')
  return answers ? files : []
}

/**
 * The published file, line by line: one JSON document, and each of its lines by itself, so that ten million ballots are
 * neither held in memory here nor by whoever recounts them. It names no person, no address and no time of any ballot.
 * @param beside has the links written into files, where that is done beside
 * @returns pieces of it in their order; undefined while the act is not sealed
 * @throws NoCuadra, while the lines are read, when votes or annulments are not what the act sealed
 */
export async function actaLines(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edicion: number,
  beside?: (asked: Enlaces) => Promise<string[]>,
): Promise<AsyncGenerator<string | Buffer> | undefined> {
  const [apertura, cierre] = [await readActa(db, edicion, 'apertura'), await readActa(db, edicion, 'cierre')]
  if (!apertura || !cierre) return undefined
  const acta = readCierre(cierre.contenido)
  const movidos = await db
    .selectFrom('actas')
    .select('contenido')
    .where('edicion', '=', edicion)
    .where('clase', '=', 'cierre-movido')
    .orderBy('numero')
    .execute()
  return lines()

  async function* lines() {
    const nombres = await nombresOf(db, acta)
    const places = new Map(nombres.map((nombre, place) => [nombre, place]))
    // Both acts are written as they were sealed, to the letter.
    const llave = publicKeyIn(apertura!.contenido)
    const portada = [
      `"lectura":${JSON.stringify(lecturaOf(acta))}`,
      `"acta":${cierre!.contenido}`,
      `"sello":${JSON.stringify(cierre!.sello)}`,
      ...(llave === undefined ? [] : [`"llave":${JSON.stringify(llave)}`]),
      // A site that was restored without its secret has another key, and cannot sign for this one.
      ...(llave === publicKeyOf({ keyed })
        ? [`"firma":${JSON.stringify(signAct({ keyed }, edicion, cierre!.sello))}`]
        : []),
      `"apertura":${apertura!.contenido}`,
      `"selloApertura":${JSON.stringify(apertura!.sello)}`,
      ...(movidos.length > 0 ? [`"movidos":[${movidos.map(({ contenido }) => contenido)}]`] : []),
      `"nombres":${JSON.stringify(nombres)}`,
    ]
    yield `{"portada":{${portada}},\n"cajas":[`
    let separator = '\n'
    let ultimo = PRINCIPIO
    const cajas = beside && acta.minimo !== undefined ? await listCajas(db, edicion) : []
    const files = await beside?.({ edicion, cajas, nombres, mayDiffer: acta.fallas.length > 0 })
    if (files && files.length > 0) {
      for (const file of files) yield* createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>
      ultimo = cajas.at(-1)!.sello
    } else
      for await (const { numero, anterior, sello, papeletas } of cajasOf(db, acta)) {
        yield `${separator}${lineOf({ numero, anterior, sello }, papeletas, places)}`
        separator = ',\n'
        ultimo = sello
      }
    if (ultimo !== acta.ultimoSello) throw new NoCuadra('The votes are not what the act sealed')
    yield '\n],\n"anuladas":['
    separator = '\n'
    const anuladas = await annulmentsOf(db, edicion)
    const huellas = anuladas.map(({ recibos }) => hashText(recibos.join('\n')))
    if (huellas.join() !== acta.anulaciones.map(({ huella }) => huella).join())
      throw new NoCuadra('The annulments are not what the act sealed')
    for (const { recibos } of anuladas) {
      yield `${separator}${JSON.stringify({ recibos })}`
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}

/** The names on the ballots: those of the act, and after them any other. */
async function nombresOf(db: Database, acta: Cierre): Promise<string[]> {
  const said = [...acta.candidatas, ...(acta.retiradas ?? [])].flatMap(namesOf)
  // Where the act counts each ballot for somebody, none bears another name: all of them need not be read to know it.
  const counted = acta.candidatas.reduce((sum, { votos }) => sum + votos, 0)
  if (acta.fallas.length === 0 && acta.minimo !== undefined && counted === acta.papeletas) return [...new Set(said)]
  // Ballots may bear the name of somebody who is no candidate any more.
  const { rows } = await sql<{ nombre: string }>`
    select distinct coalesce(candidata, '') as nombre from banda_digital_votes
    where edicion = ${acta.edicion} and lote > 0 order by 1`.execute(db)
  return [...new Set([...said, ...rows.map(({ nombre }) => nombre)])]
}

/** The links of a closed vote with their ballots: as they were closed while it was open; older acts made theirs at the end. */
async function* cajasOf(
  db: Database,
  { edicion, minimo, fallas }: Cierre,
): AsyncGenerator<{ numero: number; anterior: string; sello: string; papeletas: Papeleta[] }> {
  if (minimo === undefined) return yield* boxed(ballots(db, edicion))
  for await (const { caja, papeletas, sello } of await filledCajas(db, edicion)) {
    // An act that says itself that votes were changed is published all the same: whoever counts it sees in which link.
    if (sello !== caja.sello && fallas.length === 0) throw new NoCuadra('The votes are not what the act sealed')
    yield { numero: caja.numero, anterior: caja.anterior, sello: caja.sello, papeletas }
  }
}
