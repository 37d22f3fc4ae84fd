import { sql } from 'kysely'
import { batchLookups, batchWork } from '#app/core/concurrency/batching.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { SignedVoteFields } from '#app/voting/election/vote-signature.server.ts'

interface NewVote extends SignedVoteFields {
  correo: Buffer
  intento: string | null
  firma: Buffer
}

/**
 * A vote is a `duplicate` if the account or mailbox already has one, `early` if it came before the opening, and `closed` if it came
 * after a moved closing, or if the closing record exists or is being sealed.
 */
type InsertResult = 'inserted' | 'duplicate' | 'early' | 'closed'

/** A row of banda_digital_votes, with its candidate's id. */
interface StoredVote {
  /** Receipt without hyphens; null in a row that was written without the site. */
  recibo: string | null
  /** Idempotency key of the request; null if it had none. */
  intento: string | null
  /** The candidate's full name when the vote was cast. */
  candidata: string | null
  /** Id of the candidate to whom `candidatas` gives that name; null if the table does not have it. */
  candidataId: string | null
}

/** Limit for the simultaneous statements that insert one edition's votes. */
const MAX_CONCURRENT_STATEMENTS = 2
const MAX_VOTES_PER_STATEMENT = 250

export interface VoteWriter {
  /**
   * Inserts a vote, unless its account or mailbox already has one, or the vote is not open.
   * @returns `inserted` only once the vote is on disk
   */
  insert(vote: NewVote): Promise<InsertResult>
  /** Finds an account's vote in an edition. Simultaneous lookups share a statement. */
  find(edition: number, userId: string): Promise<StoredVote | undefined>
}

/** Creates the writer of one process. Votes that arrive while MAX_CONCURRENT_STATEMENTS run wait, and share the next statements. */
export function createVoteWriter(db: Database): VoteWriter {
  const insertByEdition = new Map<number, (vote: NewVote) => Promise<InsertResult>>()
  const find = batchLookups((keys) => findAll(db, keys))
  return {
    insert(vote) {
      const { edicion } = vote
      const insert =
        insertByEdition.get(edicion) ??
        batchWork((votes: NewVote[]) => insertAll(db, edicion, votes), {
          maxConcurrent: MAX_CONCURRENT_STATEMENTS,
          maxItems: MAX_VOTES_PER_STATEMENT,
        })
      insertByEdition.set(edicion, insert)
      return insert(vote)
    },
    find: (edition, userId) => find(`${edition} ${userId}`),
  }
}

async function findAll(db: Database, keys: string[]): Promise<Map<string, StoredVote>> {
  const editions = keys.map((key) => Number.parseInt(key, 10))
  const ids = keys.map((key) => key.slice(key.indexOf(' ') + 1))
  const { rows } = await sql<StoredVote & { key: string }>`
    select v.edicion || ' ' || v.user_id as key, v.recibo, v.intento, v.candidata, c.id as "candidataId"
    from unnest(${editions}::smallint[], ${ids}::text[]) as asked (edicion, user_id)
    join banda_digital_votes v using (edicion, user_id)
    left join candidatas c on c.edicion = v.edicion and c.nombre = v.candidata`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

/**
 * Inserts votes by one statement. The rows are sorted by mailbox hash, so that concurrent statements lock them in the same order
 * and do not deadlock.
 */
async function insertAll(db: Database, edition: number, unsortedVotes: NewVote[]): Promise<InsertResult[]> {
  const votes = unsortedVotes.toSorted((a, b) => a.correo.compare(b.correo))
  const columnOf = <Key extends keyof NewVote>(key: Key) => votes.map((vote) => vote[key])
  // One row without a receipt states the bounds. Its `opens_at_ms` is null if the closing record exists or is being sealed.
  const { rows } = await sql<{ recibo: string | null; opens_at_ms: number | null; deadline_ms: number | null }>`
    with opening as materialized (select votacion_desde(${edition}::smallint) as moment),
    deadline as materialized (select coalesce((
      select (contenido::jsonb ->> 'ahora')::timestamptz from actas
      where edicion = ${edition} and clase = 'cierre-movido' order by numero desc limit 1), 'infinity') as moment),
    inserted as (
      insert into banda_digital_votes
        (user_id, candidata, edicion, correo, recibo, intento, firma, red, bloque, dominio, sospecha, created_at)
      select * from unnest(${columnOf('user_id')}::text[], ${columnOf('candidata')}::text[], ${columnOf('edicion')}::smallint[],
        ${columnOf('correo')}::bytea[], ${columnOf('recibo')}::text[], ${columnOf('intento')}::uuid[], ${columnOf('firma')}::bytea[],
        ${columnOf('red')}::text[], ${columnOf('bloque')}::text[], ${columnOf('dominio')}::text[], ${columnOf('sospecha')}::text[],
        ${columnOf('created_at')}::timestamptz[]) as vote (user_id, candidata, edicion, correo, recibo, intento, firma,
          red, bloque, dominio, sospecha, at)
      where at >= (select moment from opening) and at <= (select moment from deadline)
      on conflict do nothing returning recibo
    )
    select recibo, null::float as opens_at_ms, null::float as deadline_ms from inserted union all
    select null, (1000 * extract(epoch from opening.moment))::float, (1000 * extract(epoch from deadline.moment))::float
    from opening, deadline`.execute(db)
  const insertedReceipts = new Set(rows.map(({ recibo }) => recibo))
  const { opens_at_ms: opensAtMs, deadline_ms: deadlineMs } = rows.find(({ recibo }) => recibo === null)!
  return unsortedVotes.map(({ recibo, created_at }) => {
    if (insertedReceipts.has(recibo)) return 'inserted'
    if (opensAtMs === null || created_at.getTime() > deadlineMs!) return 'closed'
    return created_at.getTime() < opensAtMs ? 'early' : 'duplicate'
  })
}
