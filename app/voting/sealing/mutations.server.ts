import { sql } from 'kysely'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { changeSetting, type SettingResult } from '#app/cms/edition-settings/mutations.server.ts'
import type { ProclaimedWinner } from '#app/cms/edition-settings/schema.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { hashText } from '#app/voting/chain/seal-hash.server.ts'
import { type Election, readCandidateNames, readRules } from '#app/voting/election/data.server.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { leadersOf, maySeal } from '#app/voting/election/tally-rules.ts'
import { createThresholdCheck, listFlags, readFlaggedVotes } from '#app/voting/origins/flags.server.ts'
import { GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import { type ClosingRecord, parseClosingRecord } from '#app/voting/record/schema.ts'
import { listAnnulmentsWithReceipts, signedAnnulmentText } from './annulments.server.ts'
import { listCountedCandidates, matchCandidates, readRecord, readWithdrawalRule } from './data.server.ts'
import { listClosingMoves } from './moved-closing.server.ts'
import { ensureOpeningRecord, maySealWithOwnKey } from './opening-record.server.ts'
import type { RecordRow } from './record-file.server.ts'
import { sealRecord } from './record-signature.server.ts'
import { type Recount, recount } from './recount.server.ts'
import type { TallyAnswer, TallyRefusal } from './schema.ts'
import { sealRemainingVotes } from './sealing.server.ts'

/** The acting organiser: account (`quien`) and trace of the network address (`desde`). */
interface OrganiserActor {
  quien: string
  desde: string
}

/**
 * Draws up the opening record at an organiser's request (`ensureOpeningRecord` says when the site does so by itself). Refuses if
 * the record exists, and without candidates.
 */
export async function drawUpOpeningRecord(
  services: Services,
  election: Election,
  actor: OrganiserActor,
): Promise<TallyAnswer> {
  if (election.candidatas.length === 0) return { ok: false, reason: 'sin-candidatas' }
  const { db, clock, keyed } = services
  return db.transaction().execute(async (tx) => {
    // A publication that moves the opening takes the same lock.
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.seal}, ${election.edicion}::int)`.execute(tx)
    if (!(await ensureOpeningRecord({ db: tx, keyed }, election, clock.now(), actor.quien)))
      return { ok: false, reason: 'empezada' }
    await writeAuditLog(tx, actor, { que: 'voto.acta-de-cero', edicion: election.edicion })
    return { ok: true }
  })
}

/**
 * Annuls the votes of a flag. The votes stay in the chain, and the closing record states their number, their candidates and the
 * reason. Refuses once there is a closing record, and for a flag that is unknown or changed, whose origin no longer exceeds its
 * threshold, or that has no vote to annul.
 * @param onlyWithOtherFlag whether to annul only votes that another flag marks, too
 * @param statedReason 10 to 500 characters, which will be published
 */
export async function annulVotes(
  services: Services,
  election: Election,
  {
    flagId,
    statedReason,
    onlyWithOtherFlag = false,
  }: { flagId: number; statedReason: string; onlyWithOtherFlag?: boolean },
  actor: OrganiserActor,
): Promise<TallyAnswer> {
  const reasonText = statedReason.trim().replace(/\s+/g, ' ')
  if (reasonText.length < 10 || reasonText.length > 500) return { ok: false, reason: 'motivo' }
  const { db, clock, keyed } = services
  const { edicion } = election
  return db.transaction().execute(async (tx) => {
    // Annulments exclude each other and the closing.
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.annul}, ${edicion}::int)`.execute(tx)
    if (await readRecord(tx, edicion, 'cierre')) return { ok: false, reason: 'sellada' }
    const flag = await tx
      .selectFrom('marcas')
      .selectAll()
      .where('edicion', '=', edicion)
      .where('id', '=', flagId)
      .executeTakeFirst()
    if (!flag) return { ok: false, reason: 'nada' }
    const flaggedVotes = await readFlaggedVotes({ db: tx, keyed }, election, flag)
    // `readFlaggedVotes` verifies the signatures, since an attacker with access to the database could add honest votes to a flag.
    if (!flaggedVotes) return { ok: false, reason: 'marca' }
    if (!(await createThresholdCheck(tx, election))(flag)) return { ok: false, reason: 'alcanzada' }
    const votes = onlyWithOtherFlag ? flaggedVotes.filter(({ hasOtherFlag }) => hasOtherFlag) : flaggedVotes
    if (votes.length === 0) return { ok: false, reason: 'nada' }
    const votesByName: Record<string, number> = {}
    for (const { candidata } of votes) votesByName[candidata ?? ''] = (votesByName[candidata ?? ''] ?? 0) + 1
    const ids = votes.map(({ id }) => id)
    const row = { edicion, motivo: reasonText, marca_id: flag.id }
    const { id } = await tx
      .insertInto('anulaciones')
      .values({
        ...row,
        votos: votes.length,
        conteo: JSON.stringify(votesByName),
        firma: signSeal({ keyed }, signedAnnulmentText({ ...row, conteo: votesByName, ids })),
        quien: actor.quien,
        at: clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sql`insert into votos_anulados (voto_id, anulacion_id) select unnest(${ids}::bigint[]), ${id}`.execute(tx)
    await writeAuditLog(tx, actor, { que: 'voto.anulados', anulacion: id })
    return { ok: true }
  })
}

/** Thrown to roll the closing's transaction back, since another process has moved the closing. */
class StillOpenError extends Error {
  override name = 'StillOpenError'
}

/** PostgreSQL's error code for a lock that was not free within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'
/** The closing waits at most this long for each lock. A process that is sealing needs moments, unless its connection is broken. */
const MAX_SEALING_WAIT_MS = 20_000

/**
 * Closes the vote: seals the remaining votes, recounts, and draws up the closing record, which states the recount's faults. From
 * then on the record does not change and no vote is accepted. The machine's clock must have passed the closing, too, since in a
 * trial run the site's clock may be ahead.
 * @returns the record, for the caller to publish, or a refusal, as for a vote that is still open or already sealed
 */
export async function closeVote(
  services: Services,
  election: Election,
  actor: OrganiserActor,
  { machineNow = new Date(), maxWaitMs = MAX_SEALING_WAIT_MS }: { machineNow?: Date; maxWaitMs?: number } = {},
): Promise<{ ok: true; record: RecordRow } | { ok: false; reason: TallyRefusal }> {
  const { db, clock } = services
  const { edicion, cierre } = election
  if (!maySeal(cierre, clock.now())) return { ok: false, reason: 'abierta' }
  if (!maySeal(cierre, machineNow)) return { ok: false, reason: 'reloj' }
  if (election.candidatas.length === 0) return { ok: false, reason: 'sin-candidatas' }
  if (!(await maySealWithOwnKey(services, edicion))) return { ok: false, reason: 'otra-firma' }
  await ensureOpeningRecord(services, election, clock.now(), actor.quien)
  const sealedRow = await db
    .transaction()
    .execute(async (tx) => {
      await sealRemainingVotes(services, tx, election, maxWaitMs)
      await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.annul}, ${edicion}::int)`.execute(tx)
      if (await readRecord(tx, edicion, 'cierre')) return undefined
      // Another process may have moved the closing since `election` was read.
      const lastMove = (await listClosingMoves(tx, edicion)).at(-1)
      if (lastMove && !(maySeal(lastMove.ahora, clock.now()) && maySeal(lastMove.ahora, machineNow)))
        throw new StillOpenError()
      const record = await drawUpClosingRecord(
        tx,
        election,
        await recount({ ...services, db: tx }, election, true),
        clock.now(),
      )
      await writeAuditLog(tx, actor, { que: 'voto.acta-de-cierre', edicion })
      return tx
        .insertInto('actas')
        .values({
          edicion,
          clase: 'cierre',
          quien: actor.quien,
          at: clock.now(),
          ...sealRecord(services, record),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
    .catch((error: { code?: string }) => {
      if (error instanceof StillOpenError) return 'abierta' as const
      if (error.code === LOCK_NOT_AVAILABLE) return 'ocupada' as const
      throw error
    })
  if (typeof sealedRow === 'string') return { ok: false, reason: sealedRow }
  if (!sealedRow) return { ok: false, reason: 'sellada' }
  return { ok: true, record: sealedRow }

  /**
   * Draws up the record: the valid votes of each counted candidate under all names on her ballots, the votes of withdrawn candidates
   * with the rule for them, all other votes, moved closings, flags, annulments, and the ends of both chains.
   */
  async function drawUpClosingRecord(
    tx: Database,
    { retiradas = [] }: Election,
    { foreignRows, faults, lastSeal, ballotCount, votesByName }: Recount,
    now: Date,
  ): Promise<ClosingRecord> {
    /** Votes without an annulment, by the name on the ballots. */
    const validVotes = new Map(votesByName)
    const blocks = await listBlocks(tx, edicion)
    const annulments = await listAnnulmentsWithReceipts(tx, edicion)
    for (const { conteo } of annulments)
      for (const [name, votes] of Object.entries(conteo)) validVotes.set(name, (validVotes.get(name) ?? 0) - votes)
    const annulledCount = annulments.reduce((sum, { votos }) => sum + votos, 0)
    const idByName = await readCandidateNames(tx, election)
    const namesOnBallotsOf = (id: string) => [...validVotes.keys()].filter((name) => idByName.get(name) === id)
    const sumOf = (ballotNames: string[]) => ballotNames.reduce((sum, name) => sum + validVotes.get(name)!, 0)
    const countedCandidates = await listCountedCandidates(tx, election)
    const candidateTotals = countedCandidates.flatMap(({ id, nombre: currentName, retirada }) => {
      const ballotNames = namesOnBallotsOf(id)
      // The record states a withdrawn candidate's name only if ballots bear it.
      const shownName = retirada && !ballotNames.includes(currentName) ? ballotNames.sort()[0] : currentName
      if (shownName === undefined) return []
      const antes = ballotNames.filter((name) => name !== shownName).sort()
      return [{ id, nombre: shownName, ...(antes.length > 0 && { antes }), votos: sumOf(ballotNames) }]
    })
    const withdrawalRule = await readWithdrawalRule(tx, election)
    const withdrawnCandidates = retiradas.map(({ id, nombre: currentName, desde }) => {
      const ballotNames = namesOnBallotsOf(id).sort()
      const shownName = currentName !== undefined && ballotNames.includes(currentName) ? currentName : ballotNames[0]
      const antes = ballotNames.filter((name) => name !== shownName)
      const nameFields = { ...(shownName !== undefined && { nombre: shownName }), ...(antes.length > 0 && { antes }) }
      return { id, ...nameFields, desde, votos: sumOf(ballotNames), regla: withdrawalRule }
    })
    const { rules, arePublished } = await readRules(tx, election)
    const flags = await listFlags(tx, edicion)
    const closingMoves = await listClosingMoves(tx, edicion)
    const opening = (await readRecord(tx, edicion, 'apertura'))!
    return {
      clase: 'cierre',
      edicion,
      apertura: opening.sello,
      candidatas: candidateTotals,
      otros: ballotCount - annulledCount - candidateTotals.reduce((sum, { votos }) => sum + votos, 0),
      ...(withdrawnCandidates.length > 0 && { retiradas: withdrawnCandidates }),
      ...(closingMoves.length > 0 && {
        movidos: closingMoves.map(({ antes, ahora, motivo, levantada, sello }) => ({
          antes,
          ahora,
          motivo,
          levantada,
          sello,
        })),
      }),
      papeletas: ballotCount,
      anulados: annulledCount,
      ...(arePublished && { reglas: rules }),
      marcas: flags.map(({ clase, origen, tramo, umbral, votos, anulados: annulledVotes }) => ({
        clase,
        origen,
        ...(tramo && { tramo: tramo.toISOString() }),
        umbral,
        votos,
        anulados: annulledVotes,
      })),
      anulaciones: annulments.map(({ flagId, motivo, votos, conteo, receiptHashes }) => ({
        ...(flagId !== null && { marca: flags.findIndex(({ id }) => id === flagId) }),
        motivo,
        votos,
        conteo,
        huella: hashText(receiptHashes.join('\n')),
      })),
      ajenos: foreignRows,
      fallas: faults,
      minimo: MIN_BLOCK_BALLOTS,
      cajas: blocks.length,
      ultimoSello: blocks.at(-1)?.sello ?? GENESIS_SEAL,
      ultimoLote: lastSeal,
      levantada: now.toISOString(),
    }
  }
}

/**
 * Proclaims the winner on /misspopularidad: the leader of the sealed record or, at a tie, the leader whom the organisers choose.
 * Refuses to proclaim without a sealed record, if the record or a recount states faults, and a candidate who does not lead.
 * @param winner undefined to withdraw the proclamation, so that the content's winner is shown again
 * @param version version of the proclamation that the organiser saw, 0 if there was none; refused if another is stored by now
 */
export async function proclaimWinner(
  services: Services,
  election: Election,
  { winner, version }: { winner: ProclaimedWinner | undefined; version: number },
  actor: OrganiserActor,
): Promise<TallyAnswer | Exclude<SettingResult, { ok: true }>> {
  const { edicion } = election
  const setWinner = (summary: string) =>
    changeSetting(
      services.db,
      edicion,
      { name: 'votacion.ganadora', value: winner, version, summary },
      actor,
      services.clock.now(),
    )
  if (!winner) return setWinner('nadie desde el panel: lo que dice el contenido')
  const sealedRow = await readRecord(services.db, edicion, 'cierre')
  if (!sealedRow) return { ok: false, reason: 'sin-acta' }
  // The recount also checks the closing record's signature.
  if ((await recount(services, election)).faults.length > 0) return { ok: false, reason: 'diferencias' }
  const record = parseClosingRecord(sealedRow.contenido)
  if (record.fallas.length > 0) return { ok: false, reason: 'diferencias' }
  const leaders = leadersOf(await matchCandidates(services.db, election, record))
  const chosenLeader = leaders.find(({ candidateId }) => candidateId !== undefined && candidateId === winner.candidata)
  if (!chosenLeader) return { ok: false, reason: 'no-gano' }
  const names = leaders.map(({ nombre }) => nombre)
  return setWinner(
    names.length === 1 ? chosenLeader.nombre : `${chosenLeader.nombre}, entre empatadas: ${names.join(', ')}`,
  )
}
