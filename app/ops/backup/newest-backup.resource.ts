import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireReauthenticationForFile } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { zipResponse } from '#app/core/http/zip-response.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Route } from './+types/newest-backup.resource'
import { listNewestBackup } from './newest-backup-archive.server.ts'
import { backupPassphrase } from './own-key.server.ts'

/** Serves the newest encrypted backup to an organiser, who keeps it away from the server; 403 without access or a backup. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'estado')
  if (!access.isOpen) return respondRefused('Este archivo sólo lo abre la organización, con su sesión iniciada.')
  requireReauthenticationForFile(request, access.session)
  const { db, settings, keyed } = servicesOf(context).services
  const passphrase = await backupPassphrase(db, settings, keyed)
  if (settings.backupUrl === undefined || passphrase === undefined) return respondRefused(NO_BACKUP_MESSAGE)
  try {
    const { entries, momento } = await listNewestBackup(settings.backupUrl, passphrase, settings.dataDir)
    await writeAuditLog(db, actorOf(context, access.session), { que: 'respaldo.bajado' })
    return zipResponse(entries, request.method === 'HEAD', {
      ...PRIVATE_HEADERS,
      'content-disposition': `attachment; filename="respaldo-${momento.slice(0, 10)}.zip"`,
    })
  } catch (error) {
    if (error instanceof StartError) return respondRefused(NO_BACKUP_MESSAGE)
    throw error
  }
}

const NO_BACKUP_MESSAGE = 'No hay ninguna copia cifrada que llevarse. Míralo en «Estado», en «Respaldos».'

const respondRefused = (message: string) =>
  new Response(message, {
    status: 403,
    headers: { ...PRIVATE_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  })
