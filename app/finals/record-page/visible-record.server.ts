import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import { listPastEditions, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type FinalRecord, readFinalRecord, readPublishedAt } from '#app/finals/record/data.server.ts'

/**
 * Reads a sealed record, for accounts of the judging table and, once it is public, for everyone. The query `edicion` names
 * its year; without it the newest visible record is read, so that a shared URL still works in the next year.
 * @returns undefined if the visitor may not see the record, or if it is not sealed or was altered
 */
export async function readVisibleRecord(
  request: Request,
  context: Parameters<typeof accountsOf>[0],
  services: Services,
): Promise<{ record: FinalRecord; isPublic: boolean } | undefined> {
  const requestedYear = new URL(request.url).searchParams.get('edicion')
  const years = [(await loadEditionCard()).anio, ...(await listPastEditions())]
  for (const year of years.filter((year) => requestedYear === null || year === Number(requestedYear))) {
    const isPublic = (await readPublishedAt(services.db, year)) !== undefined
    if (!isPublic && !(await organiserOf(request, accountsOf(context), 'final'))) continue
    const record = await readFinalRecord(services, year)
    if (record.state.final?.closing && record.firstAltered === undefined) return { record, isPublic }
  }
  return undefined
}
