import { randomBytes } from 'node:crypto'
import { endJudgeAccounts } from '#app/accounts/people/judges.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { appendRecordEntry, proposalOf, type RecordEntryResult, type Site } from './append-record-entry.server.ts'
import { listJury, loadForOpening, readRecord } from './data.server.ts'
import { readReason } from './record-entry-rules.ts'
import { finalOrder, nextRoundCandidates, orderOf } from './scoring.ts'
import { roundInProgress, roundRules } from './state.ts'
import { writeUnsignedSheet } from './unsigned-sheets.server.ts'

/** Opens the final. From here on the record's rules hold, even if the edition changes. */
export async function openFinal(services: Site, actor: Actor): Promise<RecordEntryResult> {
  const { edition, showsNames, rules, candidates } = await loadForOpening()
  return appendRecordEntry(
    services,
    edition,
    async (_, tx) => {
      if (rules.rondas.length === 0) return { reason: 'sin-reglas' }
      const jury = await listJury(tx, edition, rules.jueces, services.clock.now())
      if (jury.some(({ account }) => account === null)) return { reason: 'jurado' }
      return proposalOf(edition, {
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

/** Opens the next round with the advancing candidates. @param ronda number that the organiser saw as the next */
export const openRound = (
  services: Site,
  edition: number,
  roundNumber: number,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      if (!final) return { reason: 'sin-abrir' }
      const name = roundRules(final.rules, roundNumber).nombre
      return proposalOf(
        edition,
        { clase: 'ronda-abierta', ronda: roundNumber, candidatas: nextRoundCandidates(final) },
        name,
      )
    },
    actor,
  )

/**
 * Closes the open round and records its ranking.
 * @param reasons by judge: why the round is closed without the judge's sheet
 */
export const closeRound = (
  services: Site,
  edition: number,
  roundNumber: number,
  reasons: ReadonlyMap<number, unknown>,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      const opened = final && roundInProgress(final)
      if (!opened || opened.number !== roundNumber) return { reason: 'ronda-cerrada' }
      const missingJudges = final.opening.jurado.flatMap(({ numero }) => (opened.sheets.has(numero) ? [] : [numero]))
      const sin = missingJudges.flatMap((judge) => {
        const reason = readReason(reasons.get(judge))
        return reason ? [{ juez: judge, motivo: reason }] : []
      })
      if (sin.length < missingJudges.length) return { reason: 'faltan' }
      const { nombre } = roundRules(final.rules, roundNumber)
      return proposalOf(
        edition,
        { clase: 'ronda-cerrada', ronda: roundNumber, sin, orden: orderOf(final, opened).order },
        nombre,
      )
    },
    actor,
  )

/** Lets a judge correct a signed sheet of the open round, starting from the signed scores. */
export const reopenSheet = (
  services: Site,
  edition: number,
  { ronda: roundNumber, juez, motivo: given }: { ronda: number; juez: number; motivo: unknown },
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    async ({ state: { final } }, tx) => {
      const reason = readReason(given)
      if (!reason) return { reason: 'motivo' }
      const sheet = final && roundInProgress(final)?.sheets.get(juez)
      if (sheet && roundInProgress(final)?.number === roundNumber)
        await writeUnsignedSheet(
          tx,
          { edicion: edition, ronda: roundNumber, juez },
          sheet.calificaciones,
          services.clock.now(),
        )
      return proposalOf(
        edition,
        { clase: 'hoja-reabierta', ronda: roundNumber, juez, motivo: reason },
        `Jurado ${juez}: ${reason}`,
      )
    },
    actor,
  )

/** Withdraws a candidate from the final: judges score her no more, and she has no place. */
export const withdrawFromFinal = (
  services: Site,
  edition: number,
  { candidata, motivo: given }: { candidata: string; motivo: unknown },
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) => {
      const reason = readReason(given)
      if (!reason) return { reason: 'motivo' }
      if (!final) return { reason: 'sin-abrir' }
      return proposalOf(edition, { clase: 'retiro', candidata, motivo: reason }, candidata)
    },
    actor,
  )

/** Annuls the final, for example a rehearsal, so that it can be opened again. The record keeps the annulled entries. */
export const annulFinal = (services: Site, edition: number, given: unknown, actor: Actor): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    () => {
      const reason = readReason(given)
      return reason ? proposalOf(edition, { clase: 'final-anulada', motivo: reason }, reason) : { reason: 'motivo' }
    },
    actor,
  )

/** Seals the record with its last entry, and ends the judges' links and accounts. */
export const sealRecord = (services: Site, edition: number, actor: Actor): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edition,
    ({ state: { final } }) =>
      final ? proposalOf(edition, { clase: 'cierre', orden: finalOrder(final) }) : { reason: 'sin-abrir' },
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

/** Publishes the sealed record, or hides it again. */
export async function publishRecord(
  { db, clock, keyed }: Site,
  edition: number,
  publish: boolean,
  actor: Actor & { quien: string },
): Promise<{ ok: true } | { ok: false; reason: 'sin-terminar' | 'alterada' }> {
  const { state, firstAltered } = await readRecord({ db, keyed }, edition)
  if (publish && firstAltered !== undefined) return { ok: false, reason: 'alterada' }
  if (publish && !state.final?.closing) return { ok: false, reason: 'sin-terminar' }
  return db.transaction().execute(async (tx) => {
    if (publish)
      await tx
        .insertInto('finales_publicas')
        .values({ edicion: edition, quien: actor.quien, at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    else await tx.deleteFrom('finales_publicas').where('edicion', '=', edition).execute()
    await writeAuditLog(tx, actor, { que: publish ? 'final.publica' : 'final.oculta', edicion: edition })
    return { ok: true }
  })
}

/** Signs a judge's sheet, which is then final. A repeated request with the same idempotency key gets the same answer. */
export const signSheet = (
  services: Site,
  {
    edicion,
    ronda: roundNumber,
    juez,
    idempotencyKey,
  }: { edicion: number; ronda: number; juez: number; idempotencyKey: string },
  scores: Record<string, number[]>,
  actor: Actor,
): Promise<RecordEntryResult> =>
  appendRecordEntry(
    services,
    edicion,
    ({ state: { final } }) =>
      proposalOf(
        edicion,
        { clase: 'hoja', ronda: roundNumber, juez, calificaciones: scores },
        `Jurado ${juez}, ${final ? roundRules(final.rules, roundNumber).nombre : `ronda ${roundNumber}`}`,
      ),
    actor,
    // The key includes the judge and the round, so another judge's key gets no answer.
    { idempotencyKey: `${juez}:${roundNumber}:${idempotencyKey}` },
  )
