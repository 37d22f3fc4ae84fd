import type { Services } from '#app/core/http/services.server.ts'
import { readFolioOf } from '#app/entries/data.server.ts'
import type { IntakeContext } from './staging.server.ts'
import { formRowIdOf, isLostForGood, type SubmissionPlan, storePlan, undoPlan } from './store.server.ts'

/** A submission that the journal has as stored. */
export interface StoredSubmission {
  fingerprint: string
  /**
   * Id of the entry; undefined for an entry that was deleted before the migration 20260120, since when the journal's row goes
   * with its entry.
   */
  entryId: number | undefined
  /** Folio of the entry; undefined if the entry is gone. */
  folio: string | undefined
}

/**
 * Settles a submission: completes an interrupted attempt, or undoes it if it can never be completed (`isLostForGood`). The caller
 * must hold the lease of the submission, so that no other process works on it.
 * @returns the submission that is stored under this key afterwards, if any
 * @throws an error that may pass, such as of a storage that does not answer; the attempt then stays in the journal
 */
export async function settleSubmission(key: string, intake: IntakeContext): Promise<StoredSubmission | undefined> {
  const { services } = intake
  const journalRow = await services.db
    .selectFrom('entregas')
    .select(['estado', 'huella', 'plan', 'area', 'inscripcion_id'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (journalRow === undefined) return undefined
  const { huella, inscripcion_id: entryId } = journalRow
  if (journalRow.estado === 'guardada') {
    const folio = entryId === null ? undefined : await readFolioOf(services.db, entryId)
    return { fingerprint: huella, entryId: entryId ?? undefined, folio }
  }
  // The attempt's id is in the row, too, since plans from before the migration 20260314 lack it.
  const plan = { ...(journalRow.plan as SubmissionPlan), intento: journalRow.area }
  try {
    await storePlan(key, plan, intake)
    services.log.info({ entry: formRowIdOf(plan) }, 'an interrupted registration was finished')
  } catch (error) {
    if (!isLostForGood(error)) throw error
    if (await undoPlan(key, plan, services)) {
      services.log.warn({ entry: formRowIdOf(plan) }, 'an interrupted registration was undone')
      return undefined
    }
    // `undoPlan` found that the submission was stored after all.
  }
  return settleSubmission(key, intake)
}

export async function hasJournalRow(key: string, { db }: Services): Promise<boolean> {
  return (await db.selectFrom('entregas').select('key').where('key', '=', key).executeTakeFirst()) !== undefined
}

/**
 * Settles the interrupted submissions of any process, except those whose lease is taken, and removes the staged files of those
 * that are stored. A submission that cannot be settled, as while the storage does not answer, is left for the next call.
 * @returns the keys of submissions that are still unsettled, whose staged files must stay
 */
export async function recoverSubmissions(intake: IntakeContext): Promise<ReadonlySet<string>> {
  const { services, staging } = intake
  const unfinishedRows = await services.db
    .selectFrom('entregas')
    .select('key')
    .where('estado', '=', 'guardando')
    .execute()
  const unsettledKeys = new Set<string>()
  for (const { key } of unfinishedRows) {
    const leaseResult = await staging.ifFree(key, async () => {
      try {
        if ((await settleSubmission(key, intake)) !== undefined) await staging.removeAll(key)
      } catch (error) {
        unsettledKeys.add(key)
        services.log.error({ err: error }, 'an interrupted registration could not be settled yet')
      }
    })
    // Without the lease, the submission is being stored, or its process was killed a moment ago.
    if (!leaseResult) unsettledKeys.add(key)
  }
  return unsettledKeys
}
