import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import { grownThreshold } from '#app/voting/election/origin-rules.ts'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { flagTargetName } from '#app/voting/election/tally-rules.ts'
import { isVoteSigned, SIGNED_COLUMNS, VOTE_KEY_PURPOSE } from '#app/voting/election/vote-signature.server.ts'
import {
  BURST_EVIDENCE,
  countSealed,
  type Flag,
  type FlagTarget,
  flagCondition,
  signedFlagText,
} from './flagging.server.ts'

/**
 * Compares a flag's stored votes with its condition.
 * @returns number of stored votes that do not match the condition, plus that of matching votes that are not stored
 */
async function countMismatches(db: Database, flag: Flag, since: Date | undefined): Promise<number> {
  const { rows } = await sql<{ votos: number }>`
    with expected as materialized (
      select v.id from banda_digital_votes v where ${flagCondition(flag, flag.edicion, since)}
    ), stored as materialized (select voto_id as id from votos_marcados where marca_id = ${flag.id})
    select (select count(*) from (select id from expected except select id from stored) missing)
      + (select count(*) from (select id from stored except select id from expected) surplus) as votos`.execute(db)
  return rows[0]!.votos
}

/**
 * Returns whether a flag still has at least as many votes as it was made with. Flags of the kinds `antes-*`, which an earlier
 * version made, get no further votes, and must have exactly as many.
 */
const hasVotesOfFlagging = ({ clase, votos, al_marcar }: Flag) =>
  clase.startsWith('antes') ? votos === al_marcar : votos >= al_marcar

/**
 * Checks the flags' signatures and votes, and that every origin beyond its threshold has a flag.
 * @returns faults as Spanish sentences
 */
export async function checkFlags(services: Services, election: Election): Promise<string[]> {
  const { db, keyed } = services
  const { edicion } = election
  const { rules, since, arePublished } = await readRules(db, election)
  const faults: string[] = []
  const flags = await db.selectFrom('marcas').selectAll().where('edicion', '=', edicion).orderBy('id').execute()
  for (const flag of flags) {
    const name = flagTargetName(flag)
    if (!isSealSigned({ keyed }, signedFlagText(flag), flag.firma))
      faults.push(`La marca «${name}» se escribió o se cambió en la base de datos sin pasar por el sitio.`)
    else if ((await countMismatches(db, flag, since)) > 0)
      faults.push(`La marca «${name}» no tiene los votos que le tocan.`)
    else if (!hasVotesOfFlagging(flag)) faults.push(`La marca «${name}» no tiene tantos votos como cuando se hizo.`)
  }
  // Without published rules no flag can be missing.
  if (!arePublished) return faults
  const sealedCount = await countSealed(db, edicion)
  const sinceRules = since ? sql`and v.created_at >= ${since}` : sql``
  const sealedVotesCondition = sql`v.edicion = ${edicion} and v.lote > 0 ${sinceRules}`
  const { rows } = await sql<FlagTarget>`
    with passed as (
      select 'dominio' as clase, v.dominio as origen, null::timestamptz as tramo
        from banda_digital_votes v where ${sealedVotesCondition} and v.dominio is not null and v.sospecha is null
        group by v.dominio having count(*) > ${grownThreshold(rules.dominio, rules, sealedCount)}::int
      union all
      select 'rafaga-' || o.clase, o.origen, o.tramo from (
        select 'red' as clase, v.red as origen, date_bin('10 minutes', v.created_at, 'epoch') as tramo
          from banda_digital_votes v where ${sealedVotesCondition} and ${BURST_EVIDENCE} and v.red is not null
          group by 2, 3 having count(*) > ${rules.rafagaPorRed}::int
        union all
        select 'bloque', n.bloque, n.tramo from (
          select v.bloque, date_bin('10 minutes', v.created_at, 'epoch') as tramo, count(*) as votos
            from banda_digital_votes v
            where ${sealedVotesCondition} and ${BURST_EVIDENCE} and v.bloque is not null group by 1, 2, v.red
        ) n where n.votos <= ${rules.rafagaPorRed}::int
          group by 2, 3 having sum(n.votos) > ${rules.rafagaPorBloque}::int
      ) o where ${since ? sql`o.tramo >= ${since}` : sql`true`}
      union all
      select v.sospecha, '', null from banda_digital_votes v
        where v.edicion = ${edicion} and v.lote > 0 and v.sospecha in ('desechable', 'servicio')
        group by v.sospecha having count(*) > case v.sospecha when 'desechable' then 0
          else ${rules.servicio === undefined ? null : grownThreshold(rules.servicio, rules, sealedCount)}::int end
    )
    select clase, origen, tramo from passed p
    where not exists (
      select from marcas m where m.edicion = ${edicion} and m.clase = p.clase and m.origen = p.origen
        and m.tramo is not distinct from p.tramo)`.execute(db)
  for (const target of rows) faults.push(`Falta la marca «${flagTargetName(target)}»: pasó de su umbral.`)
  return faults
}

/** Lists an edition's flags from the oldest, each with its number of annulled votes. */
export async function listFlags(db: Database, edition: number): Promise<(Flag & { anulados: number })[]> {
  const { rows } = await sql<Flag & { anulados: number }>`
    select m.*, (
      select count(*)::int from votos_marcados v join votos_anulados a using (voto_id) where v.marca_id = m.id
    ) as anulados
    from marcas m where m.edicion = ${edition} order by m.id`.execute(db)
  return rows
}

/**
 * Counts, for each flag, the votes that are neither annulled nor on another flag.
 * @returns number of votes by flag id; flags without such votes are absent
 */
export async function countExclusiveVotes(db: Database, ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; votos: number }>`
    select m.marca_id as id, count(*)::int as votos from votos_marcados m
    where m.marca_id = any(${ids}::bigint[])
      and not exists (select from votos_anulados a where a.voto_id = m.voto_id)
      and not exists (select from votos_marcados o where o.voto_id = m.voto_id and o.marca_id <> m.marca_id)
    group by 1`.execute(db)
  return new Map(rows.map(({ id, votos }) => [id, votos]))
}

/**
 * Reads the rules and the number of sealed votes, with which thresholds grow.
 * @returns a function that returns whether a flag's origin still exceeds its threshold: always true for the kinds whose threshold
 * does not grow
 */
export async function createThresholdCheck(
  db: Database,
  election: Election,
): Promise<(flag: Pick<Flag, 'clase' | 'umbral' | 'votos'>) => boolean> {
  const [{ rules }, sealedCount] = await Promise.all([readRules(db, election), countSealed(db, election.edicion)])
  return ({ clase, umbral, votos }) =>
    (clase !== 'dominio' && clase !== 'servicio') || votos > grownThreshold(umbral, rules, sealedCount)
}

/**
 * Returns the votes of a flag that are not annulled. `hasOtherFlag` says whether another flag marks the vote, too.
 * @returns undefined if the flag, one of its votes, or the list of its votes was changed without the site
 */
export async function readFlaggedVotes(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  election: Election,
  flag: Flag,
): Promise<{ id: number; candidata: string; hasOtherFlag: boolean }[] | undefined> {
  const { edicion } = election
  const { since } = await readRules(db, election)
  if (!isSealSigned({ keyed }, signedFlagText(flag), flag.firma) || !hasVotesOfFlagging(flag)) return undefined
  if ((await countMismatches(db, flag, since)) > 0) return undefined
  const rows = await db
    .selectFrom('banda_digital_votes')
    .innerJoin('votos_marcados as m', 'm.voto_id', 'id')
    .leftJoin('votos_anulados as a', 'a.voto_id', 'id')
    .select(['id', 'a.anulacion_id', ...SIGNED_COLUMNS])
    .select(
      sql<boolean>`exists (select from votos_marcados o where o.voto_id = m.voto_id and o.marca_id <> m.marca_id)`.as(
        'hasOtherFlag',
      ),
    )
    .where('m.marca_id', '=', flag.id)
    .orderBy('id')
    .execute()
  const voteKey = keyed(VOTE_KEY_PURPOSE)
  if (rows.length !== flag.votos) return undefined
  const votes: { id: number; candidata: string; hasOtherFlag: boolean }[] = []
  for (const row of rows) {
    if (row.edicion !== edicion || !isVoteSigned(voteKey, row)) return undefined
    if (row.anulacion_id === null) votes.push({ id: row.id, candidata: row.candidata, hasOtherFlag: row.hasOtherFlag })
  }
  return votes
}
