import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MAX_VOTES_PER_QUERY } from '#app/voting/chain/batch-reader.server.ts'
import { isVoteSigned, SIGNED_COLUMNS, VOTE_KEY_PURPOSE } from '#app/voting/election/vote-signature.server.ts'
import { parseClosingRecordIfValid } from '#app/voting/record/schema.ts'

/**
 * Counts the edition's rows that were written without the site: rows that sealing has set apart (`lote` 0), and unsealed rows
 * without a valid signature.
 */
export async function countForeignRows({ db, keyed }: Services, edition: number): Promise<number> {
  const voteKey = keyed(VOTE_KEY_PURPOSE)
  const unsignedIds: number[] = []
  for (let lastId = Number.MIN_SAFE_INTEGER, rowCount = MAX_VOTES_PER_QUERY; rowCount === MAX_VOTES_PER_QUERY; ) {
    const rows = await db
      .selectFrom('banda_digital_votes')
      .select(['id', ...SIGNED_COLUMNS])
      .where('edicion', '=', edition)
      .where('lote', 'is', null)
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(MAX_VOTES_PER_QUERY)
      .execute()
    unsignedIds.push(...rows.filter((vote) => !isVoteSigned(voteKey, vote)).map(({ id }) => id))
    rowCount = rows.length
    lastId = rows.at(-1)?.id ?? lastId
  }
  // Sealing may set a row apart between the two queries; the row then counts once.
  const { rows } = await sql<{ votos: number }>`
    select count(*) as votos from banda_digital_votes
    where edicion = ${edition} and lote = 0 and id <> all (${unsignedIds}::bigint[])`.execute(db)
  return unsignedIds.length + rows[0]!.votos
}

/**
 * Reads, from one snapshot, the number of the last batch, the sums of the hourly counts by name, and the number of votes by name
 * in batches that do not exist.
 */
export async function readOutsideChain(db: Database, edition: number) {
  const { rows } = await sql<{ kind: 'batch' | 'sum' | 'stray'; candidata: string; votos: number }>`
    select 'batch' as kind, '' as candidata, coalesce(max(numero), 0)::bigint as votos from lotes
      where edicion = ${edition}
    union all
    select 'sum', candidata, sum(votos)::bigint from votos_por_hora where edicion = ${edition} group by candidata
    union all
    select 'stray', coalesce(candidata, ''), count(*) from banda_digital_votes v
      where edicion = ${edition} and lote <> 0
        and not exists (select from lotes l where l.edicion = ${edition} and l.numero = v.lote)
      group by 2`.execute(db)
  const valueByName = (rowKind: (typeof rows)[number]['kind']) =>
    new Map(rows.filter(({ kind }) => kind === rowKind).map(({ candidata, votos }) => [candidata, votos]))
  return { lastBatch: valueByName('batch').get('') ?? 0, sums: valueByName('sum'), strayVotes: valueByName('stray') }
}

/** Counts the rows of other editions that no seal covers, less the rows that all closing records of these editions declare. */
export async function countInOtherEditions(db: Database, edition: number): Promise<number> {
  // PostgreSQL uses the index for two ranges, but would read the whole table for «<>».
  const { rows } = await sql<{ votos: number }>`
    select count(*) as votos from banda_digital_votes v
    where (edicion < ${edition} or edicion > ${edition}) and (lote is null or lote = 0
      or not exists (select from lotes l where l.edicion = v.edicion and l.numero = v.lote))`.execute(db)
  const records = await db
    .selectFrom('actas')
    .select('contenido')
    .where('clase', '=', 'cierre')
    .where('edicion', '<>', edition)
    .execute()
  return Math.max(
    0,
    records.reduce((votes, { contenido }) => votes - foreignCountOf(contenido), rows[0]!.votos),
  )
}

/** Returns how many rows a closing record declares as foreign; 0 for a record that cannot be read. */
const foreignCountOf = (content: string): number => parseClosingRecordIfValid(content)?.ajenos ?? 0
