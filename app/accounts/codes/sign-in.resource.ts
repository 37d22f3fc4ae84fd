import { cuentasOf } from '#app/accounts/guards.server.ts'
import type { MotivoDePedido, RespuestaDeEntrada, TrabajoDado } from '#app/accounts/schema.ts'
import { readTrabajo } from '#app/core/http/proof-of-work.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/sign-in.resource'

/** Work for the code that a browser is going to ask for: a page's script fetches it while the address is typed. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { reto, headers } = await cuentasOf(context).giveWork(request, servicesOf(context).facts.client)
  headers.set('cache-control', 'private, no-store')
  return Response.json({ reto } satisfies TrabajoDado, { headers })
}

/**
 * How voters enter, for a page's script: `hacer=pedir` (correo, and `reto` with `respuesta` where work was done) sends a
 * code to be used in this browser, `hacer=codigo` (correo, codigo) signs in.
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
    const { headers, ...pedido } = await cuentas.requestCode(request, facts.client, correo, readTrabajo(form))
    return answer(pedido, pedido.ok ? 200 : STATUS_DE_PEDIDO[pedido.reason], headers)
  }
  if (hacer === 'codigo') {
    const acceso = await cuentas.signInCode(request, facts.client, correo, form.get('codigo'))
    if (acceso.ok) return answer({ ok: true }, 200, acceso.headers)
    return answer(acceso, acceso.reason === 'credenciales' || acceso.reason === 'cookies' ? 401 : 429)
  }
  return answer({ ok: false, reason: 'peticion' }, 400)
}

const STATUS_DE_PEDIDO: Record<MotivoDePedido, number> = {
  ...{ correo: 400, cookies: 400, trabajo: 428 },
  ...{ espera: 429, 'red-llena': 429, cuota: 429 },
}
