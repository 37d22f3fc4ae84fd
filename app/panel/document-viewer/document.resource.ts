import { accountsOf, actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireReauthenticationForFile } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import {
  DISK_FULL_ON_OPEN_MESSAGE,
  DISK_FULL_STATUS,
  withDiskFullRefusal,
} from '#app/core/uploads/disk-space.server.ts'
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
import { documentTokenOf, requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import type { DocumentNotice } from '#app/panel/schema.ts'
import type { Route } from './+types/document.resource'
import { pdfUnderWatermark } from './pdf-under-watermark.server.ts'

const REFUSAL_STATUS: Partial<Record<ViewingRefusal, number>> = { perdido: 404, ocupado: 503 }

/** Lets the browser cache a thumbnail for the time that the session to which its URL belongs still has. */
const thumbnailHeaders = (remainingMs: number) => ({
  'content-type': 'image/jpeg',
  'cache-control': `private, max-age=${Math.floor(remainingMs / 1000)}`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
})

/** Returns the notice in place of a document that did not load. Without a known reason, the document may load later. */
async function readNotice(
  services: Services,
  file: DocumentFile,
  mayDownloadOriginal: boolean,
): Promise<DocumentNotice> {
  const reason = await findViewingRefusal(services, file)
  if (reason) return { texto: VIEWING_MESSAGES[reason], seBaja: reason === 'grande' && mayDownloadOriginal }
  const advice = mayDownloadOriginal ? 'descarga el original o pídelo de nuevo' : 'pídelo de nuevo'
  return {
    texto: `No se pudo mostrar. Inténtalo de nuevo en un momento; si sigue igual, ${advice}.`,
    seBaja: mayDownloadOriginal,
  }
}

/** A picture in a tab of its own needs the browser's inline styles; the viewer shows a PDF in a frame. */
const contentPolicyOf = (contentType: string) =>
  contentType === 'application/pdf'
    ? "default-src 'none'; frame-ancestors 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * Serves a document to the organiser whose session made the URL. `bajar=si` downloads it, `bajar=original` downloads it without the
 * watermark; `tamano=ficha` has the size of the jury cards. A PDF into which the watermark cannot be drawn is shown on a page in a
 * frame beneath the watermark; the frame requests the PDF with `tal=si`. Each permitted request is a line of the audit log, except
 * three kinds that show nothing readable: that page, a thumbnail (`tamano=miniatura`, 0028), and the reason why the document cannot
 * be shown (`motivo=si`).
 */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  const session = await requireOrganiserForFile(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const query = new URL(request.url).searchParams
  const id = Number(params.id)
  if (query.get('llave') !== documentTokenOf(context, session, id))
    return textRefusalResponse('Esta dirección es de otra sesión. Abre el documento desde la inscripción.', 403)
  const file = await findDocumentFile(services.db, id)
  if (!file) return textRefusalResponse('Ese documento ya no existe.', 404)
  const { isReserved } = kindOf(file.clase)
  if (isReserved && !may(session.role, 'cuerpo'))
    return textRefusalResponse('Esta fotografía no la abre tu cuenta: pídele a quien administra que la revise.', 403)
  const mayDownloadOriginal = may(session.role, 'archivos')
  if (query.get('motivo') === 'si')
    return Response.json(await readNotice(services, file, mayDownloadOriginal), { headers: PRIVATE_HEADERS })
  if (query.get('tamano') === 'miniatura') {
    if (isReserved || !isImage(file)) return textRefusalResponse('De este documento no hay miniatura.', 404)
    const thumbnail = await prepareView(services, file, 'miniatura')
    return thumbnail.ok
      ? new Response(new Uint8Array(thumbnail.body), {
          headers: { ...thumbnailHeaders(session.remainingMs) },
        })
      : textRefusalResponse(VIEWING_MESSAGES[thumbnail.reason], REFUSAL_STATUS[thumbnail.reason] ?? 422)
  }
  const downloadMode = query.get('bajar')
  if (downloadMode === 'original' && !mayDownloadOriginal)
    return textRefusalResponse('El original sin marca no lo baja tu cuenta: pídeselo a quien lleva todo el panel.', 403)
  // A request for a document counts as activity, which keeps the session open.
  await accountsOf(context).touchSession(request)
  if (downloadMode === 'original') requireReauthenticationForFile(request, session)
  const rendition = downloadMode
    ? await prepareDownload(services, file, downloadMode === 'original')
    : await prepareView(services, file, query.get('tamano') === 'ficha' ? 'ficha' : 'pantalla')
  // The page below shows nothing of the document itself; the request of its frame for the PDF is logged.
  if (rendition.ok && rendition.lacksMark && query.get('tal') !== 'si')
    return pdfUnderWatermark(`?llave=${query.get('llave')}&tal=si`)
  const auditEvent =
    downloadMode === 'original' ? 'documento.bajado.sinMarca' : downloadMode ? 'documento.bajado' : 'documento.visto'
  const auditSubject = {
    documento: id,
    inscripcion: file.entryId,
    ...(!rendition.ok && { falla: rendition.reason }),
  }
  const logResult = await withDiskFullRefusal(services, async () => {
    await writeAuditLog(services.db, actorOf(context, session), { que: auditEvent, ...auditSubject })
    return { ok: true as const }
  })
  if (!logResult.ok) return textRefusalResponse(DISK_FULL_ON_OPEN_MESSAGE, DISK_FULL_STATUS)
  if (!rendition.ok) {
    return textRefusalResponse(VIEWING_MESSAGES[rendition.reason], REFUSAL_STATUS[rendition.reason] ?? 422)
  }
  const name = `${documentName(file.clase, file.lado).replace(', ', ' ')}.${rendition.extension}`
  return new Response(new Uint8Array(rendition.body), {
    headers: {
      'content-type': rendition.contentType,
      'content-length': String(rendition.body.length),
      'content-disposition': `${downloadMode ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(name)}`,
      ...PRIVATE_HEADERS,
      'content-security-policy': contentPolicyOf(rendition.contentType),
    },
  })
}
