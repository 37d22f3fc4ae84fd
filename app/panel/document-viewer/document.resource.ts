import { accountsOf, actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireReauthenticationForFile } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { documentName, kindOf } from '#app/entries/definitions/document-kinds.ts'
import {
  type DocumentFile,
  downloadFile,
  findFile,
  isImage,
  VIEWING_MESSAGES,
  type ViewingRefusal,
  viewFile,
  whyNotShown,
} from '#app/entries/document-viewing/viewing.server.ts'
import { documentTokenOf, refused, requireOrganiser } from '#app/panel/guards.server.ts'
import type { DocumentNotice } from '#app/panel/schema.ts'
import type { Route } from './+types/document.resource'
import { besideMark } from './pdf-beside-mark.server.ts'

const PRIVATE_HEADERS = { 'cache-control': 'private, no-store' }
const STATUS: Partial<Record<ViewingRefusal, number>> = { perdido: 404, ocupado: 503 }

/** The browser caches a thumbnail for as long as the session that its address belongs to. */
const thumbnailHeaders = (remainingMs: number) => ({
  'content-type': 'image/jpeg',
  'cache-control': `private, max-age=${Math.floor(remainingMs / 1000)}`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
})

/** The notice in place of a document that cannot be shown; null where it can. */
async function noticeOf(services: Services, file: DocumentFile): Promise<DocumentNotice | null> {
  const reason = await whyNotShown(services, file)
  return reason ? { texto: VIEWING_MESSAGES[reason], seBaja: reason === 'grande' } : null
}

/** A picture opened in a tab needs the browser's own inline styles; a PDF is shown in the viewer's frame. */
const policyOf = (contentType: string) =>
  contentType === 'application/pdf'
    ? "default-src 'none'; frame-ancestors 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * A document for the organiser whose session made this address. `bajar=si` downloads it, `bajar=original` without the
 * watermark; `tamano=ficha` has the size of the jury's cards. Each request is a line of the audit log, except two that show
 * nothing readable: `tamano=miniatura`, a thumbnail (0028), and `motivo=si`, why the document cannot be shown.
 * A PDF that cannot bear the watermark is framed below it; the frame asks with `tal=si`.
 */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  const session = await requireOrganiser(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const asked = new URL(request.url).searchParams
  const id = Number(params.id)
  if (asked.get('llave') !== documentTokenOf(context, session, id))
    return refused('Esta dirección es de otra sesión. Abre el documento desde la inscripción.', 403)
  const file = await findFile(services.db, id)
  if (!file) return refused('Ese documento ya no existe.', 404)
  const { isReserved } = kindOf(file.clase)
  if (isReserved && !may(session.role, 'cuerpo'))
    return refused('Esta fotografía no la abre tu cuenta: pídele a quien administra que la revise.', 403)
  if (asked.get('motivo') === 'si') return Response.json(await noticeOf(services, file), { headers: PRIVATE_HEADERS })
  if (asked.get('tamano') === 'miniatura') {
    if (isReserved || !isImage(file)) return refused('De este documento no hay miniatura.', 404)
    const small = await viewFile(services, file, 'miniatura')
    return small.ok
      ? new Response(new Uint8Array(small.body), {
          headers: { ...thumbnailHeaders(session.remainingMs) },
        })
      : refused(VIEWING_MESSAGES[small.reason], STATUS[small.reason] ?? 422)
  }
  const download = asked.get('bajar')
  if (download === 'original' && !may(session.role, 'archivos'))
    return refused('El original sin marca no lo baja tu cuenta: pídeselo a quien lleva todo el panel.', 403)
  // Viewing documents keeps the session open, though no other screen is requested.
  await accountsOf(context).touchSession(request)
  if (download === 'original') requireReauthenticationForFile(request, session)
  const found = download
    ? await downloadFile(services, file, download === 'original')
    : await viewFile(services, file, asked.get('tamano') === 'ficha' ? 'ficha' : 'pantalla')
  // This page shows nothing of the document; its frame requests the PDF, and that request is logged.
  if (found.ok && found.lacksMark && asked.get('tal') !== 'si') return besideMark(`?llave=${asked.get('llave')}&tal=si`)
  const auditEvent =
    download === 'original' ? 'documento.bajado.sinMarca' : download ? 'documento.bajado' : 'documento.visto'
  const about = { documento: id, inscripcion: file.entryId, ...(!found.ok && { falla: found.reason }) }
  const noted = await unlessFull(services, async () => {
    await writeAuditLog(services.db, actorOf(context, session), { que: auditEvent, ...about })
    return { ok: true as const }
  })
  if (!noted.ok) return refused(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS)
  if (!found.ok) {
    return refused(VIEWING_MESSAGES[found.reason], STATUS[found.reason] ?? 422)
  }
  const name = `${documentName(file.clase, file.lado).replace(', ', ' ')}.${found.extension}`
  return new Response(new Uint8Array(found.body), {
    headers: {
      'content-type': found.contentType,
      'content-length': String(found.body.length),
      'content-disposition': `${download ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(name)}`,
      ...PRIVATE_HEADERS,
      'content-security-policy': policyOf(found.contentType),
    },
  })
}
