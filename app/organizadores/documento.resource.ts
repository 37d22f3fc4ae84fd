import { anotar } from '#app/bitacora/mutations.server.ts'
import { requireConfirmacionDeArchivo } from '#app/cuentas/puerta.server.ts'
import { nombreDeDocumento } from '#app/inscripciones/clases.ts'
import { findArchivo, MENSAJES_DE_VISTA, takeArchivo, viewArchivo } from '#app/inscripciones/documentos.server.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/platform/espacio.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/documento.resource'
import { autorDe, llaveDe, refused, requireOrganizador } from './guards.server.ts'

/** Pictures opened by themselves stand in a document of the browser's with styles of its own; PDFs, in the viewer's frame. */
const policyOf = (contentType: string) =>
  contentType === 'application/pdf'
    ? "default-src 'none'; frame-ancestors 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * A document for the organiser whose session made this address: to look at, with `bajar=si` to take along, with
 * `bajar=original` without the mark; `tamano=ficha` as small as the jury's cards have it. Every time is a line of the log.
 */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  const sesion = await requireOrganizador(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const asked = new URL(request.url).searchParams
  const id = Number(params.id)
  if (asked.get('llave') !== llaveDe(context, sesion, id))
    return refused('Esta dirección es de otra sesión. Abre el documento desde la inscripción.', 403)
  const archivo = await findArchivo(services.db, id)
  if (!archivo) return refused('Ese documento ya no existe.', 404)
  const bajar = asked.get('bajar')
  if (bajar === 'original') requireConfirmacionDeArchivo(request, sesion)
  const found = bajar
    ? await takeArchivo(services, archivo, bajar === 'original')
    : await viewArchivo(services, archivo, asked.get('tamano') === 'ficha' ? 'ficha' : 'pantalla')
  const que = bajar === 'original' ? 'documento.bajado.sinMarca' : bajar ? 'documento.bajado' : 'documento.visto'
  const sobre = { documento: id, inscripcion: archivo.inscripcionId, ...(!found.ok && { falla: found.reason }) }
  const noted = await unlessFull(services, async () => {
    await anotar(services.db, autorDe(context, sesion), { que, ...sobre })
    return { ok: true as const }
  })
  if (!noted.ok) return refused(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO)
  if (!found.ok) {
    const status = { perdido: 404, ocupado: 503 }[found.reason as string] ?? 422
    return refused(MENSAJES_DE_VISTA[found.reason], status)
  }
  const nombre = `${nombreDeDocumento(archivo.clase, archivo.lado).replace(', ', ' ')}.${found.extension}`
  return new Response(new Uint8Array(found.body), {
    headers: {
      'content-type': found.contentType,
      'content-length': String(found.body.length),
      'content-disposition': `${bajar ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(nombre)}`,
      'cache-control': 'private, no-store',
      'content-security-policy': policyOf(found.contentType),
    },
  })
}
