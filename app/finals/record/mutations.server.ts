import { randomBytes } from 'node:crypto'
import { endJudgeAccounts } from '#app/accounts/people/judges.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import {
  appendRecordEntry,
  type FinalServices,
  proposeEntry,
  type RecordEntryResult,
} from './append-record-entry.server.ts'
import { listJury, loadForOpening, readFinalRecord } from './data.server.ts'
import { readReason } from './record-entry-rules.ts'
import { finalRanking, nextRoundCandidates, rankingAfter } from './scoring.ts'
import { openRoundOf, rulesOfRound } from './state.ts'
import { writeUnsignedSheet } from './unsigned-sheets.server.ts'

/**
 * Opens the final, and deletes the unsigned sheets of an annulled one. From then on the rules in the record apply, even if the
 * edition changes.
 */
export async function openFinal(services: FinalServices, actor: Actor): Promise<RecordEntryResult> {
  const { edition, showsNames, rules, candidates } = await loadForOpening()
  return appendRecordEntry(
    services,
    edition,
    async (_, tx) => {
      if (rules.rondas.length === 0) return { reason: 'sin-reglas' }
      const jury = await listJury(tx, edition, rules.jueces, services.clock.now())
      if (jury.some(({ account }) => account === null)) return { reason: 'jurado' }
      return proposeEntry(edition, {
        clase: 'final-abierta',
        reglas: rules,
        candidatas: candidates,
        jurado: jury.map(({ number, name }) => ({ numero: number, nombre: showsNames ? name : `Jurado ${number}` })),
        azar: randomBytes(32).toString('hex'),
      })
    },
    actor,
    { after: async (tx) => void (await tx.deleteFrom('hojas_sin_firmar').where('edicion', '=', edition).execute()) },
  )
}

/** Opens the next round with the advancing candidates. @param roundNumber the round that the organiser saw as the next */
export const openRound = (
  services: FinalServices,
  edition: number,
  roundNumber: number,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      if (!final) return { reason: 'sin-abrir' }
      const name = rulesOfRound(final.rules, roundNumber).nombre
      return proposeEntry(
        edition,
        { clase: 'ronda-abierta', ronda: roundNumber, candidatas: nextRoundCandidates(final) },
        name,
      )
    },
    actor,
  )

/**
 * Closes the open round and records its ranking. Refuses while a sheet is missing without a reason.
 * @param reasons why the round is closed without a judge's sheet, by judge
 */
export const closeRound = (
  services: FinalServices,
  edition: number,
  roundNumber: number,
  reasons: ReadonlyMap<number, unknown>,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      const currentRound = final && openRoundOf(final)
      if (!currentRound || currentRound.number !== roundNumber) return { reason: 'ronda-cerrada' }
      const missingJudges = final.opening.jurado.flatMap(({ numero }) =>
        currentRound.sheets.has(numero) ? [] : [numero],
      )
      const missingSheetReasons = missingJudges.flatMap((judge) => {
        const reason = readReason(reasons.get(judge))
        return reason ? [{ juez: judge, motivo: reason }] : []
      })
      if (missingSheetReasons.length < missingJudges.length) return { reason: 'faltan' }
      const { nombre } = rulesOfRound(final.rules, roundNumber)
      return proposeEntry(
        edition,
        {
          clase: 'ronda-cerrada',
          ronda: roundNumber,
          sin: missingSheetReasons,
          orden: rankingAfter(final, currentRound).order,
        },
        nombre,
      )
    },
    actor,
  )

/** Lets a judge correct a signed sheet of the open round, starting from the signed scores. */
export const reopenSheet = (
  services: FinalServices,
  edition: number,
  { roundNumber, judgeNumber, typedReason }: { roundNumber: number; judgeNumber: number; typedReason: unknown },
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    async ({ state: { final } }, tx) => {
      const reason = readReason(typedReason)
      if (!reason) return { reason: 'motivo' }
      const sheet = final && openRoundOf(final)?.sheets.get(judgeNumber)
      // Nothing shows an unsigned sheet while the judge's signed sheet stands, so it may stay if the entry is refused.
      if (sheet && openRoundOf(final)?.number === roundNumber)
        await writeUnsignedSheet(tx, { edition, roundNumber, judgeNumber }, sheet.calificaciones, services.clock.now())
      return proposeEntry(
        edition,
        { clase: 'hoja-reabierta', ronda: roundNumber, juez: judgeNumber, motivo: reason },
        `Jurado ${judgeNumber}: ${reason}`,
      )
    },
    actor,
  )

/** Withdraws a candidate from the final, so that she has no further scores and no place. */
export const withdrawFromFinal = (
  services: FinalServices,
  edition: number,
  { candidateId, typedReason }: { candidateId: string; typedReason: unknown },
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      const reason = readReason(typedReason)
      if (!reason) return { reason: 'motivo' }
      if (!final) return { reason: 'sin-abrir' }
      return proposeEntry(edition, { clase: 'retiro', candidata: candidateId, motivo: reason }, candidateId)
    },
    actor,
  )

/** Annuls the unsealed final, for example a rehearsal, so that it can be opened again. The record keeps the annulled entries. */
export const annulFinal = (
  services: FinalServices,
  edition: number,
  typedReason: unknown,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    () => {
      const reason = readReason(typedReason)
      return reason ? proposeEntry(edition, { clase: 'final-anulada', motivo: reason }, reason) : { reason: 'motivo' }
    },
    actor,
  )

/** Seals the record with its last entry, ends the judges' links and accounts, and deletes the unsigned sheets. */
export const sealFinalRecord = (services: FinalServices, edition: number, actor: Actor): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) =>
      final ? proposeEntry(edition, { clase: 'cierre', orden: finalRanking(final) }) : { reason: 'sin-abrir' },
    actor,
    {
      async after(tx, now) {
        const rows = await tx
          .updateTable('jueces')
          .set({ huella: null, vence_at: null })
          .where('edicion', '=', edition)
          .returning('user_id')
          .execute()
        await endJudgeAccounts(
          tx,
          rows.flatMap(({ user_id }) => user_id ?? []),
          now,
        )
        await tx.deleteFrom('hojas_sin_firmar').where('edicion', '=', edition).execute()
      },
    },
  )

/** Makes the record public, if it is sealed and unaltered, or hides it again. */
export async function setRecordPublic(
  { db, clock, keyed }: FinalServices,
  edition: number,
  isPublic: boolean,
  actor: Actor & { quien: string },
): Promise<{ ok: true } | { ok: false; reason: 'sin-terminar' | 'alterada' }> {
  const { state, firstAltered } = await readFinalRecord({ db, keyed }, edition)
  if (isPublic && firstAltered !== undefined) return { ok: false, reason: 'alterada' }
  if (isPublic && !state.final?.closing) return { ok: false, reason: 'sin-terminar' }
  return db.transaction().execute(async (tx) => {
    if (isPublic)
      await tx
        .insertInto('finales_publicas')
        .values({ edicion: edition, quien: actor.quien, at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    else await tx.deleteFrom('finales_publicas').where('edicion', '=', edition).execute()
    await writeAuditLog(tx, actor, { que: isPublic ? 'final.publica' : 'final.oculta', edicion: edition })
    return { ok: true }
  })
}

/** Signs a judge's sheet. After the signing, a request with the same idempotency key gets the signed sheet again. */
export const signSheet = (
  services: FinalServices,
  {
    edition,
    roundNumber,
    judgeNumber,
    idempotencyKey,
  }: { edition: number; roundNumber: number; judgeNumber: number; idempotencyKey: string },
  scores: Record<string, number[]>,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) =>
      proposeEntry(
        edition,
        { clase: 'hoja', ronda: roundNumber, juez: judgeNumber, calificaciones: scores },
        `Jurado ${judgeNumber}, ${final ? rulesOfRound(final.rules, roundNumber).nombre : `ronda ${roundNumber}`}`,
      ),
    actor,
    // The stored key includes judge and round, so that a key of another judge or round does not match.
    { idempotencyKey: `${judgeNumber}:${roundNumber}:${idempotencyKey}` },
  )
