import { accountsOf, actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireReauthenticationForFile } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS, refuseIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
import { documentName, kindOf } from '#app/entries/definitions/document-kinds.ts'
import {
  type DocumentFile,
  findDocumentFile,
  findViewingRefusal,
  isImage,
  prepareDownload,
  prepareView,
  VIEWING_MESSAGES,
  type ViewingRefusal,
} from '#app/entries/document-viewing/viewing.server.ts'
import { documentTokenOf, refuseWithText, requireOrganiser } from '#app/panel/guards.server.ts'
import type { DocumentNotice } from '#app/panel/schema.ts'
import type { Route } from './+types/document.resource'
import { besideMark } from './pdf-beside-mark.server.ts'

const STATUS_BY_REFUSAL: Partial<Record<ViewingRefusal, number>> = { perdido: 404, ocupado: 503 }

/** The browser may cache a thumbnail until the end of the session to which its address belongs. */
const thumbnailHeaders = (remainingMs: number) => ({
  'content-type': 'image/jpeg',
  'cache-control': `private, max-age=${Math.floor(remainingMs / 1000)}`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
})

/** Words the notice in place of a document that cannot be shown; null where the document can be shown. */
async function noticeOf(services: Services, file: DocumentFile): Promise<DocumentNotice | null> {
  const reason = await findViewingRefusal(services, file)
  return reason ? { texto: VIEWING_MESSAGES[reason], seBaja: reason === 'grande' } : null
}

/** A picture in a tab of its own needs the browser's inline styles; a PDF is shown in the viewer's frame. */
const policyOf = (contentType: string) =>
  contentType === 'application/pdf'
    ? "default-src 'none'; frame-ancestors 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * Serves a document to the organiser whose session made this address. `bajar=si` downloads the document, `bajar=original`
 * without the watermark; `tamano=ficha` has the size of the jury's cards. Each request is a line of the audit log, except two
 * that show nothing readable: `tamano=miniatura`, a thumbnail (0028), and `motivo=si`, why the document cannot be shown.
 * A PDF that cannot bear the watermark is framed below the watermark; the frame asks with `tal=si`.
 */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  const session = await requireOrganiser(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const query = new URL(request.url).searchParams
  const id = Number(params.id)
  if (query.get('llave') !== documentTokenOf(context, session, id))
    return refuseWithText('Esta dirección es de otra sesión. Abre el documento desde la inscripción.', 403)
  const file = await findDocumentFile(services.db, id)
  if (!file) return refuseWithText('Ese documento ya no existe.', 404)
  const { isReserved } = kindOf(file.clase)
  if (isReserved && !may(session.role, 'cuerpo'))
    return refuseWithText('Esta fotografía no la abre tu cuenta: pídele a quien administra que la revise.', 403)
  if (query.get('motivo') === 'si') return Response.json(await noticeOf(services, file), { headers: PRIVATE_HEADERS })
  if (query.get('tamano') === 'miniatura') {
    if (isReserved || !isImage(file)) return refuseWithText('De este documento no hay miniatura.', 404)
    const thumbnail = await prepareView(services, file, 'miniatura')
    return thumbnail.ok
      ? new Response(new Uint8Array(thumbnail.body), {
          headers: { ...thumbnailHeaders(session.remainingMs) },
        })
      : refuseWithText(VIEWING_MESSAGES[thumbnail.reason], STATUS_BY_REFUSAL[thumbnail.reason] ?? 422)
  }
  const download = query.get('bajar')
  if (download === 'original' && !may(session.role, 'archivos'))
    return refuseWithText('El original sin marca no lo baja tu cuenta: pídeselo a quien lleva todo el panel.', 403)
  // Viewing documents counts as activity, which keeps the session open.
  await accountsOf(context).touchSession(request)
  if (download === 'original') requireReauthenticationForFile(request, session)
  const shownDocument = download
    ? await prepareDownload(services, file, download === 'original')
    : await prepareView(services, file, query.get('tamano') === 'ficha' ? 'ficha' : 'pantalla')
  // This page shows nothing of the document; its frame requests the PDF, and that request is a line of the log.
  if (shownDocument.ok && shownDocument.lacksMark && query.get('tal') !== 'si')
    return besideMark(`?llave=${query.get('llave')}&tal=si`)
  const auditEvent =
    download === 'original' ? 'documento.bajado.sinMarca' : download ? 'documento.bajado' : 'documento.visto'
  const auditSubject = {
    documento: id,
    inscripcion: file.entryId,
    ...(!shownDocument.ok && { falla: shownDocument.reason }),
  }
  const logResult = await refuseIfDiskFull(services, async () => {
    await writeAuditLog(services.db, actorOf(context, session), { que: auditEvent, ...auditSubject })
    return { ok: true as const }
  })
  if (!logResult.ok) return refuseWithText(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS)
  if (!shownDocument.ok) {
    return refuseWithText(VIEWING_MESSAGES[shownDocument.reason], STATUS_BY_REFUSAL[shownDocument.reason] ?? 422)
  }
  const name = `${documentName(file.clase, file.lado).replace(', ', ' ')}.${shownDocument.extension}`
  return new Response(new Uint8Array(shownDocument.body), {
    headers: {
      'content-type': shownDocument.contentType,
      'content-length': String(shownDocument.body.length),
      'content-disposition': `${download ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(name)}`,
      ...PRIVATE_HEADERS,
      'content-security-policy': policyOf(shownDocument.contentType),
    },
  })
}
