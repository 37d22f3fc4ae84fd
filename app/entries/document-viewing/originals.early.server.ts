import { accountsOf, mustAddSecondFactor } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import {
  DISK_FULL_ON_OPEN_MESSAGE,
  DISK_FULL_STATUS,
  withDiskFullRefusal,
} from '#app/core/uploads/disk-space.server.ts'
import { findOriginal } from './originals.server.ts'

/**
 * Serves originals (at the URLs in the metadata, D15) and metadata to organisers with the right `archivos`, the second factor
 * that the site requires, and a recent authentication. Each opening is logged first; without room for the log, it is refused.
 */
export const originals: EarlyRoute = {
  paths: ['/archivos/*'],
  methods: ['ANY'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    const accounts = accountsOf(context)
    const session = await accounts.getSession(request)
    if (!session || !may(session.role, 'archivos') || !['GET', 'HEAD'].includes(request.method))
      return textResponse('Este documento sólo lo abre la organización, con su sesión iniciada.', 403, PRIVATE_HEADERS)
    if (mustAddSecondFactor(accounts, session))
      return textResponse(
        'Antes de abrir documentos pon tu segundo paso, en «Mi cuenta» del panel (/organizadores/cuenta).',
        403,
        PRIVATE_HEADERS,
      )
    if (!session.isRecentlyAuthenticated)
      return textResponse(
        'Escribiste tu contraseña hace más de diez minutos: confírmala en el panel (/organizadores/confirmar) y vuelve a abrir este documento.',
        401,
        PRIVATE_HEADERS,
      )
    const original = await findOriginal(services, new URL(request.url).pathname.slice('/archivos/'.length))
    const notFound = () => textResponse('Ese documento no existe.', 404, PRIVATE_HEADERS)
    if (!original) return notFound()
    const trace = accounts.traceOf(facts.client)
    const logResult = await withDiskFullRefusal(services, async () => {
      await writeAuditLog(
        services.db,
        { quien: session.userId, desde: trace },
        { que: 'documento.original', ...original.subject },
      )
      return { ok: true as const }
    })
    if (!logResult.ok) return textResponse(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS, PRIVATE_HEADERS)
    return (await original.open(request)) ?? notFound()
  },
}
