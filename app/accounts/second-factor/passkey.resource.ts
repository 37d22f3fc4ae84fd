import { cuentasOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { ParaLlave } from '#app/accounts/schema.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import type { Route } from './+types/passkey.resource'

const PARA: readonly ParaLlave[] = ['entrar', 'segundo', 'confirmo', 'alta']

/** /cuentas/llave?para=…: what a browser needs to make or prove a passkey. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const cuentas = cuentasOf(context)
  const given = new URL(request.url).searchParams.get('para')
  const para = PARA.find((one) => one === given)
  const refuse = (status: number) => Response.json({ ok: false }, { status, headers: { 'cache-control': 'no-store' } })
  if (!para) return refuse(400)
  const sesion = await cuentas.getSession(request)
  const organizador = sesion && may(sesion.rol, 'organizadores') ? sesion : undefined
  if ((para === 'alta' || para === 'confirmo') && !organizador) return refuse(403)
  // Whoever finds a session open a while later makes none.
  if (para === 'alta' && !organizador!.esReciente) return refuse(401)
  const { nombre } = await loadFicha()
  const made = await cuentas.llaveOptions(request, para, organizador, nombre)
  if (!made) return refuse(403)
  made.headers.set('cache-control', 'no-store')
  return Response.json(made.options, { headers: made.headers })
}
