import type { Services } from '#app/core/http/services.server.ts'
import { readFolioOf } from '#app/entries/data.server.ts'
import type { IntakeContext } from './staging.server.ts'
import { entryIdOf, isLostForGood, type Plan, store, undo } from './store.server.ts'

/** A StoredSubmission says what a submission that is in the journal as stored became. */
export interface StoredSubmission {
  fingerprint: string
  /** Id and folio are undefined when the entry has been deleted. */
  entryId: number | undefined
  folio: string | undefined
}

/**
 * Settles an interrupted attempt: completes it, or undoes it when it is lost for good (a file is damaged, or another change was
 * first). The caller must hold the lease of the submission, so that no other process works on it.
 * @returns the submission that is stored under this key afterwards; undefined when there is none
 * @throws other errors, as of a storage that does not answer; the attempt stays in the journal
 */
export async function settle(key: string, intake: IntakeContext): Promise<StoredSubmission | undefined> {
  const { services } = intake
  const journal = await services.db
    .selectFrom('entregas')
    .select(['estado', 'huella', 'plan', 'area', 'inscripcion_id'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (journal === undefined) return undefined
  const { huella, inscripcion_id: entryId } = journal
  if (journal.estado === 'guardada') {
    const folio = entryId === null ? undefined : await readFolioOf(services.db, entryId)
    return { fingerprint: huella, entryId: entryId ?? undefined, folio }
  }
  // The row says which attempt the plan belongs to: a plan from before 20260314 has no attempt id, and its row has null.
  const plan = { ...(journal.plan as Plan), intento: journal.area }
  try {
    await store(key, plan, intake)
    services.log.info({ entry: entryIdOf(plan) }, 'an interrupted registration was finished')
  } catch (error) {
    if (!isLostForGood(error)) throw error
    if (await undo(key, plan, services)) {
      services.log.warn({ entry: entryIdOf(plan) }, 'an interrupted registration was undone')
      return undefined
    }
    // undo found that the submission was stored after all; the journal now says so.
  }
  return settle(key, intake)
}

/** Returns whether the journal has a row of a submission. */
export async function hasJournalRow(key: string, { db }: Services): Promise<boolean> {
  return (await db.selectFrom('entregas').select('key').where('key', '=', key).executeTakeFirst()) !== undefined
}

/**
 * Settles every interrupted submission, whichever process began it; a submission that a process is storing is left to that
 * process. A submission that cannot be settled now (the storage does not answer, say) is left for the next sweep.
 * @returns the keys of submissions still unsettled, whose staged files must stay
 */
export async function recoverSubmissions(intake: IntakeContext): Promise<ReadonlySet<string>> {
  const { services, staging } = intake
  const unfinished = await services.db.selectFrom('entregas').select('key').where('estado', '=', 'guardando').execute()
  const unsettled = new Set<string>()
  for (const { key } of unfinished) {
    const leaseResult = await staging.ifFree(key, async () => {
      try {
        if ((await settle(key, intake)) !== undefined) await staging.removeAll(key)
      } catch (error) {
        unsettled.add(key)
        services.log.error({ err: error }, 'an interrupted registration could not be settled yet')
      }
    })
    // The lease is taken, so another process is storing the submission.
    if (!leaseResult) unsettled.add(key)
  }
  return unsettled
}
