import { cuentasOf, organizadorDe } from '#app/accounts/guards.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Acta, readActa, readPublica } from '#app/finals/record/data.server.ts'

/**
 * The act of the edition in force, if whoever asks may see it: once it is sealed the notary's table, and everybody once it
 * is public. Of an act that is no longer what was sealed, nothing is shown.
 */
export async function readVisible(
  request: Request,
  context: Parameters<typeof cuentasOf>[0],
  services: Services,
): Promise<{ acta: Acta; publica: boolean } | undefined> {
  const { anio } = await loadFicha()
  const publica = (await readPublica(services.db, anio)) !== undefined
  if (!publica && !(await organizadorDe(request, cuentasOf(context), 'final'))) return undefined
  const acta = await readActa(services, anio)
  return acta.estado.final?.cierre && acta.alterado === undefined ? { acta, publica } : undefined
}
