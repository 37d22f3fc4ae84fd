import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import { createLeases, type Leases } from '#app/core/db/lease.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES as MESSAGES } from '#app/core/http/upload-refusals.ts'
import { openTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { createChunkStore, IDLE_MS } from './chunks.server.ts'
import { createQuota, type Limits, type Quota } from './quota.server.ts'

/** An upload is removed this long after it began, by the database's clock or the site's, finished or not. */
export const STAGED_LIFE_MS = 24 * 3_600_000
/** An upload without a single byte is removed after this long. */
const EMPTY_LIFE_MS = 15 * 60_000
/** An upload is under way if bytes arrived within this time. */
const ARRIVING_MS = 2 * IDLE_MS

/** A card holds facts about any file on its way in. */
interface Card {
  id: string
  /** The name on the person's device, without control characters. */
  filename: string
  /** This many bytes were announced; null while a form without JavaScript is still sending the file. */
  size: number | null
  /** The time is in milliseconds since 1970, by the clock of the machine that received the announcement. */
  createdAt: number
  /** The seal is set once the file is whole and its content accepted; the file is not written to any more. */
  sealed: { sha256: string; contentType: string } | null
}

/** This is a file on its way in. @typeParam Data facts of its area */
export type StagedUploadOf<Data extends object> = Card & Data

export type ReceivedUploadOf<Data extends object> = StagedUploadOf<Data> & {
  /** This many bytes were received so far. */
  offset: number
}

export type NewUploadOf<Data extends object> = Data & {
  filename: string
  /** The size in bytes is null when the sender does not say (a form without JavaScript). */
  size: number | null
}

/** Returns the key of a submission in the database. The submission's UUID opens its uploads, so only this hash is stored. */
export const keyOf = (submission: string): string => createHash('sha256').update(submission).digest('hex')

/**
 * The area holds received files that no entry has taken yet: a row of `subidas` each, with its bytes as chunks in the storage, so
 * that any process can continue. A submission's uploads are found through its key only, so an id without the key opens nothing.
 */
export interface StagingArea<Data extends object> {
  quota: Quota
  /** Begins an upload. @throws RefusalError for a name, size or number of files that is refused */
  create(key: string, newOne: NewUploadOf<Data>, client: string, id?: string): Promise<StagedUploadOf<Data>>
  find(key: string, id: string): Promise<ReceivedUploadOf<Data> | undefined>
  /** Lists every upload of a submission, oldest first. */
  list(key: string): Promise<ReceivedUploadOf<Data>[]>
  /**
   * Writes a body at `offset`, the upload's present length. Bytes that arrived before a broken connection stay, durable.
   * @returns the new length
   * @throws RefusalError sinEspacio; subidaDesfasada when the body stalls, or another request was first; subidaAjena
   */
  append(key: string, id: string, body: Readable, offset: number): Promise<number>
  /** Ends a file of unknown size. */
  close(key: string, id: string): Promise<void>
  /**
   * Checks a whole file by its content, decoding pictures, and closes it to writing; a refused file is removed.
   * @throws RefusalError archivoTipo, archivoVacio or archivoIlegible; documentoInvalido while bytes are missing; saturado
   */
  seal(key: string, id: string): Promise<StagedUploadOf<Data>>
  /**
   * Puts a file together on this machine's disk, for as long as the work takes.
   * @param work receives the file's path, and its present SHA-256
   * @throws with the code ENOENT when the file is gone or incomplete
   */
  withFile<T>(key: string, id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T>
  remove(key: string, id: string): Promise<void>
  removeAll(key: string): Promise<void>
  /**
   * Removes uploads that began more than STAGED_LIFE_MS ago, except for the submissions in `keep`, submissions that some
   * process has in hand and uploads with bytes arriving just now; and chunks that belong to no upload.
   * @param ahead milliseconds added to the present time
   * @returns number of uploads removed
   */
  sweep(keysToKeep: ReadonlySet<string>, ahead?: number): Promise<number>
  /** Runs one piece of work at a time for a submission, across all processes. @throws the rules' busy error */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Runs work like `exclusively`, but does not wait. @returns undefined when other work is under way */
  ifFree: Leases['ifFree']
}

/** An area has these rules for the files that it takes. */
export interface StagingRules<Data extends object> {
  /** The rows carry the area under this name. */
  area: 'registros' | 'edicion'
  limits: Limits
  /** The largest file allowed has this many bytes. */
  maxBytes: number
  /** One submission may have this many files, replaced files included. */
  maxUploads: number
  idleMs?: number | undefined
  /** Makes the error for work on a submission that waits too long. */
  busyError(): RefusalError
  /** Checks a name and a size. @returns the name to keep @throws RefusalError for a name or a size that is refused */
  checkedFileName(newOne: NewUploadOf<Data>): string
  /**
   * Finds the type of a whole file by its content, or a RefusalError if the file is refused for good.
   * @param from the network whose files wait for one another, or the submission if the network is not known
   * @throws OverloadedError
   */
  checkedContent(
    file: string,
    unsealed: StagedUploadOf<Data> & { size: number },
    from: string,
  ): Promise<string | RefusalError>
}

/** Opens a staging area, once in a process. */
export async function openStagingArea<Data extends object>(
  services: Services,
  rules: StagingRules<Data>,
): Promise<StagingArea<Data>> {
  type StagedUpload = StagedUploadOf<Data>
  type ReceivedUpload = ReceivedUploadOf<Data>
  const { db, clock, settings } = services
  const { area } = rules
  const idleMs = rules.idleMs ?? IDLE_MS
  const draft = await openTempFolder(join(settings.dataDir, 'temporales'))
  const quota = createQuota(services, area, rules.limits, rules.maxBytes)
  const chunks = createChunkStore(services, area, quota, draft)
  const leases = createLeases(db, rules.busyError)
  const leaseNameOf = (leaseKey: string) => `${area}:${leaseKey}`

  const readRow = (row: Selectable<Tables['subidas']>): ReceivedUpload =>
    ({
      ...(row.datos as Data),
      id: row.id,
      filename: row.nombre_archivo,
      size: row.bytes,
      createdAt: row.orden,
      sealed: row.sellada as Card['sealed'],
      offset: row.recibidos,
    }) as ReceivedUpload

  const selectByKey = (key: string) => {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new Error('Not a submission key')
    return db.selectFrom('subidas').selectAll().where('de', '=', area).where('key', '=', key)
  }
  const selectUpload = (key: string, id: string) => {
    if (!isUuid(id)) throw new Error('Not an upload id')
    return selectByKey(key).where('id', '=', id)
  }

  async function find(key: string, id: string): Promise<ReceivedUpload | undefined> {
    const row = await selectUpload(key, id).executeTakeFirst()
    return row && readRow(row)
  }

  async function removeRows(rowsToRemove: Pick<Selectable<Tables['subidas']>, 'id'>[]): Promise<number> {
    if (rowsToRemove.length === 0) return 0
    const ids = rowsToRemove.map(({ id }) => id)
    const deletedRows = await db.deleteFrom('subidas').where('id', 'in', ids).returning('id').execute()
    // Rows are deleted first: a chunk without a row is left to the sweep.
    await Promise.all(deletedRows.map(({ id }) => chunks.remove(id)))
    return deletedRows.length
  }

  async function sealOne(key: string, id: string): Promise<StagedUpload> {
    const upload = await find(key, id)
    if (upload === undefined) throw new RefusalError('subidaAjena', MESSAGES.archivoPerdido)
    const { offset, ...card } = upload
    const unsealed = card as unknown as StagedUpload
    if (unsealed.sealed !== null) return unsealed
    if (unsealed.size === null || offset < unsealed.size)
      throw new RefusalError('documentoInvalido', MESSAGES.archivoIncompleto(unsealed.filename))
    const from = (await selectUpload(key, id).executeTakeFirst())?.redes?.[0] ?? key
    const sealOrRefusal = await chunks.withFile(id, async (file, sha256) => {
      const contentType = await rules.checkedContent(file, { ...unsealed, size: offset }, from)
      return contentType instanceof RefusalError ? contentType : { sha256, contentType }
    })
    if (sealOrRefusal instanceof RefusalError) {
      await removeRows([{ id }])
      throw sealOrRefusal
    }
    const { numUpdatedRows } = await db
      .updateTable('subidas')
      .set({ sellada: JSON.stringify(sealOrRefusal) })
      .where('id', '=', id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new RefusalError('subidaAjena', MESSAGES.archivoPerdido)
    return { ...unsealed, sealed: sealOrRefusal }
  }
  const sealing = createKeyedQueue()

  let latestCreatedAt = 0

  return {
    quota,
    find,

    async list(key) {
      return (await selectByKey(key).orderBy('orden').orderBy('id').execute()).map(readRow)
    },

    async create(key, newOne, client, id = randomUUID()) {
      // The time is unique and in the order of asking within this process: it tells which side of the voter card came first.
      latestCreatedAt = Math.max(Date.now(), latestCreatedAt + 1)
      const createdAt = latestCreatedAt
      const filename = rules.checkedFileName(newOne)
      await quota.countCreation(client)
      const { filename: _, size, ...data } = newOne
      await quota.reserve({ id, client, size: size ?? rules.maxBytes }, async (tx, networkHashes) => {
        const { rows } = await sql<{ hay: number }>`
          select count(*)::int as hay from subidas where de = ${area} and key = ${key}`.execute(tx)
        if (rows[0]!.hay >= rules.maxUploads) throw new RefusalError('subidasDemasiadas', MESSAGES.subidasDemasiadas)
        await tx
          .insertInto('subidas')
          .values({
            id,
            de: area,
            key,
            nombre_archivo: filename,
            datos: JSON.stringify(data),
            bytes: size,
            orden: createdAt,
            redes: [...networkHashes],
            oida_at: sql<Date>`now()`,
            del_sitio_at: clock.now(),
            sellada: null,
          })
          .execute()
      })
      return { ...newOne, id, filename, size, createdAt, sealed: null } as unknown as StagedUpload
    },

    async append(key, id, body, offset) {
      if (await selectUpload(key, id).executeTakeFirst()) return chunks.append(id, body, offset, idleMs)
      body.destroy()
      throw new RefusalError('subidaAjena', MESSAGES.subidaAjena)
    },

    async close(key, id) {
      const closedUpload = db.updateTable('subidas').set({ bytes: sql`recibidos` })
      await closedUpload.where('de', '=', area).where('key', '=', key).where('id', '=', id).execute()
    },

    // One seal at a time runs for a file, so that no request looks at a file that another request is just refusing.
    seal: (key, id) => sealing(`${key}/${id}`, () => sealOne(key, id)),

    async withFile(key, id, work) {
      await find(key, id)
      return chunks.withFile(id, work)
    },

    async remove(key, id) {
      await removeRows(await selectUpload(key, id).execute())
    },

    async removeAll(key) {
      await removeRows(await selectByKey(key).execute())
    },

    async sweep(keysToKeep, ahead = 0) {
      const databaseTimeBefore = (ms: number) =>
        sql<Date>`now() + make_interval(secs => ${(ahead - ms) / 1000}::float8)`
      const expired = db
        .selectFrom('subidas')
        .select(['id', 'key'])
        .where('de', '=', area)
        .where((is) =>
          is.or([
            is('creada_at', '<=', databaseTimeBefore(STAGED_LIFE_MS)),
            is('del_sitio_at', '<=', new Date(clock.now().getTime() + ahead - STAGED_LIFE_MS)),
            // An announcement without bytes is removed early: a sender that comes after all begins anew.
            is.and([is('recibidos', '=', 0), is('creada_at', '<=', databaseTimeBefore(EMPTY_LIFE_MS))]),
          ]),
        )
        .where((is) =>
          is.or([
            is('recibidos', '=', 0),
            is('recibidos', '=', is.ref('bytes')),
            is('oida_at', 'is', null),
            is('oida_at', '<=', sql<Date>`now() - make_interval(secs => ${ARRIVING_MS / 1000})`),
          ]),
        )
      let removed = 0
      for (const key of new Set((await expired.execute()).map((one) => one.key))) {
        if (keysToKeep.has(key)) continue
        // Nothing is removed while a process is storing the submission.
        const sweepResult = await leases.ifFree(leaseNameOf(key), async () =>
          removeRows(await expired.where('key', '=', key).execute()),
        )
        removed += sweepResult?.result ?? 0
      }
      await chunks.sweep()
      await quota.sweep()
      await db.deleteFrom('turnos').where('hasta', '<', sql<Date>`now() - interval '1 hour'`).execute()
      return removed
    },

    exclusively: (key, work) => leases.exclusively(leaseNameOf(key), work),
    ifFree: (key, work) => leases.ifFree(leaseNameOf(key), work),
  }
}
