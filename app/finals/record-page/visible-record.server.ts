import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import { listPastEditions, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type OfficialRecord, readPublishedAt, readRecord } from '#app/finals/record/data.server.ts'

/**
 * Reads a sealed record: for accounts of the notary's table, and for every visitor once published. The query `edicion` names its
 * year. Without it the displayed edition's is read, or the newest there is: an address that was shared stays true in the next year.
 * @returns undefined where the visitor may not see the record, it is not sealed, or it was altered
 */
export async function readVisibleRecord(
  request: Request,
  context: Parameters<typeof accountsOf>[0],
  services: Services,
): Promise<{ record: OfficialRecord; isPublic: boolean } | undefined> {
  const requested = new URL(request.url).searchParams.get('edicion')
  const shown = [(await loadEditionCard()).anio, ...(await listPastEditions())]
  for (const year of shown.filter((one) => requested === null || one === Number(requested))) {
    const isPublic = (await readPublishedAt(services.db, year)) !== undefined
    if (!isPublic && !(await organiserOf(request, accountsOf(context), 'final'))) continue
    const record = await readRecord(services, year)
    if (record.state.final?.closing && record.firstAltered === undefined) return { record, isPublic }
  }
  return undefined
}
