import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type OfficialRecord, readPublishedAt, readRecord } from '#app/finals/proceedings/data.server.ts'

/**
 * Reads the sealed record of the edition in force: for accounts of the notary's table, and for every visitor once published.
 * @returns undefined where the visitor may not see the record, it is not sealed, or it was altered
 */
export async function readVisibleRecord(
  request: Request,
  context: Parameters<typeof accountsOf>[0],
  services: Services,
): Promise<{ record: OfficialRecord; isPublic: boolean } | undefined> {
  const { anio } = await loadEditionCard()
  const isPublic = (await readPublishedAt(services.db, anio)) !== undefined
  if (!isPublic && !(await organiserOf(request, accountsOf(context), 'final'))) return undefined
  const record = await readRecord(services, anio)
  return record.state.final?.closing && record.firstAltered === undefined ? { record, isPublic: isPublic } : undefined
}
