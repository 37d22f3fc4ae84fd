import { createHmac } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES as MESSAGES } from '#app/core/http/upload-refusals.ts'
import { readDiskSpace } from './disk-space.server.ts'
import { PIECE_BYTES } from './piece-size.ts'

/** These are the limits of one client's network, and of all clients together. */
export interface Limits {
  /** All staged files may have this many bytes. */
  maxStagedBytes: number
  /** The staged files of one client may have this many bytes. */
  maxStagedBytesPerClient: number
  /** One client may send this many bytes in a day. */
  maxDayBytes: number
  /** One client may begin this many uploads within WINDOW_SECONDS. */
  maxCreations: number
  /** One client may send this many forms within WINDOW_SECONDS. */
  maxSubmissions: number
  /** An upload keeps the space of its next chunk for this long while no bytes arrive, in milliseconds. */
  reservationMs: number
}

const WINDOW_SECONDS = 600
/** A refused sender is told to retry after this many seconds, since space becomes free as registrations go through. */
const SATURATED_RETRY_SECONDS = 60
const DAY_SECONDS = 86_400
const STALL_LIMIT = '3s'
/** The least that an upload counts, and that any chunk counts of a day, so that a flood of tiny chunks meets the limits, too. */
const MIN_CHARGE_BYTES = 64 * 1024
/** One statement sums up these bytes: of all uploads, of both networks of the sender, and of both within a day. */
type Usage = 'staged_total' | 'reserved_total' | 'narrow_staged' | 'wide_staged' | 'narrow_sent' | 'wide_sent'

/** Uploads of one network may reserve this share of the available disk space. */
const NETWORK_SHARE = 0.25
/** The network around a client's may use this many times the limit: a /48 may be a village, or one tenant. */
const WIDE_TIMES = 4

type CountKind = 'comienzo' | 'envio' | 'bytes'

interface CountedUpload {
  id: string
  /** These are keyed hashes of the sender's networks, the narrowest first. */
  networkHashes: readonly string[]
  /** The announced size in bytes, or the most that the upload may have. */
  size: number
  received: number
}

export interface Quota {
  /** Counts a begun upload. @throws RefusalError limite, with the seconds to wait */
  countCreation(client: string): Promise<void>
  /** Counts a sent form. @throws RefusalError limite, with the seconds to wait */
  countSubmission(client: string): Promise<void>
  /**
   * Reserves the first chunk of a new upload, then runs `write`, which inserts its row, before any other reservation.
   * @throws RefusalError limite when this client holds too much, saturado when all clients together do, sinEspacio when the
   * disk is down to its reserve; and any error of `write`
   */
  reserve(
    newOne: { id: string; client: string; size: number },
    write: (tx: Database, networkHashes: readonly string[]) => Promise<void>,
  ): Promise<void>
  /** Reserves the next chunk before it is written. @throws as `reserve` does */
  hold(id: string): Promise<void>
  /**
   * Returns the part of the statement that records a chunk: it adds the chunk's bytes to the day of the networks in `moved`
   * (column redes).
   */
  countBytes(moved: RawBuilder<unknown>, bytes: number): RawBuilder<unknown>
  /** Sums up the bytes that are stored or reserved. */
  stagedBytes(): Promise<number>
  /** Deletes expired counts. */
  sweep(): Promise<void>
}

/**
 * Creates a quota over all processes: stored bytes are summed up from the rows of the uploads, bytes sent by each network are
 * counted under keyed hashes.
 * @param area the area that receives the uploads
 * @param maxBytes size of the largest file, for an upload that does not announce its size
 */
export function createQuota(
  { db, settings, keyed }: Pick<Services, 'db' | 'settings' | 'keyed'>,
  area: 'registros' | 'edicion',
  limits: Limits,
  maxBytes: number,
): Quota {
  const key = keyed('redes de subidas')
  const networkHashesOf = (client: string) =>
    networksOf(client).map((network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22))

  const localQueue = createKeyedQueue()
  const isLive = sql<boolean>`(oida_at > now() - make_interval(secs => ${limits.reservationMs / 1000}::float8))`
  // An upload without received bytes reserves nothing.
  const reservedBytes = sql`(case when ${isLive} and recibidos > 0 then least(${PIECE_BYTES}::bigint, coalesce(bytes, ${maxBytes}::bigint) - recibidos) else 0 end)`
  const chargedBytes = sql`greatest(recibidos + ${reservedBytes}, case when ${isLive} then ${MIN_CHARGE_BYTES}::bigint else 0 end)`

  /** Checks every limit for an upload with its next chunk. @throws RefusalError when the two would be too much */
  async function admit(on: Database, { id, networkHashes, size, received }: CountedUpload) {
    const [narrow = '', wide = ''] = networkHashes
    const { availableBytes } = await readDiskSpace(settings.dataDir, settings.diskReserve)
    // All uploads of a network together reserve at most this share of the available space.
    const networkShareBytes = Math.max(PIECE_BYTES, Math.floor(availableBytes * NETWORK_SHARE))
    const { rows } = await sql<Record<Usage, number>>`
      select coalesce(sum(${chargedBytes}), 0)::bigint as staged_total,
        (select coalesce(sum(least(reserved, ${networkShareBytes}::bigint)), 0)::bigint from (
          select sum(${reservedBytes}) as reserved from subidas where de = ${area} and id <> ${id}::uuid
          group by coalesce(redes[2], redes[1])) as by_network) as reserved_total,
        coalesce(sum(${chargedBytes}) filter (where redes[1] = ${narrow}), 0)::bigint as narrow_staged,
        coalesce(sum(${chargedBytes}) filter (where redes[2] = ${wide}), 0)::bigint as wide_staged,
        ${bytesOf(narrow)} as narrow_sent, ${bytesOf(wide)} as wide_sent
      from subidas where de = ${area} and id <> ${id}::uuid`.execute(on)
    const {
      staged_total: stagedTotal,
      reserved_total: reservedTotal,
      narrow_staged: narrowStaged,
      wide_staged: wideStaged,
      narrow_sent: narrowSentInDay,
      wide_sent: wideSentInDay,
    } = rows[0]!
    const chunkBytes = Math.min(PIECE_BYTES, size - received)
    const ownCharge = Math.max(received + chunkBytes, MIN_CHARGE_BYTES)
    const usage = [
      [narrowStaged, narrowSentInDay],
      [wideStaged, wideSentInDay],
    ] as const
    for (const at of networkHashes.keys()) {
      const [held, sent] = usage[at]!
      const times = at === 0 ? 1 : WIDE_TIMES
      if (held + ownCharge > limits.maxStagedBytesPerClient * times)
        throw new RefusalError('limite', MESSAGES.limite, SATURATED_RETRY_SECONDS)
      if (sent + chunkBytes > limits.maxDayBytes * times)
        throw new RefusalError('limite', MESSAGES.limiteDelDia, WINDOW_SECONDS)
    }
    if (chunkBytes > availableBytes) throw new RefusalError('sinEspacio', MESSAGES.sinEspacio)
    // Chunks of all processes lie on this disk only where it is the storage.
    const diskBytes = settings.storageUrl === undefined ? reservedTotal + chunkBytes : chunkBytes
    if (stagedTotal + ownCharge > limits.maxStagedBytes || diskBytes > availableBytes)
      throw new RefusalError('saturado', MESSAGES.saturado, SATURATED_RETRY_SECONDS)
  }

  const bytesOf = (network: string) => sql`coalesce((select cuenta from llegadas_por_red
    where de = ${area} and red = ${network} and que = 'bytes' and desde > now() - make_interval(secs => ${DAY_SECONDS})), 0)`

  /** Counts within a window that begins with its first event. @throws RefusalError limite */
  async function count(kind: CountKind, client: string, maxCount: number) {
    for (const [at, network] of networkHashesOf(client).entries()) {
      const isExpired = sql`llegadas_por_red.desde <= now() - make_interval(secs => ${WINDOW_SECONDS})`
      const { rows } = await sql<{ cuenta: number; seconds: number }>`
        insert into llegadas_por_red (de, red, que, cuenta) values (${area}, ${network}, ${kind}, 1)
        on conflict (de, red, que) do update set
          cuenta = case when ${isExpired} then 1 else llegadas_por_red.cuenta + 1 end,
          desde = case when ${isExpired} then now() else llegadas_por_red.desde end
        returning cuenta,
          ceil(${WINDOW_SECONDS}::int - extract(epoch from now() - desde))::int as seconds`.execute(db)
      const { cuenta, seconds } = rows[0]!
      if (cuenta > maxCount * (at === 0 ? 1 : WIDE_TIMES))
        throw new RefusalError('limite', MESSAGES.limite, Math.max(1, seconds))
    }
  }

  return {
    countCreation: (client) => count('comienzo', client, limits.maxCreations),
    countSubmission: (client) => count('envio', client, limits.maxSubmissions),

    // A waiter for the lock keeps a connection, so only one of each process waits.
    reserve: ({ id, client, size }, write) =>
      localQueue('', () =>
        db.transaction().execute(async (tx) => {
          // Counting and inserting are one critical section, or many at once would all find space. A session that stalls within
          // it is ended after STALL_LIMIT, so that the others go on.
          await sql`select set_config('idle_in_transaction_session_timeout', ${STALL_LIMIT}, true)`.execute(tx)
          await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.reserveUpload})`.execute(tx)
          const networkHashes = networkHashesOf(client)
          await admit(tx, { id, networkHashes, size, received: 0 })
          await write(tx, networkHashes)
        }),
      ),

    // The check runs without the lock: at worst every sender is one chunk beyond the limit.
    async hold(id) {
      const upload = await db
        .selectFrom('subidas')
        .select(['redes', 'bytes', 'recibidos', isLive.as('isLive')])
        .where('id', '=', id)
        .executeTakeFirst()
      // The upload is just being removed: writing to it fails by itself.
      if (!upload) return
      await admit(db, { id, networkHashes: upload.redes, size: upload.bytes ?? maxBytes, received: upload.recibidos })
      if (!upload.isLive) await db.updateTable('subidas').set({ oida_at: sql`now()` }).where('id', '=', id).execute()
    },

    countBytes(moved, bytes) {
      const isExpired = sql`llegadas_por_red.desde <= now() - make_interval(secs => ${DAY_SECONDS})`
      return sql`insert into llegadas_por_red (de, red, que, cuenta)
        select ${area}, red, 'bytes', ${Math.max(bytes, MIN_CHARGE_BYTES)}::bigint from ${moved} as m, unnest(m.redes) as r (red) order by red
        on conflict (de, red, que) do update set
          cuenta = case when ${isExpired} then excluded.cuenta else llegadas_por_red.cuenta + excluded.cuenta end,
          desde = case when ${isExpired} then now() else llegadas_por_red.desde end`
    },

    async stagedBytes() {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(${chargedBytes}), 0)::bigint as bytes from subidas where de = ${area}`.execute(db)
      return rows[0]!.bytes
    },

    async sweep() {
      await sql`delete from llegadas_por_red
        where de = ${area} and desde < now() - make_interval(secs => ${DAY_SECONDS})`.execute(db)
    },
  }
}
