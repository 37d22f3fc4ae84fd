import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/entrar.resource'
import { cuentasOf } from './guards.server.ts'
import type { RespuestaDeEntrada } from './schema.ts'

/**
 * How voters enter, for a page's script: `hacer=pedir` (correo) sends a code, `hacer=codigo` (correo, codigo) signs in.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const form = await request.formData()
  const answer = (body: RespuestaDeEntrada, status: number, headers = new Headers()) => {
    headers.set('cache-control', 'private, no-store')
    if (!body.ok && body.retrySeconds !== undefined) headers.set('retry-after', String(body.retrySeconds))
    return Response.json(body, { status, headers })
  }
  const [correo, hacer] = [form.get('correo'), form.get('hacer')]
  if (hacer === 'pedir') {
    const pedido = await cuentas.requestCode(request, facts.client, correo)
    return answer(pedido, pedido.ok ? 200 : pedido.reason === 'espera' ? 429 : 400)
  }
  if (hacer === 'codigo') {
    const acceso = await cuentas.signInCode(request, facts.client, correo, form.get('codigo'))
    if (acceso.ok) return answer({ ok: true }, 200, acceso.headers)
    return answer(acceso, acceso.reason === 'credenciales' ? 401 : 429)
  }
  return answer({ ok: false, reason: 'peticion' }, 400)
}
