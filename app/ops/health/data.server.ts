import { listPlannedErasures } from '#app/accounts/people/voter-erasure-schedule.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { listPlannedDeletions } from '#app/entries/retention/schedule.server.ts'
import type { PlannedDeletion, StoredDiagnosis } from './schema.ts'

/** Lists the announced deletions by edition, of entries and of voters' accounts together. */
export async function listAllPlannedDeletions(db: Database): Promise<PlannedDeletion[]> {
  const [entries, accounts] = await Promise.all([listPlannedDeletions(db), listPlannedErasures(db)])
  const editions = [...new Set([...entries, ...accounts].map(({ edition }) => edition))].sort((a, b) => a - b)
  return editions.map((edition) => {
    const ofEntries = entries.find((planned) => planned.edition === edition)
    const ofAccounts = accounts.find((planned) => planned.edition === edition)
    const plannedParts = [ofEntries, ofAccounts].filter((deletion) => deletion !== undefined)
    return {
      edition,
      entryCount: ofEntries?.entryCount ?? 0,
      accountCount: ofAccounts?.accountCount ?? 0,
      firstDueAt: new Date(Math.min(...plannedParts.map(({ firstDueAt }) => firstDueAt.getTime()))),
      announcedAt: new Date(Math.max(...plannedParts.map(({ announcedAt }) => announcedAt.getTime()))),
      heldAt: plannedParts[0]!.heldAt,
    }
  })
}

/** Lists the stored diagnoses of the health watch, faults first. */
export async function listDiagnoses(db: Database): Promise<StoredDiagnosis[]> {
  const rows = await db.selectFrom('diagnosticos').selectAll().orderBy('titulo').execute()
  const order = { falla: 0, aviso: 1, ok: 2 }
  return rows
    .map(({ de, titulo, nivel, dice, remedio, desde, visto_at: seenAt }) => ({
      de,
      titulo,
      nivel,
      dice,
      remedio: remedio ?? undefined,
      desde,
      seenAt,
    }))
    .sort((a, b) => order[a.nivel] - order[b.nivel])
}

/** Counts the faults, except the fault of a full disk, which the panel's layout shows separately. */
export async function countFaults(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('diagnosticos')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('nivel', '=', 'falla')
    .where('de', '<>', 'espacio')
    .executeTakeFirstOrThrow()
  return count
}
