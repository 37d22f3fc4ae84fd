import { createHmac } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { CHUNK_BYTES } from './chunk-size.ts'
import { readDiskSpace } from './disk-space.server.ts'

/** The area that receives uploads, as rows and object paths name it. */
export type UploadArea = 'registros' | 'edicion'

/** Limits of one client's network, and of all clients together. */
export interface UploadLimits {
  /** All staged files together may have this many bytes. */
  maxStagedBytes: number
  /** The staged files of one client may have this many bytes. */
  maxStagedBytesPerClient: number
  /** One client may send this many bytes in a day. */
  maxDayBytes: number
  /** One client may begin this many uploads within WINDOW_SECONDS. */
  maxCreations: number
  /** One client may send this many forms within WINDOW_SECONDS. */
  maxSubmissions: number
  /** The space for an upload's next chunk stays reserved for this long without arriving bytes. */
  reservationMs: number
}

/** Beginnings of uploads and sent forms are counted within a window of this length, which begins with the first of them. */
const WINDOW_SECONDS = 600
/** A refused sender may retry after this time, since space becomes free as uploads are stored or removed. */
const SATURATED_RETRY_SECONDS = 60
const DAY_SECONDS = 86_400
/** PostgreSQL ends a session that stalls this long while it holds the lock for reservations. */
const STALL_TIMEOUT = '3s'
/**
 * Each upload with a live reservation, and each chunk in the count of a day, counts at least this many bytes, so that the limits
 * stop floods of tiny chunks.
 */
const MIN_CHARGE_BYTES = 64 * 1024
/**
 * Columns with sums of bytes: staged and reserved by all other uploads, staged by the other uploads of the sender's two
 * networks, and sent by each of the two networks within a day.
 */
type UsageColumn = 'staged_total' | 'reserved_total' | 'narrow_staged' | 'wide_staged' | 'narrow_sent' | 'wide_sent'

/**
 * At most this share of the available disk space, or one chunk, counts as reserved by one network, so that one network's uploads
 * do not keep out those of all others.
 */
const NETWORK_SHARE = 0.25
/** A /48 network may use this many times the limits of a client, since it may be a village as well as a single tenant. */
const WIDE_FACTOR = 4

/** Kinds of counts by network: beginnings of uploads, sent forms, and bytes. */
type CountKind = 'comienzo' | 'envio' | 'bytes'

interface CountedUpload {
  id: string
  /** Keyed hashes of the sender's networks, the narrowest first. */
  networkHashes: readonly string[]
  /** Announced size or, without it, the maximum size. */
  maxBytes: number
  receivedBytes: number
}

export interface UploadQuota {
  /** Counts a new upload. @throws RefusalError limite, with the seconds to wait */
  countCreation(client: string): Promise<void>
  /** Counts a sent form. @throws RefusalError limite, with the seconds to wait */
  countSubmission(client: string): Promise<void>
  /**
   * Checks the limits for the first chunk of a new upload, and runs `write`, which inserts the upload's row, before any other
   * new upload is checked. Space is reserved only once the upload has received bytes.
   * @throws RefusalError limite if this client uses too much, saturado if all clients together do, sinEspacio if the disk is down
   * to its reserve; and any error of `write`
   */
  reserve(
    newUpload: { id: string; client: string; maxBytes: number },
    write: (tx: Database, networkHashes: readonly string[]) => Promise<void>,
  ): Promise<void>
  /** Checks the limits for an upload's next chunk before it is written, and renews an expired reservation. @throws like `reserve` */
  reserveNext(id: string): Promise<void>
  /**
   * Returns SQL for the statement that records a chunk. It adds the chunk's bytes to the day's count of the sender's networks.
   * @param upload the table or CTE with the upload's row, whose column `redes` has the networks
   */
  byteCountSql(upload: RawBuilder<unknown>, bytes: number): RawBuilder<unknown>
  /** Returns the bytes that all uploads together count for: stored, reserved, or MIN_CHARGE_BYTES of a live reservation. */
  stagedBytes(): Promise<number>
  /** Deletes expired counts. */
  sweep(): Promise<void>
}

/**
 * Creates a quota that all processes share. Stored bytes are summed up from the uploads' rows, and the bytes that a network has
 * sent are counted under its keyed hash.
 * @param area area that receives the uploads
 * @param maxBytes maximum size of a file, for an upload that does not announce its size
 */
export function createQuota(
  { db, settings, keyed }: Pick<Services, 'db' | 'settings' | 'keyed'>,
  area: UploadArea,
  limits: UploadLimits,
  maxBytes: number,
): UploadQuota {
  const key = keyed('redes de subidas')
  const networkHashesOf = (client: string) =>
    networksOf(client).map((network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22))

  const localQueue = createKeyedQueue()
  const isLiveSql = sql<boolean>`(oida_at > now() - make_interval(secs => ${limits.reservationMs / 1000}::float8))`
  const reservedBytesSql = sql`(case when ${isLiveSql} and recibidos > 0 then least(${CHUNK_BYTES}::bigint, coalesce(bytes, ${maxBytes}::bigint) - recibidos) else 0 end)`
  const chargedBytesSql = sql`greatest(recibidos + ${reservedBytesSql}, case when ${isLiveSql} then ${MIN_CHARGE_BYTES}::bigint else 0 end)`

  /** Checks every limit for the next chunk of an upload. @throws RefusalError if the chunk would exceed a limit */
  async function assertWithinLimits(tx: Database, upload: CountedUpload) {
    const { id, networkHashes, receivedBytes } = upload
    const [narrowNetwork = '', wideNetwork = ''] = networkHashes
    const { availableBytes } = await readDiskSpace(settings.dataDir, settings.diskReserve)
    const networkShareBytes = Math.max(CHUNK_BYTES, Math.floor(availableBytes * NETWORK_SHARE))
    const { rows } = await sql<Record<UsageColumn, number>>`
      select coalesce(sum(${chargedBytesSql}), 0)::bigint as staged_total,
        (select coalesce(sum(least(reserved, ${networkShareBytes}::bigint)), 0)::bigint from (
          select sum(${reservedBytesSql}) as reserved from subidas where de = ${area} and id <> ${id}::uuid
          group by coalesce(redes[2], redes[1])) as by_network) as reserved_total,
        coalesce(sum(${chargedBytesSql}) filter (where redes[1] = ${narrowNetwork}), 0)::bigint as narrow_staged,
        coalesce(sum(${chargedBytesSql}) filter (where redes[2] = ${wideNetwork}), 0)::bigint as wide_staged,
        ${sentBytesSql(narrowNetwork)} as narrow_sent, ${sentBytesSql(wideNetwork)} as wide_sent
      from subidas where de = ${area} and id <> ${id}::uuid`.execute(tx)
    const {
      staged_total: stagedTotal,
      reserved_total: reservedTotal,
      narrow_staged: narrowStaged,
      wide_staged: wideStaged,
      narrow_sent: narrowSentInDay,
      wide_sent: wideSentInDay,
    } = rows[0]!
    const chunkBytes = Math.min(CHUNK_BYTES, upload.maxBytes - receivedBytes)
    const ownCharge = Math.max(receivedBytes + chunkBytes, MIN_CHARGE_BYTES)
    const usage = [
      [narrowStaged, narrowSentInDay],
      [wideStaged, wideSentInDay],
    ] as const
    for (const index of networkHashes.keys()) {
      const [staged, sent] = usage[index]!
      const factor = index === 0 ? 1 : WIDE_FACTOR
      if (staged + ownCharge > limits.maxStagedBytesPerClient * factor)
        throw new RefusalError('limite', UPLOAD_MESSAGES.limite, SATURATED_RETRY_SECONDS)
      if (sent + chunkBytes > limits.maxDayBytes * factor)
        throw new RefusalError('limite', UPLOAD_MESSAGES.limiteDelDia, WINDOW_SECONDS)
    }
    if (chunkBytes > availableBytes) throw new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio)
    // The chunks of all processes are on this disk only if it is the storage.
    const diskBytes = settings.storageUrl === undefined ? reservedTotal + chunkBytes : chunkBytes
    if (stagedTotal + ownCharge > limits.maxStagedBytes || diskBytes > availableBytes)
      throw new RefusalError('saturado', UPLOAD_MESSAGES.saturado, SATURATED_RETRY_SECONDS)
  }

  const sentBytesSql = (network: string) => sql`coalesce((select cuenta from llegadas_por_red
    where de = ${area} and red = ${network} and que = 'bytes' and desde > now() - make_interval(secs => ${DAY_SECONDS})), 0)`

  /** Counts within a window that begins with its first event. @throws RefusalError limite */
  async function countArrival(kind: CountKind, client: string, maxCount: number) {
    for (const [index, network] of networkHashesOf(client).entries()) {
      const isExpiredSql = sql`llegadas_por_red.desde <= now() - make_interval(secs => ${WINDOW_SECONDS})`
      const { rows } = await sql<{ cuenta: number; seconds: number }>`
        insert into llegadas_por_red (de, red, que, cuenta) values (${area}, ${network}, ${kind}, 1)
        on conflict (de, red, que) do update set
          cuenta = case when ${isExpiredSql} then 1 else llegadas_por_red.cuenta + 1 end,
          desde = case when ${isExpiredSql} then now() else llegadas_por_red.desde end
        returning cuenta,
          ceil(${WINDOW_SECONDS}::int - extract(epoch from now() - desde))::int as seconds`.execute(db)
      const { cuenta, seconds } = rows[0]!
      if (cuenta > maxCount * (index === 0 ? 1 : WIDE_FACTOR))
        throw new RefusalError('limite', UPLOAD_MESSAGES.limite, Math.max(1, seconds))
    }
  }

  return {
    countCreation: (client) => countArrival('comienzo', client, limits.maxCreations),
    countSubmission: (client) => countArrival('envio', client, limits.maxSubmissions),

    // Waiting for the lock takes a connection. The queue keeps each process from waiting with more than one.
    reserve: ({ id, client, maxBytes }, write) =>
      localQueue('', () =>
        db.transaction().execute(async (tx) => {
          // Counting and inserting are one critical section, since many concurrent uploads would otherwise all find space.
          await sql`select set_config('idle_in_transaction_session_timeout', ${STALL_TIMEOUT}, true)`.execute(tx)
          await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.reserveUpload})`.execute(tx)
          const networkHashes = networkHashesOf(client)
          await assertWithinLimits(tx, { id, networkHashes, maxBytes, receivedBytes: 0 })
          await write(tx, networkHashes)
        }),
      ),

    // The check does without the lock. At worst every upload under way exceeds the limit by one chunk.
    async reserveNext(id) {
      const upload = await db
        .selectFrom('subidas')
        .select(['redes', 'bytes', 'recibidos', isLiveSql.as('isLive')])
        .where('id', '=', id)
        .executeTakeFirst()
      // The upload has just been removed, so that writing to it fails by itself.
      if (!upload) return
      const { redes: networkHashes, bytes, recibidos: receivedBytes } = upload
      await assertWithinLimits(db, { id, networkHashes, maxBytes: bytes ?? maxBytes, receivedBytes })
      if (!upload.isLive) await db.updateTable('subidas').set({ oida_at: sql`now()` }).where('id', '=', id).execute()
    },

    byteCountSql(upload, bytes) {
      const isExpiredSql = sql`llegadas_por_red.desde <= now() - make_interval(secs => ${DAY_SECONDS})`
      return sql`insert into llegadas_por_red (de, red, que, cuenta)
        select ${area}, red, 'bytes', ${Math.max(bytes, MIN_CHARGE_BYTES)}::bigint from ${upload} as u, unnest(u.redes) as r (red) order by red
        on conflict (de, red, que) do update set
          cuenta = case when ${isExpiredSql} then excluded.cuenta else llegadas_por_red.cuenta + excluded.cuenta end,
          desde = case when ${isExpiredSql} then now() else llegadas_por_red.desde end`
    },

    async stagedBytes() {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(${chargedBytesSql}), 0)::bigint as bytes from subidas where de = ${area}`.execute(db)
      return rows[0]!.bytes
    },

    async sweep() {
      await sql`delete from llegadas_por_red
        where de = ${area} and desde < now() - make_interval(secs => ${DAY_SECONDS})`.execute(db)
    },
  }
}
