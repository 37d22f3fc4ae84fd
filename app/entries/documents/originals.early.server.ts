import { cuentasOf, mustHaveSegundo } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Direccion } from '#app/core/http/early-route.server.ts'
import { sentence } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { findOriginal } from './originals.server.ts'

const PRIVADO = { 'cache-control': 'private, no-store' }

/** Documents and metadata as they came, under the addresses that the metadata names (D15): for organisers alone. */
export const archivos: Direccion = {
  paths: ['/archivos/*'],
  methods: ['ANY'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    const cuentas = cuentasOf(context)
    const sesion = await cuentas.getSession(request)
    if (!sesion || !may(sesion.rol, 'archivos') || !['GET', 'HEAD'].includes(request.method))
      return sentence('Este documento sólo lo abre la organización, con su sesión iniciada.', 403, PRIVADO)
    if (mustHaveSegundo(cuentas, sesion))
      return sentence(
        'Antes de abrir documentos pon tu segundo paso, en «Mi cuenta» del panel (/organizadores/cuenta).',
        403,
        PRIVADO,
      )
    if (!sesion.esReciente)
      return sentence(
        'Escribiste tu contraseña hace más de diez minutos: confírmala en el panel (/organizadores/confirmar) y vuelve a abrir este documento.',
        401,
        PRIVADO,
      )
    const found = await findOriginal(services, new URL(request.url).pathname.slice('/archivos/'.length))
    const gone = () => sentence('Ese documento no existe.', 404, PRIVADO)
    if (!found) return gone()
    const desde = cuentas.traceOf(facts.client)
    const noted = await unlessFull(services, async () => {
      await anotar(services.db, { quien: sesion.userId, desde }, { que: 'documento.original', ...found.sobre })
      return { ok: true as const }
    })
    if (!noted.ok) return sentence(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, PRIVADO)
    return (await found.open(request)) ?? gone()
  },
}
