import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import { createLeases, type Leases } from '#app/core/db/lease.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { createTempFileFactory } from '#app/core/storage/temp-folders.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { ABORT_AFTER_SILENCE_MS, createChunkStore } from './chunks.server.ts'
import { createQuota, type UploadArea, type UploadLimits, type UploadQuota } from './quota.server.ts'

/** The sweep removes an upload that began this long ago, finished or not, by the database's clock or the site's. */
export const MAX_STAGED_MS = 24 * HOUR_MS
/** The sweep removes an upload without a single byte after this long. */
const MAX_EMPTY_MS = 15 * MINUTE_MS
/** The sweep keeps an incomplete upload whose last bytes arrived within this time. */
const ARRIVING_MS = 2 * ABORT_AFTER_SILENCE_MS

interface CommonUploadFields {
  id: string
  /** Name on the person's device, without control characters. */
  filename: string
  /** Announced size in bytes; null while a form without JavaScript is still sending the file. */
  size: number | null
  /** Milliseconds since 1970, by the clock of the machine that received the announcement. */
  createdAt: number
  /**
   * Checksum and type of a sealed file, which is not written to any more; null until the file is complete and its content
   * accepted.
   */
  sealed: { sha256: string; contentType: string } | null
}

/** A file on its way in. @typeParam Data the area's own fields */
export type StagedUploadOf<Data extends object> = CommonUploadFields & Data

export type ReceivedUploadOf<Data extends object> = StagedUploadOf<Data> & {
  /** Bytes received so far. */
  offset: number
}

export type NewUploadOf<Data extends object> = Data & {
  filename: string
  /** Size in bytes; null if the sender does not announce it, as a form without JavaScript. */
  size: number | null
}

/** Returns the key of a submission in the database. It is a hash, since a person who knows the UUID has access to the uploads. */
export const submissionKeyOf = (submissionId: string): string => createHash('sha256').update(submissionId).digest('hex')

/**
 * Holds received files that do not belong to an entry yet. Each has a row in `subidas`, and its bytes are chunks in the object
 * storage, so that any process can continue the upload. An upload is found only with the key of its submission.
 */
export interface StagingArea<Data extends object> {
  quota: UploadQuota
  /** Begins an upload. @throws RefusalError for a refused name, size or number of files, and the refusals of the quota */
  create(key: string, newUpload: NewUploadOf<Data>, client: string, id?: string): Promise<StagedUploadOf<Data>>
  find(key: string, id: string): Promise<ReceivedUploadOf<Data> | undefined>
  /** Lists the uploads of a submission, oldest first. */
  list(key: string): Promise<ReceivedUploadOf<Data>[]>
  /**
   * Writes a body at `offset`, the upload's present length. Bytes that arrived before the connection broke are kept.
   * @returns the new length
   * @throws RefusalError subidaDesfasada if the body stalls, or another request was first or has sealed the file; subidaAjena
   * without such an upload; sinEspacio for a full disk; and the refusals of the quota
   */
  append(key: string, id: string, body: Readable, offset: number): Promise<number>
  /** Completes a file of unknown size. */
  close(key: string, id: string): Promise<void>
  /**
   * Checks the content of a complete file by the area's rules, and closes the file to writing. Removes a refused file.
   * @throws RefusalError of the rules; documentoInvalido while bytes are missing; subidaAjena without such an upload
   * @throws OverloadedError if the file cannot be checked now; an error with the code ENOENT if received bytes are lost
   */
  seal(key: string, id: string): Promise<StagedUploadOf<Data>>
  /**
   * Joins an upload's chunks in a local temporary file while the work runs.
   * @param work receives the file's path and its SHA-256
   * @throws an error with the code ENOENT if the upload or a part of its bytes is missing
   */
  withWholeFile<T>(key: string, id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T>
  remove(key: string, id: string): Promise<void>
  removeAll(key: string): Promise<void>
  /**
   * Removes uploads that began more than MAX_STAGED_MS ago or, without a byte, MAX_EMPTY_MS ago; chunks that belong to no upload;
   * and expired counts and leases. Keeps uploads whose bytes are just arriving, uploads of the submissions in `keysToKeep`, and
   * uploads of submissions that a process is storing.
   * @param aheadMs time that is added to the present
   * @returns number of uploads removed
   */
  sweep(keysToKeep: ReadonlySet<string>, aheadMs?: number): Promise<number>
  /** Runs work under a key, as a submission's, one at a time across all processes. @throws `busyError` of the rules */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Runs work like `exclusively`, but does not wait. @returns undefined if other work is under way */
  ifFree: Leases['ifFree']
}

/** The rules of an area for the files that it takes. */
export interface StagingRules<Data extends object> {
  area: UploadArea
  limits: UploadLimits
  maxBytes: number
  /** Maximum number of files of one submission, including replaced files. */
  maxUploads: number
  /** A sender may be silent for this long; ABORT_AFTER_SILENCE_MS by default. */
  maxSilenceMs?: number | undefined
  /** Returns the error for work on a submission that waits too long. */
  busyError(): RefusalError
  /** Checks a name and a size. @returns the name to keep @throws RefusalError for a name or a size that is refused */
  checkedFileName(newUpload: NewUploadOf<Data>): string
  /**
   * Checks the content of a complete file.
   * @param queueKey the sender's network, or the submission if the network is unknown; the files of different keys take turns
   * @returns the file's type, or a RefusalError if the file is refused for good
   * @throws OverloadedError
   */
  checkedContent(
    file: string,
    unsealed: StagedUploadOf<Data> & { size: number },
    queueKey: string,
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
  const maxSilenceMs = rules.maxSilenceMs ?? ABORT_AFTER_SILENCE_MS
  const createTempFile = await createTempFileFactory(join(settings.dataDir, 'temporales'))
  const quota = createQuota(services, area, rules.limits, rules.maxBytes)
  const chunks = createChunkStore(services, area, quota, createTempFile)
  const leases = createLeases(db, rules.busyError)
  const leaseNameOf = (leaseKey: string) => `${area}:${leaseKey}`

  const toUpload = (row: Selectable<Tables['subidas']>): ReceivedUpload =>
    ({
      ...(row.datos as Data),
      id: row.id,
      filename: row.nombre_archivo,
      size: row.bytes,
      createdAt: row.orden,
      sealed: row.sellada as CommonUploadFields['sealed'],
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
    return row && toUpload(row)
  }

  async function removeRows(rowsToRemove: Pick<Selectable<Tables['subidas']>, 'id'>[]): Promise<number> {
    if (rowsToRemove.length === 0) return 0
    const ids = rowsToRemove.map(({ id }) => id)
    const deletedRows = await db.deleteFrom('subidas').where('id', 'in', ids).returning('id').execute()
    // Rows are deleted first, since the sweep removes chunks without a row.
    await Promise.all(deletedRows.map(({ id }) => chunks.remove(id)))
    return deletedRows.length
  }

  async function sealUpload(key: string, id: string): Promise<StagedUpload> {
    const upload = await find(key, id)
    if (upload === undefined) throw new RefusalError('subidaAjena', UPLOAD_MESSAGES.archivoPerdido)
    const { offset, ...withoutOffset } = upload
    const unsealedUpload = withoutOffset as unknown as StagedUpload
    if (unsealedUpload.sealed !== null) return unsealedUpload
    if (unsealedUpload.size === null || offset < unsealedUpload.size)
      throw new RefusalError('documentoInvalido', UPLOAD_MESSAGES.archivoIncompleto(unsealedUpload.filename))
    const queueKey = (await selectUpload(key, id).executeTakeFirst())?.redes?.[0] ?? key
    const sealOrRefusal = await chunks.withWholeFile(id, async (file, sha256) => {
      const contentType = await rules.checkedContent(file, { ...unsealedUpload, size: offset }, queueKey)
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
    if (numUpdatedRows === 0n) throw new RefusalError('subidaAjena', UPLOAD_MESSAGES.archivoPerdido)
    return { ...unsealedUpload, sealed: sealOrRefusal }
  }
  const sealQueue = createKeyedQueue()

  let latestCreatedAt = 0

  return {
    quota,
    find,

    async list(key) {
      return (await selectByKey(key).orderBy('orden').orderBy('id').execute()).map(toUpload)
    },

    async create(key, newUpload, client, id = randomUUID()) {
      // The moments of one process are unique and in the order of the calls, which shows which side of a voter card came first.
      latestCreatedAt = Math.max(Date.now(), latestCreatedAt + 1)
      const createdAt = latestCreatedAt
      const filename = rules.checkedFileName(newUpload)
      await quota.countCreation(client)
      const { filename: _, size, ...data } = newUpload
      await quota.reserve({ id, client, maxBytes: size ?? rules.maxBytes }, async (tx, networkHashes) => {
        const { rows } = await sql<{ uploads: number }>`
          select count(*)::int as uploads from subidas where de = ${area} and key = ${key}`.execute(tx)
        if (rows[0]!.uploads >= rules.maxUploads)
          throw new RefusalError('subidasDemasiadas', UPLOAD_MESSAGES.subidasDemasiadas)
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
      return { ...newUpload, id, filename, size, createdAt, sealed: null } as unknown as StagedUpload
    },

    async append(key, id, body, offset) {
      if (await selectUpload(key, id).executeTakeFirst()) return chunks.append(id, body, offset, maxSilenceMs)
      body.destroy()
      throw new RefusalError('subidaAjena', UPLOAD_MESSAGES.subidaAjena)
    },

    async close(key, id) {
      const closeQuery = db.updateTable('subidas').set({ bytes: sql`recibidos` })
      await closeQuery.where('de', '=', area).where('key', '=', key).where('id', '=', id).execute()
    },

    // In this process the queue seals a file for one request at a time, so that none reads a file that another is refusing.
    seal: (key, id) => sealQueue(`${key}/${id}`, () => sealUpload(key, id)),

    async withWholeFile(key, id, work) {
      await find(key, id)
      return chunks.withWholeFile(id, work)
    },

    async remove(key, id) {
      await removeRows(await selectUpload(key, id).execute())
    },

    async removeAll(key) {
      await removeRows(await selectByKey(key).execute())
    },

    async sweep(keysToKeep, aheadMs = 0) {
      const databaseTimeBefore = (ms: number) =>
        sql<Date>`now() + make_interval(secs => ${(aheadMs - ms) / 1000}::float8)`
      const expiredUploadsQuery = db
        .selectFrom('subidas')
        .select(['id', 'key'])
        .where('de', '=', area)
        .where((eb) =>
          eb.or([
            eb('creada_at', '<=', databaseTimeBefore(MAX_STAGED_MS)),
            eb('del_sitio_at', '<=', new Date(clock.now().getTime() + aheadMs - MAX_STAGED_MS)),
            // An announced upload without bytes is removed early. A sender that comes later begins anew.
            eb.and([eb('recibidos', '=', 0), eb('creada_at', '<=', databaseTimeBefore(MAX_EMPTY_MS))]),
          ]),
        )
        .where((eb) =>
          eb.or([
            eb('recibidos', '=', 0),
            eb('recibidos', '=', eb.ref('bytes')),
            eb('oida_at', 'is', null),
            eb('oida_at', '<=', sql<Date>`now() - make_interval(secs => ${ARRIVING_MS / 1000})`),
          ]),
        )
      let removedCount = 0
      for (const key of new Set((await expiredUploadsQuery.execute()).map((upload) => upload.key))) {
        if (keysToKeep.has(key)) continue
        // A process that is storing the submission holds the lease.
        const sweepResult = await leases.ifFree(leaseNameOf(key), async () =>
          removeRows(await expiredUploadsQuery.where('key', '=', key).execute()),
        )
        removedCount += sweepResult?.result ?? 0
      }
      await chunks.sweep()
      await quota.sweep()
      await db.deleteFrom('turnos').where('hasta', '<', sql<Date>`now() - interval '1 hour'`).execute()
      return removedCount
    },

    exclusively: (key, work) => leases.exclusively(leaseNameOf(key), work),
    ifFree: (key, work) => leases.ifFree(leaseNameOf(key), work),
  }
}
