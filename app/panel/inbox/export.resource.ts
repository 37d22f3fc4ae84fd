import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireConfirmacionDeArchivo } from '#app/accounts/sign-in/login-wall.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { fechaYHora } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { exportCsv, exportXlsx, exportZip } from '#app/entries/exports.server.ts'
import { readElegida, refused, requireOrganizador } from '#app/panel/guards.server.ts'
import { paraBitacora, readFiltro } from '#app/panel/rules.ts'
import type { Route } from './+types/export.resource'

const FORMATOS = {
  csv: { tipo: 'text/csv; charset=utf-8', nombre: 'inscripciones', extension: 'csv', make: exportCsv },
  xlsx: {
    tipo: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    nombre: 'inscripciones',
    extension: 'xlsx',
    make: exportXlsx,
  },
  zip: { tipo: 'application/zip', nombre: 'documentos', extension: 'zip', make: exportZip },
} as const

/** The entries that a filter or a choice means, to take along; each export is a line of the log. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const sesion = await requireOrganizador(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const params = new URL(request.url).searchParams
  const formato = Object.entries(FORMATOS).find(([name]) => name === params.get('formato'))?.[1]
  if (!formato) return refused('Elige en qué formato: csv, xlsx o zip.', 400)
  // Documents are what a session that somebody finds open must not give away.
  if (formato.extension === 'zip') requireConfirmacionDeArchivo(request, sesion)
  // Swimsuit photographs come along only where they were asked for.
  const conCuerpo = formato.extension === 'zip' && params.get('cuerpo') === 'si'
  if (conCuerpo && !may(sesion.rol, 'cuerpo'))
    return refused('Tu cuenta no ve las fotos de cuerpo completo: quita esa casilla y vuelve a descargar.', 403)
  const filtro = readFiltro(params, (await readElegida(request, context)).anio)
  const noted = await unlessFull(services, async () => {
    await anotar(services.db, autorDe(context, sesion), {
      que: `exporte.${formato.extension}`,
      ...paraBitacora(filtro),
      ...(conCuerpo && { conCuerpo }),
    })
    return { ok: true as const }
  })
  if (!noted.ok) return refused(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO)
  const when = fechaYHora(services.clock.now()).replace(/[ :]/g, '-')
  // Nothing of it is made for whoever only asks what it would be.
  return new Response(request.method === 'HEAD' ? null : formato.make(services, filtro, conCuerpo), {
    headers: {
      'content-type': formato.tipo,
      'content-disposition': `attachment; filename="${formato.nombre}-${filtro.edicion}-${when}.${formato.extension}"`,
      'cache-control': 'private, no-store',
    },
  })
}
