import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES as MESSAGES } from '#app/core/http/upload-refusals.ts'
import type { TempFile } from '#app/core/storage/temp-folders.server.ts'
import { CHUNK_BYTES } from './chunk-size.ts'
import type { Quota, UploadArea } from './quota.server.ts'

/** Holds the chunks of uploads under way, for a day at most. Backups leave the bucket out, and nothing in it is served. */
const BUCKET = 'subidas'
const METADATA = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }
/** A body that brings no bytes for this long is aborted; the upload resumes with a later request. */
export const ABORT_AFTER_SILENCE_MS = 60_000
/** After this much silence the bytes received so far are stored, so that a retry at another process finds them. */
const FLUSH_AFTER_SILENCE_MS = 1_000
/** Received bytes are stored at least this often, so that a slow line has little to send again. */
const FLUSH_INTERVAL_MS = 15_000

/** Bytes of an upload are missing. It has the `code` ENOENT, since callers treat it like a missing file. */
class LostChunkError extends Error {
  override name = 'LostChunkError'
  code = 'ENOENT'
}

/** Keeps uploads under way as chunks in the object storage, so that every process can read and continue them. */
export function createChunkStore(
  { db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>,
  area: UploadArea,
  quota: Quota,
  createTempFile: () => Promise<TempFile>,
) {
  const pathOf = (id: string, object: string) => `${area}/${id}/${object}`

  /** Extends an upload by a chunk, if the upload still ends where the chunk begins. */
  async function recordChunk(id: string, from: number, bytes: number, object: string): Promise<boolean> {
    const { rows } = await sql`
      with extended as (
        update subidas set recibidos = recibidos + ${bytes}::bigint, oida_at = now()
        where id = ${id}::uuid and recibidos = ${from}::bigint and sellada is null returning id, redes
      ), recorded as (
        insert into trozos (subida_id, desde, bytes, objeto)
        select id, ${from}::bigint, ${bytes}::int, ${object}::uuid from extended
      ), counted as (${quota.countBytes(sql`extended`, bytes)})
      select id from extended`.execute(db)
    return rows.length > 0
  }

  /** Stores a chunk under a unique name, then records it: of two chunks with the same offset, the first to be recorded counts. */
  async function storeChunk(id: string, chunkFile: TempFile, from: number): Promise<number> {
    const object = randomUUID()
    const { bytes } = chunkFile
    const sha256 = await chunkFile.close()
    await storage.putFile(BUCKET, pathOf(id, object), chunkFile.file, { ...METADATA, sha256 })
    // If the database's answer is lost, the chunk may have been recorded, so its object is not removed then.
    if (await recordChunk(id, from, bytes, object)) return from + bytes
    await storage.remove(BUCKET, pathOf(id, object)).catch(() => {})
    const uploadRow = await db.selectFrom('subidas').select('id').where('id', '=', id).executeTakeFirst()
    throw uploadRow
      ? new RefusalError('subidaDesfasada', MESSAGES.subidaDesfasada)
      : new RefusalError('subidaAjena', MESSAGES.subidaAjena)
  }

  /**
   * Writes a body at `offset`, the upload's present length. Bytes that arrived before the connection broke are kept.
   * @returns the new length
   * @throws RefusalError subidaDesfasada when another request was first or the body stalls, subidaAjena when the upload no longer
   * exists, and the refusals of the quota
   */
  async function append(id: string, body: Readable, offset: number, maxSilenceMs: number): Promise<number> {
    const destroyStalled = () => body.destroy(new RefusalError('subidaDesfasada', MESSAGES.subidaDesfasada))
    const silenceTimer = setTimeout(destroyStalled, maxSilenceMs)
    let storedLength = offset
    let chunkFile: TempFile | undefined
    let chunkStartMs = 0
    const flush = async () => {
      const finishedFile = chunkFile
      chunkFile = undefined
      if (!finishedFile) return
      try {
        if (finishedFile.bytes > 0) storedLength = await storeChunk(id, finishedFile, storedLength)
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
        const roomBytes = CHUNK_BYTES - chunkFile.bytes
        await chunkFile.write(rest.subarray(0, roomBytes))
        rest = rest.subarray(roomBytes)
        if (chunkFile.bytes >= CHUNK_BYTES || performance.now() - chunkStartMs > FLUSH_INTERVAL_MS) await flush()
      }
    }
    const buffers = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    try {
      for (let next = buffers.next(); ; next = buffers.next()) {
        let item = chunkFile && (await nextBeforeFlush(next))
        if (!item) {
          await flush()
          item = await next
        }
        if (item.done) break
        await write(item.value)
        // The time that the storage took does not count as the sender's silence.
        silenceTimer.refresh()
      }
      await flush()
      return storedLength
    } catch (error) {
      // The first error is reported, not an error of this flush.
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
     * @param work receives the file and its SHA-256, in hex
     * @throws with the code ENOENT when a chunk is missing
     */
    async withWholeFile<T>(id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T> {
      const upload = await db.selectFrom('subidas').select('recibidos').where('id', '=', id).executeTakeFirst()
      const chunkRows = await db.selectFrom('trozos').selectAll().where('subida_id', '=', id).orderBy('desde').execute()
      const wholeFile = await createTempFile()
      const open = (index: number) => {
        const chunkRow = chunkRows[index]
        const opening = chunkRow && storage.get(BUCKET, pathOf(id, chunkRow.objeto))
        // The loop below awaits the body and throws its error; until then a rejection must not count as unhandled.
        opening?.catch(() => {})
        return opening
      }
      let nextBody = open(0)
      try {
        for (const [index, { desde, bytes }] of chunkRows.entries()) {
          const body = await nextBody
          // The next chunk is requested while this one is read, since a remote storage takes its time to answer.
          nextBody = open(index + 1)
          if (!body || wholeFile.bytes !== desde) {
            body?.destroy()
            throw new LostChunkError(`A chunk of the upload ${id} is missing`)
          }
          for await (const buffer of body) await wholeFile.write(buffer)
          if (wholeFile.bytes !== desde + bytes) throw new LostChunkError(`A chunk of the upload ${id} is incomplete`)
        }
        // The file may be longer than the row says, since the upload may have grown after the row was read.
        if (!upload || wholeFile.bytes < upload.recibidos) throw new LostChunkError(`The upload ${id} is missing`)
        return await work(wholeFile.file, await wholeFile.close())
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
        for await (const path of storage.list(BUCKET, `${area}/${id}/`)) await storage.remove(BUCKET, path)
      } catch (error) {
        log.warn({ err: error }, 'chunks of an upload are left to the sweep')
      }
    },

    /** Removes chunks that belong to no upload. */
    async sweep() {
      const pathsById = new Map<string, string[]>()
      for await (const path of storage.list(BUCKET, `${area}/`)) {
        const id = path.split('/')[1]!
        pathsById.set(id, [...(pathsById.get(id) ?? []), path])
      }
      if (pathsById.size === 0) return
      // An upload's row exists before its first chunk and is never created again, so a chunk without a row belongs to no upload.
      const { rows } = await sql<{ id: string }>`
        select id::text from unnest(${[...pathsById.keys()]}::uuid[]) as f (id)
        where not exists (select from subidas s where s.id = f.id)`.execute(db)
      for (const { id } of rows) for (const path of pathsById.get(id)!) await storage.remove(BUCKET, path)
    },
  }
}

/** Returns the next item; undefined if the item takes longer than FLUSH_AFTER_SILENCE_MS. */
async function nextBeforeFlush<T>(next: Promise<T>): Promise<T | undefined> {
  const controller = new AbortController()
  const silence = sleep(FLUSH_AFTER_SILENCE_MS, undefined, { signal: controller.signal }).catch(() => undefined)
  try {
    return await Promise.race([next, silence])
  } finally {
    controller.abort()
  }
}
