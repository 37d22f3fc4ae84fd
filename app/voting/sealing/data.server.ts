import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  type Election,
  type EligibleCandidate,
  readCandidateNames,
  readRules,
  type WithdrawnCandidate,
} from '#app/voting/election/data.server.ts'
import { percentage } from '#app/voting/election/tally-rules.ts'
import type { Flag } from '#app/voting/origins/flagging.server.ts'
import { countExclusiveVotes, createThresholdCheck, listFlags } from '#app/voting/origins/flags.server.ts'
import type { ClosingRecord } from '#app/voting/record/schema.ts'
import type { Burst, FlaggedOrigin, HourlyVotes, Leap, Results } from './schema.ts'

/** Returns the rule for the votes of withdrawn candidates; 'nulos' if the rules state none. */
export const readWithdrawalRule = async (db: Database, election: Election): Promise<'nulos' | 'cuentan'> =>
  (await readRules(db, election)).rules.retiro ?? 'nulos'

/**
 * Lists the candidates whose votes are counted by name: the present candidates, then, if the rules count their votes, the
 * withdrawn candidates whose name is known.
 */
export async function listCountedCandidates(
  db: Database,
  election: Election,
): Promise<(EligibleCandidate & { retirada?: WithdrawnCandidate | undefined })[]> {
  const { candidatas, retiradas = [] } = election
  if (retiradas.length === 0 || (await readWithdrawalRule(db, election)) === 'nulos') return candidatas
  const idByName = await readCandidateNames(db, election)
  const countedWithdrawn = retiradas.flatMap((withdrawnCandidate) => {
    const name = withdrawnCandidate.nombre ?? [...idByName].find(([, id]) => id === withdrawnCandidate.id)?.[0]
    return name === undefined ? [] : [{ id: withdrawnCandidate.id, nombre: name, retirada: withdrawnCandidate }]
  })
  return [...candidatas, ...countedWithdrawn]
}

/**
 * Returns the vote totals of one edition (§2.15, §7, §9). Adding the hourly sums of sealed votes and the few unsealed rows gives
 * the same totals as counting every row.
 * @returns rows in the candidates' order; their percentages are of all votes without an annulment, also of votes that name no
 * candidate
 */
export async function readResults({ db, clock }: Pick<Services, 'db' | 'clock'>, election: Election): Promise<Results> {
  const { edicion } = election
  const idByName = await readCandidateNames(db, election)
  const countedCandidates = await listCountedCandidates(db, election)
  // One statement reads one snapshot, so a batch that is being sealed is either in the sums or among the unsealed rows.
  const { rows } = await sql<{
    kind: 'sum' | 'foreign' | 'unsealed' | 'annulled'
    candidata: string | null
    votos: number
  }>`
    select 'sum' as kind, candidata, sum(votos)::bigint as votos from votos_por_hora
      where edicion = ${edicion} group by candidata
    union all
    select case when lote = 0 then 'foreign' else 'unsealed' end, candidata, count(*) from banda_digital_votes
      where edicion = ${edicion} and (lote is null or lote = 0) group by 1, candidata
    union all
    select 'annulled', c.key, sum(c.value::bigint)::bigint from anulaciones, jsonb_each_text(conteo) c
      where edicion = ${edicion} group by c.key
`.execute(db)
  const sumOf = (rowKind: 'foreign' | 'annulled') =>
    rows.filter(({ kind }) => kind === rowKind).reduce((sum, { votos }) => sum + votos, 0)
  /** Votes by the candidate's id. The key `undefined` stands for no candidate of the edition. */
  const votesById = new Map<string | undefined, number>()
  for (const { kind, candidata, votos } of rows) {
    const id = idByName.get(candidata ?? '')
    votesById.set(id, (votesById.get(id) ?? 0) + (kind === 'annulled' ? -votos : votos))
  }
  const total = [...votesById.values()].reduce((sum, votes) => sum + votes, 0)
  const resultRows = countedCandidates.map(({ id, nombre, retirada }) => {
    const votes = votesById.get(id) ?? 0
    return {
      id,
      nombre: retirada ? `${nombre} (se retiró)` : nombre,
      votos: votes,
      porcentaje: percentage(votes, total),
    }
  })
  return {
    filas: resultRows,
    otros: total - resultRows.reduce((sum, { votos }) => sum + votos, 0),
    total,
    anulados: sumOf('annulled'),
    // Annulled votes are flagged, except those that a version without flags annulled.
    sospechosos: Math.max(0, (await countFlaggedVotes(db, election)) - sumOf('annulled')),
    ajenos: sumOf('foreign'),
    leidos: clock.now().toISOString(),
  }
}

/** Counts the votes whose first flag has annulled votes, or is on an origin that still exceeds its threshold. */
async function countFlaggedVotes(db: Database, election: Election): Promise<number> {
  const isBeyondThreshold = await createThresholdCheck(db, election)
  const { rows } = await sql<Pick<Flag, 'clase' | 'umbral' | 'votos' | 'nuevos'> & { annulled: boolean }>`
    select clase, umbral, votos, nuevos, exists (select from anulaciones a where a.marca_id = m.id) as annulled
    from marcas m where edicion = ${election.edicion}`.execute(db)
  return rows.reduce((sum, flag) => sum + (flag.annulled || isBeyondThreshold(flag) ? flag.nuevos : 0), 0)
}

/** Returns the sealed votes of each hour with votes, oldest first. Annulled votes are included. */
export async function readHourlyVotes(db: Database, election: Election): Promise<HourlyVotes[]> {
  const { edicion } = election
  const candidates = await listCountedCandidates(db, election)
  const idByName = await readCandidateNames(db, election)
  const indexById = new Map(candidates.map(({ id }, index) => [id, index]))
  const rows = await db
    .selectFrom('votos_por_hora')
    .select(['hora', 'candidata', 'votos'])
    .where('edicion', '=', edicion)
    .where('votos', '<>', 0)
    .orderBy('hora')
    .execute()
  return [...Map.groupBy(rows, ({ hora }) => hora.getTime())].map(([hour, hourRows]) => {
    const votes = Array<number>(candidates.length + 1).fill(0)
    for (const { candidata, votos: count } of hourRows) {
      votes[indexById.get(idByName.get(candidata) ?? '') ?? candidates.length]! += count
    }
    return { hour: new Date(hour).toISOString(), votos: votes }
  })
}

/** Spans with fewer votes are not listed as bursts. */
const MIN_BURST_VOTES = 10

/**
 * Lists the networks and then the domains with most votes within ten minutes, the busiest first.
 * @param limit maximum number of networks, and of domains
 */
export async function listBursts(db: Database, edition: number, limit = 8): Promise<Burst[]> {
  const burstsOf = async (kind: Burst['clase']) => {
    const { rows } = await sql<{ origen: string; tope: number; tramo: Date; votos: number }>`
      with busiest as (
        select origen, max(votos) as tope from (
          select origen, votos from votos_por_origen
          where edicion = ${edition} and clase = ${kind} and votos >= ${MIN_BURST_VOTES} order by votos desc limit 500
        ) spans group by origen order by tope desc limit ${limit}
      )
      select origen, tope, (array_agg(v.tramo order by v.votos desc))[1] as tramo, sum(v.votos)::int as votos
      from busiest join votos_por_origen v using (origen)
      where v.edicion = ${edition} and v.clase = ${kind}
      group by origen, tope order by tope desc, votos desc`.execute(db)
    return rows.map((row) => ({ clase: kind, ...row, tramo: row.tramo.toISOString() }))
  }
  return [...(await burstsOf('red')), ...(await burstsOf('dominio'))]
}

/** A leap exceeds the usual number by at least this many votes. */
const MIN_LEAP_VOTES = 20
/**
 * A leap exceeds the usual number by more than this many standard deviations of a binomial share, which is hardly ever chance.
 */
const MIN_LEAP_DEVIATIONS = 5

/**
 * Lists the hours in which far more votes than usual came from addresses of one kind (`Leap.correo`), the largest leap first. The
 * usual number follows from the kind's share of all other hours. Leaps prove nothing: the pupils of a school may have addresses of
 * one domain.
 */
export async function listLeaps(db: Database, edition: number, limit = 8): Promise<Leap[]> {
  const { rows } = await sql<{ correo: string; hora: Date; votos: number; total: number; usual: number }>`
    with hours as (
      select date_trunc('hour', v.created_at, 'UTC') as hora, count(*) as votos,
        case when v.sospecha = 'servicio' then 'servicios de alias' when v.dominio is not null then 'dominios propios'
          else lower(split_part(u.email, '@', 2)) end as correo
      from banda_digital_votes v join profiles u on u.id = v.user_id
      where v.edicion = ${edition} and v.lote > 0 group by 1, 3
    ), shares as (
      select correo, hora, votos, sum(votos) over (partition by hora) as total,
        (sum(votos) over (partition by correo) - votos)
          / nullif(sum(votos) over () - sum(votos) over (partition by hora), 0) as share
      from hours
    )
    select correo, hora, votos::int, total::int, round(total * share)::int as usual from shares
    where votos - total * share >= ${MIN_LEAP_VOTES}
      and votos - total * share > ${MIN_LEAP_DEVIATIONS} * sqrt(total * share * (1 - share))
    order by votos - total * share desc limit ${limit}`.execute(db)
  return rows.map(({ hora, ...leap }) => ({ ...leap, hour: hora.toISOString() }))
}

/** Maximum number of flags that the panel shows: those with most votes without an annulment. */
const MAX_FLAGGED_ORIGINS = 60
const MAX_DOMAINS = 12

/** Lists the flagged origins with their numbers of votes, but without the votes' candidates. */
export async function listFlaggedOrigins(db: Database, election: Election): Promise<FlaggedOrigin[]> {
  const isBeyondThreshold = await createThresholdCheck(db, election)
  const flags = (await listFlags(db, election.edicion))
    .toSorted((a, b) => b.votos - b.anulados - (a.votos - a.anulados) || b.votos - a.votos)
    .slice(0, MAX_FLAGGED_ORIGINS)
  const { rows } = await sql<{ id: number; hora: Date; votos: number; domains: string[] | null }>`
    select m.marca_id as id, date_trunc('hour', v.created_at, 'UTC') as hora, count(*)::int as votos,
      (array_agg(distinct v.dominio) filter (where v.dominio is not null))[1:${MAX_DOMAINS}::int] as domains
    from votos_marcados m join banda_digital_votes v on v.id = m.voto_id
    where m.marca_id = any(${flags.map(({ id }) => id)}::bigint[])
    group by 1, 2 order by 1, 2`.execute(db)
  const hoursByFlag = Map.groupBy(rows, ({ id }) => id)
  const exclusiveVotes = await countExclusiveVotes(
    db,
    flags.map(({ id }) => id),
  )
  return flags.map((flag) => {
    const { id, clase, origen, tramo, umbral, at, votos, anulados } = flag
    const hours = hoursByFlag.get(id) ?? []
    const domains = [...new Set(hours.flatMap((hour) => hour.domains ?? []))].slice(0, MAX_DOMAINS)
    return {
      id,
      clase,
      origen,
      tramo: tramo?.toISOString(),
      umbral,
      at: at.toISOString(),
      votos,
      anulados,
      exclusiveVotes: exclusiveVotes.get(id) ?? 0,
      isBeyondThreshold: isBeyondThreshold(flag),
      domains: clase === 'dominio' || clase.startsWith('rafaga') ? [] : domains,
      hours: hours.map(({ hora, votos: count }) => ({ hour: hora.toISOString(), votos: count })),
    }
  })
}

/** Returns the outcome of the last recount, as the panel shows it. */
export const readRecount = (db: Database, edition: number) =>
  db
    .selectFrom('recuentos')
    .select(['at', 'papeletas', 'lotes', 'ultimo', 'fallas'])
    .where('edicion', '=', edition)
    .executeTakeFirst()

export const readRecord = (db: Database, edition: number, kind: 'apertura' | 'cierre') =>
  db.selectFrom('actas').selectAll().where('edicion', '=', edition).where('clase', '=', kind).executeTakeFirst()

export type RecordCandidate = ClosingRecord['candidatas'][number] & {
  /** The recorded id or, in records that state names only, the id that belongs to the name; undefined if it belongs to none. */
  candidateId: string | undefined
  isWithdrawn: boolean
}

export async function matchCandidates(
  db: Database,
  election: Election,
  { candidatas }: ClosingRecord,
): Promise<RecordCandidate[]> {
  const idByName = await readCandidateNames(db, election)
  const withdrawnIds = new Set((election.retiradas ?? []).map(({ id }) => id))
  return candidatas.map((candidate) => {
    const candidateId = candidate.id ?? idByName.get(candidate.nombre)
    return { ...candidate, candidateId, isWithdrawn: candidateId !== undefined && withdrawnIds.has(candidateId) }
  })
}

export const listAnnulments = (db: Database, edition: number) =>
  db
    .selectFrom('anulaciones')
    .select(['id', 'motivo', 'votos', 'at'])
    .where('edicion', '=', edition)
    .orderBy('id')
    .execute()

/**
 * Finds the vote with a receipt.
 * @param receipt without hyphens
 * @returns the candidate's present name or, after the candidate has left the edition, the name on the ballot; `annulmentReason`,
 * null for a vote without an annulment; undefined for an unknown receipt, and for a vote in no batch
 */
export async function findVoteByReceipt(db: Database, election: Election, receipt: string) {
  const row = await db
    .selectFrom('banda_digital_votes as v')
    .leftJoin('votos_anulados as a', 'a.voto_id', 'v.id')
    .leftJoin('anulaciones as n', 'n.id', 'a.anulacion_id')
    .select(['v.candidata', 'n.motivo'])
    .where('v.edicion', '=', election.edicion)
    .where('v.recibo', '=', receipt)
    .where('v.lote', '>', 0)
    .executeTakeFirst()
  if (!row) return undefined
  const castName = row.candidata ?? ''
  const id = (await readCandidateNames(db, election)).get(castName)
  return {
    candidateName: election.candidatas.find((candidate) => candidate.id === id)?.nombre ?? castName,
    annulmentReason: row.motivo,
    isWithdrawn: (election.retiradas ?? []).some((candidate) => candidate.id === id),
  }
}
