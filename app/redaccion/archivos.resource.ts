import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/archivos.resource'
import { statusOf } from './archivos.ts'
import { recepcionOf } from './recepcion.server.ts'
import { quienEnvia } from './subidas.direccion.server.ts'

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
