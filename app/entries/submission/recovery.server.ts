import type { Services } from '#app/core/http/services.server.ts'
import { readFolioOf } from '#app/entries/data.server.ts'
import type { Desk } from './staging.server.ts'
import { isLostForGood, type Plan, store, undo } from './store.server.ts'

/** A StoredSubmission was stored before, by this request or an earlier one. */
export interface StoredSubmission {
  fingerprint: string
  /** Id and folio are undefined when the entry has been deleted. */
  entryId: number | undefined
  folio: string | undefined
}

/**
 * Settles an interrupted attempt: completes it if every file is still whole, else undoes it. The caller must hold the lease of
 * the submission, so that no other process works on it.
 * @returns the submission that is stored under this key afterwards; undefined when there is none
 */
export async function settle(key: string, desk: Desk): Promise<StoredSubmission | undefined> {
  const { services } = desk
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
  const plan = { ...(journal.plan as Plan), intento: journal.area }
  try {
    await store(key, plan, desk)
    services.log.info({ entry: plan.folder.split('_')[0] }, 'an interrupted registration was finished')
  } catch (error) {
    if (!isLostForGood(error)) throw error
    if (await undo(key, plan, services)) {
      services.log.warn({ entry: plan.folder.split('_')[0] }, 'an interrupted registration was undone')
      return undefined
    }
  }
  return settle(key, desk)
}

/** Says whether the journal has no row of a submission. */
export async function hasNoJournalRow(key: string, { db }: Services): Promise<boolean> {
  return !(await db.selectFrom('entregas').select('key').where('key', '=', key).executeTakeFirst())
}

/**
 * Settles every interrupted submission, whichever process began it; a submission that a process is storing is left to that
 * process. A submission that cannot be settled now (the storage does not answer, say) is left for the next sweep.
 * @returns the keys of submissions still unsettled, whose staged files must stay
 */
export async function recoverSubmissions(desk: Desk): Promise<ReadonlySet<string>> {
  const { services, staging } = desk
  const unfinished = await services.db.selectFrom('entregas').select('key').where('estado', '=', 'guardando').execute()
  const unsettled = new Set<string>()
  for (const { key } of unfinished) {
    const hadLease = await staging.ifFree(key, async () => {
      try {
        if ((await settle(key, desk)) !== undefined) await staging.removeAll(key)
      } catch (error) {
        unsettled.add(key)
        services.log.error({ err: error }, 'an interrupted registration could not be settled yet')
      }
    })
    // The lease is taken, so another process is storing the submission.
    if (!hadLease) unsettled.add(key)
  }
  return unsettled
}
