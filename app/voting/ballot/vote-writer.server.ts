import { sql } from 'kysely'
import { batchLookups, batchWork } from '#app/core/concurrency/batching.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { SignedVoteFields } from '#app/voting/election/vote-signature.server.ts'

/** A `Vote` is a row for the table of votes. */
interface Vote extends SignedVoteFields {
  correo: Buffer
  intento: string | null
  firma: Buffer
}

/**
 * `duplicate`: the account or mailbox has a vote. `closed`: the vote came past a moved closing, or the closing record is (being)
 * sealed.
 */
type IntakeResult = 'inserted' | 'duplicate' | 'closed'

/** A `CastVote` is a row of the table of votes, with its candidate's id. */
interface CastVote {
  recibo: string | null
  intento: string | null
  /** The candidate's full name when the vote was cast. */
  candidata: string | null
  /** The id of the candidate with that name; null: the edition never had the name. */
  candidataId: string | null
}

const STATEMENTS = 2
const MAX_VOTES = 250

export interface VoteWriter {
  /**
   * Inserts a vote, unless its account or mailbox already has one or the closing record exists.
   * @returns `inserted` only once the vote is on disk
   */
  insert(vote: Vote): Promise<IntakeResult>
  /** Finds an account's vote in an edition. Lookups of one moment share a statement, since a crowd may ask at once. */
  find(edition: number, userId: string): Promise<CastVote | undefined>
}

/** Writes the votes of one process. Votes that arrive while statements run go together into the next statement. */
export function createVoteWriter(db: Database): VoteWriter {
  const insertByEdition = new Map<number, (vote: Vote) => Promise<IntakeResult>>()
  const find = batchLookups((keys) => findAll(db, keys))
  return {
    insert(vote) {
      const { edicion } = vote
      const insert =
        insertByEdition.get(edicion) ??
        batchWork((votes: Vote[]) => insertAll(db, edicion, votes), { maxConcurrent: STATEMENTS, maxItems: MAX_VOTES })
      insertByEdition.set(edicion, insert)
      return insert(vote)
    },
    find: (edition, userId) => find(`${edition} ${userId}`),
  }
}

async function findAll(db: Database, keys: string[]): Promise<Map<string, CastVote>> {
  const editions = keys.map((key) => Number.parseInt(key, 10))
  const ids = keys.map((key) => key.slice(key.indexOf(' ') + 1))
  const { rows } = await sql<CastVote & { key: string }>`
    select v.edicion || ' ' || v.user_id as key, v.recibo, v.intento, v.candidata, c.id as "candidataId"
    from unnest(${editions}::smallint[], ${ids}::text[]) as asked (edicion, user_id)
    join banda_digital_votes v using (edicion, user_id)
    left join candidatas c on c.edicion = v.edicion and c.nombre = v.candidata`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

/**
 * Inserts votes by one statement, which decides for all of them, even where two belong to one person. The votes go in the order
 * of their mailboxes' hashes (an account has one), so that concurrent statements do not deadlock.
 */
async function insertAll(db: Database, edition: number, unsortedVotes: Vote[]): Promise<IntakeResult[]> {
  const votes = unsortedVotes.toSorted((a, b) => a.correo.compare(b.correo))
  const column = <Key extends keyof Vote>(key: Key) => votes.map((vote) => vote[key])
  const { rows } = await sql<{ recibo: string | null; hasta: Date | null }>`
    with abierta as materialized (select votacion_sin_acta(${edition}::smallint) as si),
    limite as materialized (select coalesce((
      select (contenido::jsonb ->> 'ahora')::timestamptz from actas
      where edicion = ${edition} and clase = 'cierre-movido' order by numero desc limit 1), 'infinity') as hasta),
    nuevos as (
      insert into banda_digital_votes
        (user_id, candidata, edicion, correo, recibo, intento, firma, red, bloque, dominio, sospecha, created_at)
      select * from unnest(${column('user_id')}::text[], ${column('candidata')}::text[], ${column('edicion')}::smallint[],
        ${column('correo')}::bytea[], ${column('recibo')}::text[], ${column('intento')}::uuid[], ${column('firma')}::bytea[],
        ${column('red')}::text[], ${column('bloque')}::text[], ${column('dominio')}::text[], ${column('sospecha')}::text[],
        ${column('created_at')}::timestamptz[]) as voto (user_id, candidata, edicion, correo, recibo, intento, firma,
          red, bloque, dominio, sospecha, at)
      where (select si from abierta) and at <= (select hasta from limite)
      on conflict do nothing returning recibo
    )
    select recibo, null::timestamptz as hasta from nuevos union all select null, null from abierta where not si
    union all select '', hasta from limite where isfinite(hasta)`.execute(db)
  const insertedReceipts = new Set(rows.map(({ recibo }) => recibo))
  const lastMoment = rows.find((row) => row.hasta !== null)?.hasta
  const isLate = ({ created_at }: Vote) => insertedReceipts.has(null) || (lastMoment && created_at > lastMoment)
  return unsortedVotes.map((vote) =>
    insertedReceipts.has(vote.recibo) ? 'inserted' : isLate(vote) ? 'closed' : 'duplicate',
  )
}
