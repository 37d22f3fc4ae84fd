import { accountsOf, mustAddSecondFactor } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { sentence } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { findOriginal } from './originals.server.ts'

const PRIVATE_HEADERS = { 'cache-control': 'private, no-store' }

/** Serves original documents and metadata, at the URLs that the metadata lists (D15), to organisers only. */
export const files: EarlyRoute = {
  paths: ['/archivos/*'],
  methods: ['ANY'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    const accounts = accountsOf(context)
    const session = await accounts.getSession(request)
    if (!session || !may(session.role, 'archivos') || !['GET', 'HEAD'].includes(request.method))
      return sentence('Este documento sólo lo abre la organización, con su sesión iniciada.', 403, PRIVATE_HEADERS)
    if (mustAddSecondFactor(accounts, session))
      return sentence(
        'Antes de abrir documentos pon tu segundo paso, en «Mi cuenta» del panel (/organizadores/cuenta).',
        403,
        PRIVATE_HEADERS,
      )
    if (!session.isRecentlyAuthenticated)
      return sentence(
        'Escribiste tu contraseña hace más de diez minutos: confírmala en el panel (/organizadores/confirmar) y vuelve a abrir este documento.',
        401,
        PRIVATE_HEADERS,
      )
    const found = await findOriginal(services, new URL(request.url).pathname.slice('/archivos/'.length))
    const gone = () => sentence('Ese documento no existe.', 404, PRIVATE_HEADERS)
    if (!found) return gone()
    const from = accounts.traceOf(facts.client)
    const noted = await unlessFull(services, async () => {
      await writeAuditLog(
        services.db,
        { quien: session.userId, desde: from },
        { que: 'documento.original', ...found.subject },
      )
      return { ok: true as const }
    })
    if (!noted.ok) return sentence(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS, PRIVATE_HEADERS)
    return (await found.open(request)) ?? gone()
  },
}
