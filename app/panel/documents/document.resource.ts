import { autorDe, cuentasOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { requireConfirmacionDeArchivo } from '#app/accounts/sign-in/login-wall.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { claseOf, nombreDeDocumento } from '#app/entries/definitions/document-kinds.ts'
import {
  type Archivo,
  esImagen,
  findArchivo,
  MENSAJES_DE_VISTA,
  type MotivoDeVista,
  takeArchivo,
  viewArchivo,
  whyNotShown,
} from '#app/entries/documents/viewing.server.ts'
import { llaveDe, refused, requireOrganizador } from '#app/panel/guards.server.ts'
import type { AvisoDeDocumento } from '#app/panel/schema.ts'
import type { Route } from './+types/document.resource'
import { besideMark } from './pdf-beside-mark.server.ts'

const PRIVADO = { 'cache-control': 'private, no-store' }
const STATUS: Partial<Record<MotivoDeVista, number>> = { perdido: 404, ocupado: 503 }

/** The browser keeps a miniature as long as the session lasts in whose address it stands. */
const miniaturaHeaders = (quedanMs: number) => ({
  'content-type': 'image/jpeg',
  'cache-control': `private, max-age=${Math.floor(quedanMs / 1000)}`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
})

/** What is said in the place of a document that cannot be shown; null where it can. */
async function avisoDe(services: Services, archivo: Archivo): Promise<AvisoDeDocumento | null> {
  const reason = await whyNotShown(services, archivo)
  return reason ? { texto: MENSAJES_DE_VISTA[reason], seBaja: reason === 'grande' } : null
}

/** Pictures opened by themselves stand in a document of the browser's with styles of its own; PDFs, in the viewer's frame. */
const policyOf = (contentType: string) =>
  contentType === 'application/pdf'
    ? "default-src 'none'; frame-ancestors 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * A document for the organiser whose session made this address: to look at, with `bajar=si` to take along, with
 * `bajar=original` without the mark; `tamano=ficha` as small as the jury's cards have it. Every time is a line of the log.
 * Two that show nothing to be read are none: `tamano=miniatura`, by which documents are told from one another (0028), and
 * `motivo=si`, why it would not be shown. A PDF that cannot bear the mark comes below it, in a frame (`tal=si`).
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
  const { esReservado } = claseOf(archivo.clase)
  if (esReservado && !may(sesion.rol, 'cuerpo'))
    return refused('Esta fotografía no la abre tu cuenta: pídele a quien administra que la revise.', 403)
  if (asked.get('motivo') === 'si') return Response.json(await avisoDe(services, archivo), { headers: PRIVADO })
  if (asked.get('tamano') === 'miniatura') {
    if (esReservado || !esImagen(archivo)) return refused('De este documento no hay miniatura.', 404)
    const small = await viewArchivo(services, archivo, 'miniatura')
    return small.ok
      ? new Response(new Uint8Array(small.body), {
          headers: { ...miniaturaHeaders(sesion.quedanMs) },
        })
      : refused(MENSAJES_DE_VISTA[small.reason], STATUS[small.reason] ?? 422)
  }
  const bajar = asked.get('bajar')
  if (bajar === 'original' && !may(sesion.rol, 'archivos'))
    return refused('El original sin marca no lo baja tu cuenta: pídeselo a quien lleva todo el panel.', 403)
  // Whoever looks at documents is at work, though nothing else of the panel is asked for.
  await cuentasOf(context).useSesion(request)
  if (bajar === 'original') requireConfirmacionDeArchivo(request, sesion)
  const found = bajar
    ? await takeArchivo(services, archivo, bajar === 'original')
    : await viewArchivo(services, archivo, asked.get('tamano') === 'ficha' ? 'ficha' : 'pantalla')
  // It shows nothing of the document: its frame asks for that, and is noted.
  if (found.ok && found.lacksMark && asked.get('tal') !== 'si') return besideMark(`?llave=${asked.get('llave')}&tal=si`)
  const que = bajar === 'original' ? 'documento.bajado.sinMarca' : bajar ? 'documento.bajado' : 'documento.visto'
  const sobre = { documento: id, inscripcion: archivo.inscripcionId, ...(!found.ok && { falla: found.reason }) }
  const noted = await unlessFull(services, async () => {
    await anotar(services.db, autorDe(context, sesion), { que, ...sobre })
    return { ok: true as const }
  })
  if (!noted.ok) return refused(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO)
  if (!found.ok) {
    return refused(MENSAJES_DE_VISTA[found.reason], STATUS[found.reason] ?? 422)
  }
  const nombre = `${nombreDeDocumento(archivo.clase, archivo.lado).replace(', ', ' ')}.${found.extension}`
  return new Response(new Uint8Array(found.body), {
    headers: {
      'content-type': found.contentType,
      'content-length': String(found.body.length),
      'content-disposition': `${bajar ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(nombre)}`,
      ...PRIVADO,
      'content-security-policy': policyOf(found.contentType),
    },
  })
}
