import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES as MESSAGES } from '#app/core/http/upload-refusals.ts'
import type { Draft } from '#app/core/storage/temp-folders.server.ts'
import { PIECE_BYTES } from './piece-size.ts'
import type { Quota } from './quota.server.ts'

/**
 * Chunks of uploads under way lie in this bucket, which is in no list of the site's objects, never served, and kept for a day at
 * most.
 */
const BUCKET = 'subidas'
const METADATA = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }
/** A body that brings no bytes for this long is cut; the upload resumes with a later request. */
export const IDLE_MS = 60_000
/** Received bytes are stored, for other processes to find, after this much silence. */
const QUIET_MS = 1_000
/** Received bytes are stored at least this often, so that a slow line has little to send again. */
const MAX_UNSTORED_MS = 15_000

/** Bytes of an upload are missing. The code is a missing file's. */
class LostChunkError extends Error {
  override name = 'LostChunkError'
  code = 'ENOENT'
}

/** Keeps the bytes of uploads under way as chunks in the storage, which any process reads and extends. */
export function createChunkStore(
  { db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>,
  area: 'registros' | 'edicion',
  quota: Quota,
  draft: () => Promise<Draft>,
) {
  const pathOf = (id: string, object: string) => `${area}/${id}/${object}`

  /** Extends an upload by a chunk, if the upload still ends where the chunk begins. */
  async function recordChunk(id: string, from: number, bytes: number, object: string): Promise<boolean> {
    const { rows } = await sql`
      with movida as (
        update subidas set recibidos = recibidos + ${bytes}::bigint, oida_at = now()
        where id = ${id}::uuid and recibidos = ${from}::bigint and sellada is null returning id, redes
      ), trozo as (
        insert into trozos (subida_id, desde, bytes, objeto)
        select id, ${from}::bigint, ${bytes}::int, ${object}::uuid from movida
      ), sumados as (${quota.countBytes(sql`movida`, bytes)})
      select id from movida`.execute(db)
    return rows.length > 0
  }

  /** Stores a chunk under a unique name, then records it: of two chunks for one place, the first to be recorded counts. */
  async function storeChunk(id: string, storedChunk: Draft, from: number): Promise<number> {
    const object = randomUUID()
    const { bytes } = storedChunk
    const sha256 = await storedChunk.close()
    await storage.putFile(BUCKET, pathOf(id, object), storedChunk.file, { ...METADATA, sha256 })
    // When the database's answer is lost, the chunk may be recorded: it stays until its upload is removed.
    if (await recordChunk(id, from, bytes, object)) return from + bytes
    await storage.remove(BUCKET, pathOf(id, object)).catch(() => {})
    const uploadRow = await db.selectFrom('subidas').select('id').where('id', '=', id).executeTakeFirst()
    throw uploadRow
      ? new RefusalError('subidaDesfasada', MESSAGES.subidaDesfasada)
      : new RefusalError('subidaAjena', MESSAGES.subidaAjena)
  }

  /**
   * Writes a body at `offset`, the upload's present length. Bytes that arrived before a broken connection stay, durable.
   * @returns the new length
   * @throws RefusalError subidaDesfasada when another request was first or the body stalls, subidaAjena when the upload is
   * gone, and the refusals of the quota
   */
  async function append(id: string, body: Readable, offset: number, idleMs: number): Promise<number> {
    const destroyStalled = () => body.destroy(new RefusalError('subidaDesfasada', MESSAGES.subidaDesfasada))
    const idleTimer = setTimeout(destroyStalled, idleMs)
    let at = offset
    let storedChunk: Draft | undefined
    let chunkStartMs = 0
    const flush = async () => {
      const done = storedChunk
      storedChunk = undefined
      if (!done) return
      try {
        if (done.bytes > 0) at = await storeChunk(id, done, at)
      } finally {
        await done.remove()
      }
    }
    const write = async (chunk: Uint8Array) => {
      for (let rest = chunk; rest.byteLength > 0; ) {
        if (!storedChunk) {
          await quota.hold(id)
          storedChunk = await draft()
          chunkStartMs = performance.now()
        }
        const room = PIECE_BYTES - storedChunk.bytes
        await storedChunk.write(rest.subarray(0, room))
        rest = rest.subarray(room)
        if (storedChunk.bytes >= PIECE_BYTES || performance.now() - chunkStartMs > MAX_UNSTORED_MS) await flush()
      }
    }
    const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    try {
      for (let next = chunks.next(); ; next = chunks.next()) {
        let item = storedChunk && (await nextWithinQuiet(next))
        if (!item) {
          await flush()
          item = await next
        }
        if (item.done) break
        await write(item.value)
        // A slow storage is not the sender's silence.
        idleTimer.refresh()
      }
      await flush()
      return at
    } catch (error) {
      // The first error is the one to report.
      await flush().catch(() => {})
      throw asRefusalError(error) ?? error
    } finally {
      clearTimeout(idleTimer)
      body.destroy()
      await storedChunk?.remove()
    }
  }

  return {
    append,

    /**
     * Puts an upload together in a temporary file of this machine.
     * @param work receives the file and its SHA-256, in hex
     * @throws with the code ENOENT when a chunk is missing
     */
    async withFile<T>(id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T> {
      const upload = await db.selectFrom('subidas').select('recibidos').where('id', '=', id).executeTakeFirst()
      const chunks = await db.selectFrom('trozos').selectAll().where('subida_id', '=', id).orderBy('desde').execute()
      const wholeFile = await draft()
      const open = (at: number) => {
        const storedChunk = chunks[at]
        const opened = storedChunk && storage.get(BUCKET, pathOf(id, storedChunk.objeto))
        // The error is reported when the chunk's turn comes.
        opened?.catch(() => {})
        return opened
      }
      let nextBody = open(0)
      try {
        for (const [at, { desde, bytes }] of chunks.entries()) {
          const body = await nextBody
          // The next chunk is requested while this one is read, since a remote storage takes its time to answer.
          nextBody = open(at + 1)
          if (!body || wholeFile.bytes !== desde) {
            body?.destroy()
            throw new LostChunkError(`A piece of the upload ${id} is gone`)
          }
          for await (const chunk of body) await wholeFile.write(chunk)
          if (wholeFile.bytes !== desde + bytes) throw new LostChunkError(`A piece of the upload ${id} is not whole`)
        }
        // More bytes may have come since the row was read.
        if (!upload || wholeFile.bytes < upload.recibidos) throw new LostChunkError(`The upload ${id} is gone`)
        return await work(wholeFile.file, await wholeFile.close())
      } finally {
        void nextBody?.then(
          (stream) => stream?.destroy(),
          () => {},
        )
        await wholeFile.remove()
      }
    },

    /** Removes the chunks of an upload whose row is gone. Chunks that cannot be removed now are left to the sweep. */
    async remove(id: string) {
      try {
        for await (const path of storage.list(BUCKET, `${area}/${id}/`)) await storage.remove(BUCKET, path)
      } catch (error) {
        log.warn({ err: error }, 'pieces of an upload are left to the sweep')
      }
    },

    /** Removes chunks that belong to no upload. */
    async sweep() {
      const found = new Map<string, string[]>()
      for await (const path of storage.list(BUCKET, `${area}/`)) {
        const id = path.split('/')[1]!
        found.set(id, [...(found.get(id) ?? []), path])
      }
      if (found.size === 0) return
      // An upload's row is older than its first chunk, and no row comes back.
      const { rows } = await sql<{ id: string }>`
        select id::text from unnest(${[...found.keys()]}::uuid[]) as f (id)
        where not exists (select from subidas s where s.id = f.id)`.execute(db)
      for (const { id } of rows) for (const path of found.get(id)!) await storage.remove(BUCKET, path)
    },
  }
}

/** Returns the next item; undefined if the item takes longer than QUIET_MS. */
async function nextWithinQuiet<T>(next: Promise<T>): Promise<T | undefined> {
  const patience = new AbortController()
  try {
    return await Promise.race([next, sleep(QUIET_MS, undefined, { signal: patience.signal }).catch(() => undefined)])
  } finally {
    patience.abort()
  }
}
