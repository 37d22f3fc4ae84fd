import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireReauthenticationForFile } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'
import {
  DISK_FULL_ON_OPEN_MESSAGE,
  DISK_FULL_STATUS,
  withDiskFullRefusal,
} from '#app/core/uploads/disk-space.server.ts'
import { exportCsv, exportXlsx, exportZip } from '#app/entries/exports.server.ts'
import { readChosenEdition, requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import { filterForAuditLog, readFilter } from '#app/panel/rules.ts'
import type { Route } from './+types/export.resource'

const EXPORT_FORMATS = {
  csv: { contentType: 'text/csv; charset=utf-8', baseName: 'inscripciones', extension: 'csv', make: exportCsv },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    baseName: 'inscripciones',
    extension: 'xlsx',
    make: exportXlsx,
  },
  zip: { contentType: 'application/zip', baseName: 'documentos', extension: 'zip', make: exportZip },
} as const

/** Exports the filtered or chosen entries. The audit log records each export. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await requireOrganiserForFile(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const params = new URL(request.url).searchParams
  const format = Object.entries(EXPORT_FORMATS).find(([name]) => name === params.get('formato'))?.[1]
  if (!format) return textRefusalResponse('Elige en qué formato: csv, xlsx o zip.', 400)
  // An export of documents needs reauthentication, in case the session is unattended.
  if (format.extension === 'zip') requireReauthenticationForFile(request, session)
  // Full-body photographs (in swimsuits) are included only on request.
  const includesBodyPhotos = format.extension === 'zip' && params.get('cuerpo') === 'si'
  if (includesBodyPhotos && !may(session.role, 'cuerpo'))
    return textRefusalResponse(
      'Tu cuenta no ve las fotos de cuerpo completo: quita esa casilla y vuelve a descargar.',
      403,
    )
  const filter = readFilter(params, (await readChosenEdition(request, context)).year)
  const timestamp = formatNumericDateTime(services.clock.now()).replace(/[ :]/g, '-')
  const headers = {
    'content-type': format.contentType,
    'content-disposition': `attachment; filename="${format.baseName}-${filter.edition}-${timestamp}.${format.extension}"`,
    'cache-control': 'private, no-store',
  }
  // A HEAD request exports nothing.
  if (request.method === 'HEAD') return new Response(null, { headers })
  const logResult = await withDiskFullRefusal(services, async () => {
    await writeAuditLog(services.db, actorOf(context, session), {
      que: `exporte.${format.extension}`,
      ...filterForAuditLog(filter),
      ...(includesBodyPhotos && { conCuerpo: includesBodyPhotos }),
    })
    return { ok: true as const }
  })
  if (!logResult.ok) return textRefusalResponse(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS)
  return new Response(format.make(services, filter, includesBodyPhotos), { headers })
}
