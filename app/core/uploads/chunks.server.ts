import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import type { TempFile } from '#app/core/storage/temp-folders.server.ts'
import { CHUNK_BYTES } from './chunk-size.ts'
import type { UploadArea, UploadQuota } from './quota.server.ts'

/** Bucket of the chunks of uploads under way, most of which stay for a day at most. It is neither backed up nor served. */
const CHUNK_BUCKET = 'subidas'
const CHUNK_METADATA = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }
/** A request body of which nothing is read for this long is aborted. The upload resumes with a later request. */
export const ABORT_AFTER_SILENCE_MS = 60_000
/** After a silence of this length the bytes received so far are stored, so that a retry at another process finds them. */
const FLUSH_AFTER_SILENCE_MS = 1_000
/** Received bytes are stored at least this often, so that a sender on a slow line has little to send again. */
const FLUSH_INTERVAL_MS = 15_000

/** Thrown if bytes of an upload are missing. It has the `code` ENOENT, since callers treat it like a missing file. */
class LostChunkError extends Error {
  override name = 'LostChunkError'
  code = 'ENOENT'
}

/** Stores uploads under way as chunks in the object storage, so that every process can read and continue them. */
export function createChunkStore(
  { db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>,
  area: UploadArea,
  quota: UploadQuota,
  createTempFile: () => Promise<TempFile>,
) {
  const pathOf = (id: string, objectName: string) => `${area}/${id}/${objectName}`

  /** Extends an upload by a chunk. @returns false if the upload is gone or sealed, or does not end where the chunk begins */
  async function recordChunk(id: string, offset: number, bytes: number, objectName: string): Promise<boolean> {
    const { rows } = await sql`
      with extended as (
        update subidas set recibidos = recibidos + ${bytes}::bigint, oida_at = now()
        where id = ${id}::uuid and recibidos = ${offset}::bigint and sellada is null returning id, redes
      ), recorded as (
        insert into trozos (subida_id, desde, bytes, objeto)
        select id, ${offset}::bigint, ${bytes}::int, ${objectName}::uuid from extended
      ), counted as (${quota.byteCountSql(sql`extended`, bytes)})
      select id from extended`.execute(db)
    return rows.length > 0
  }

  /**
   * Stores a chunk under a unique name, then records it. If two chunks have the same offset, the chunk that is recorded first
   * counts.
   * @returns the upload's new length
   * @throws RefusalError subidaDesfasada if the chunk was not recorded; subidaAjena if the upload is gone
   */
  async function storeChunk(id: string, chunkFile: TempFile, offset: number): Promise<number> {
    const objectName = randomUUID()
    const { size } = chunkFile
    const sha256 = await chunkFile.close()
    await storage.putFile(CHUNK_BUCKET, pathOf(id, objectName), chunkFile.path, { ...CHUNK_METADATA, sha256 })
    // If `recordChunk` throws, the chunk may nevertheless have been recorded, so its object stays.
    if (await recordChunk(id, offset, size, objectName)) return offset + size
    await storage.remove(CHUNK_BUCKET, pathOf(id, objectName)).catch(() => {})
    const uploadRow = await db.selectFrom('subidas').select('id').where('id', '=', id).executeTakeFirst()
    throw uploadRow
      ? new RefusalError('subidaDesfasada', UPLOAD_MESSAGES.subidaDesfasada)
      : new RefusalError('subidaAjena', UPLOAD_MESSAGES.subidaAjena)
  }

  /**
   * Writes a body at `offset`, the upload's present length. Bytes that arrived before the connection broke are kept.
   * @returns the new length
   * @throws RefusalError subidaDesfasada if the body stalls, or another request was first or has sealed the file; subidaAjena if
   * the upload no longer exists; sinEspacio for a full disk; and the refusals of the quota
   */
  async function append(id: string, body: Readable, offset: number, maxSilenceMs: number): Promise<number> {
    const destroyStalled = () => body.destroy(new RefusalError('subidaDesfasada', UPLOAD_MESSAGES.subidaDesfasada))
    const silenceTimer = setTimeout(destroyStalled, maxSilenceMs)
    let storedLength = offset
    let chunkFile: TempFile | undefined
    let chunkStartMs = 0
    const flush = async () => {
      const finishedFile = chunkFile
      chunkFile = undefined
      if (!finishedFile) return
      try {
        if (finishedFile.size > 0) storedLength = await storeChunk(id, finishedFile, storedLength)
      } finally {
        await finishedFile.remove()
      }
    }
    const write = async (buffer: Uint8Array) => {
      for (let rest = buffer; rest.byteLength > 0; ) {
        if (!chunkFile) {
          await quota.reserveNext(id)
          chunkFile = await createTempFile()
          chunkStartMs = performance.now()
        }
        const roomBytes = CHUNK_BYTES - chunkFile.size
        await chunkFile.write(rest.subarray(0, roomBytes))
        rest = rest.subarray(roomBytes)
        if (chunkFile.size >= CHUNK_BYTES || performance.now() - chunkStartMs > FLUSH_INTERVAL_MS) await flush()
      }
    }
    const buffers = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    try {
      for (let pendingResult = buffers.next(); ; pendingResult = buffers.next()) {
        let result = chunkFile && (await nextBeforeFlush(pendingResult))
        if (!result) {
          await flush()
          result = await pendingResult
        }
        if (result.done) break
        await write(result.value)
        // The sender's silence is counted anew after each write.
        silenceTimer.refresh()
      }
      await flush()
      return storedLength
    } catch (error) {
      // The original error is reported, not an error of this flush.
      await flush().catch(() => {})
      throw asRefusalError(error) ?? error
    } finally {
      clearTimeout(silenceTimer)
      body.destroy()
      await chunkFile?.remove()
    }
  }

  return {
    append,

    /**
     * Joins an upload's chunks in a local temporary file.
     * @param work receives the file's path and its SHA-256, in hex
     * @throws LostChunkError if the upload or a part of its bytes is missing
     */
    async withWholeFile<T>(id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T> {
      const upload = await db.selectFrom('subidas').select('recibidos').where('id', '=', id).executeTakeFirst()
      const chunkRows = await db.selectFrom('trozos').selectAll().where('subida_id', '=', id).orderBy('desde').execute()
      const wholeFile = await createTempFile()
      const openChunk = (index: number) => {
        const chunkRow = chunkRows[index]
        const pendingBody = chunkRow && storage.get(CHUNK_BUCKET, pathOf(id, chunkRow.objeto))
        // The loop below awaits the body and throws its error. Until then, a rejection must not count as unhandled.
        pendingBody?.catch(() => {})
        return pendingBody
      }
      let nextBody = openChunk(0)
      try {
        for (const [index, { desde, bytes }] of chunkRows.entries()) {
          const body = await nextBody
          // The next chunk is requested while this one is read, since a remote storage answers slowly.
          nextBody = openChunk(index + 1)
          if (!body || wholeFile.size !== desde) {
            body?.destroy()
            throw new LostChunkError(`A chunk of the upload ${id} is missing`)
          }
          for await (const buffer of body) await wholeFile.write(buffer)
          if (wholeFile.size !== desde + bytes) throw new LostChunkError(`A chunk of the upload ${id} is incomplete`)
        }
        // The file may be longer than the row states, since the upload may have grown after the row was read.
        if (!upload || wholeFile.size < upload.recibidos) throw new LostChunkError(`The upload ${id} is missing`)
        return await work(wholeFile.path, await wholeFile.close())
      } finally {
        void nextBody?.then(
          (stream) => stream?.destroy(),
          () => {},
        )
        await wholeFile.remove()
      }
    },

    /** Removes the chunks of an upload whose row was deleted. Chunks that cannot be removed now are left to the sweep. */
    async remove(id: string) {
      try {
        for await (const path of storage.list(CHUNK_BUCKET, `${area}/${id}/`)) await storage.remove(CHUNK_BUCKET, path)
      } catch (error) {
        log.warn({ err: error }, 'chunks of an upload are left to the sweep')
      }
    },

    /** Removes chunks that belong to no upload. */
    async sweep() {
      const pathsById = new Map<string, string[]>()
      for await (const path of storage.list(CHUNK_BUCKET, `${area}/`)) {
        const id = path.split('/')[1]!
        pathsById.set(id, [...(pathsById.get(id) ?? []), path])
      }
      if (pathsById.size === 0) return
      // An upload's row is inserted before its first chunk and, once deleted, never again. So a chunk without a row has no
      // upload.
      const { rows } = await sql<{ id: string }>`
        select id::text from unnest(${[...pathsById.keys()]}::uuid[]) as found (id)
        where not exists (select from subidas s where s.id = found.id)`.execute(db)
      for (const { id } of rows) for (const path of pathsById.get(id)!) await storage.remove(CHUNK_BUCKET, path)
    },
  }
}

/** Returns the next result of a body's iterator, or undefined if it takes longer than FLUSH_AFTER_SILENCE_MS. */
async function nextBeforeFlush<T>(pendingResult: Promise<T>): Promise<T | undefined> {
  const controller = new AbortController()
  const silence = sleep(FLUSH_AFTER_SILENCE_MS, undefined, { signal: controller.signal }).catch(() => undefined)
  try {
    return await Promise.race([pendingResult, silence])
  } finally {
    controller.abort()
  }
}
