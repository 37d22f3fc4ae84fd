import { cuentasOf } from '#app/accounts/guards.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { usarEnlace } from '#app/finals/record/judge-links.server.ts'
import { ENLACES } from '#app/finals/record/schema.ts'
import type { Route } from './+types/sign-in.resource'

const SIN_GUARDAR = { 'cache-control': 'private, no-store' }

/** The shape of a link's key, and of what a telephone calls itself. */
const LLAVE = /^[\w-]{32}$/
const APARATO = /^[\w-]{8,64}$/

const refuse = (mensaje: string, status: number) =>
  Response.json({ ok: false, mensaje }, { status, headers: SIN_GUARDAR })

/** A judge's link, which came in the address's fragment, opens this telephone. */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const [llave, aparato] = [String(form.get('llave') ?? ''), String(form.get('aparato') ?? '')]
  if (!LLAVE.test(llave) || !APARATO.test(aparato)) return refuse(ENLACES.falta, 422)
  const usado = await usarEnlace(services, llave, aparato)
  if (!usado.ok) return refuse(ENLACES[usado.reason], 403)
  const acceso = await cuentasOf(context).enterJurado(request, facts.client, usado.cuenta)
  if (!acceso.ok) return refuse(ENLACES.vencido, 403)
  const headers = new Headers(acceso.headers)
  headers.set('cache-control', 'private, no-store')
  return Response.json({ ok: true }, { headers })
}
