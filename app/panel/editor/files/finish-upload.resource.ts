import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/finish-upload.resource'
import { recepcionOf } from './file-intake.server.ts'
import { statusOf } from './upload-protocol.ts'
import { quienEnvia } from './uploads.early.server.ts'

const PRIVADO = { 'cache-control': 'private, no-store' }

/** Opens a file that has come whole, and answers what it is now called in the edition (Recepcion). */
export async function action({ request, context }: Route.ActionArgs) {
  const entra = await quienEnvia(request, context)
  if (!entra.ok) {
    const { reason, message } = entra.rechazo
    return Response.json({ ok: false, reason, message }, { status: statusOf(reason), headers: PRIVADO })
  }
  const form = await request.formData()
  const sent = { entrega: form.get('entrega'), subida: form.get('subida') }
  const recepcion = await recepcionOf(context).receive(entra.quien, sent, servicesOf(context).facts)
  return Response.json(recepcion, { status: recepcion.ok ? 200 : statusOf(recepcion.reason), headers: PRIVADO })
}
