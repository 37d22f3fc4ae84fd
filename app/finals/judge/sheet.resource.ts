import * as v from 'valibot'
import { cuentasOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { findJuez } from '#app/finals/record/data.server.ts'
import { firmarHoja } from '#app/finals/record/mutations.server.ts'
import { MOTIVOS } from '#app/finals/record/record-entry-rules.ts'
import { type RespuestaDeHoja, SIN_SESION } from '#app/finals/record/schema.ts'
import { guardarToques } from '#app/finals/record/unsigned-sheets.server.ts'
import type { Route } from './+types/sheet.resource'
import { readHoja } from './data.server.ts'

const answer = (said: RespuestaDeHoja, status = 200) =>
  Response.json(said, { status, headers: { 'cache-control': 'private, no-store' } })

const sinSesion = () => answer({ ok: false, reason: 'sesion', mensaje: SIN_SESION }, 401)

async function juezDe(request: Request, context: Route.LoaderArgs['context']) {
  const sesion = await getSession(request, context)
  if (!sesion || !may(sesion.rol, 'jurado')) return undefined
  const juez = await findJuez(servicesOf(context).services.db, sesion.userId)
  return juez && { juez, sesion }
}

/** A judge's own sheet as it stands. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const quien = await juezDe(request, context)
  if (!quien) return sinSesion()
  return answer({ ok: true, hoja: await readHoja(servicesOf(context).services, quien.juez) })
}

const entero = v.pipe(v.number(), v.safeInteger())
const id = v.pipe(v.string(), v.maxLength(60))

const EnvioSchema = v.variant('hacer', [
  v.object({
    hacer: v.literal('guardar'),
    final: entero,
    ronda: entero,
    toques: v.pipe(v.array(v.object({ candidata: id, criterio: entero, decimas: entero })), v.maxLength(200)),
  }),
  v.object({
    hacer: v.literal('firmar'),
    final: entero,
    ronda: entero,
    clave: v.pipe(
      v.string(),
      v.check((text) => isUuid(text)),
    ),
    calificaciones: v.record(id, v.pipe(v.array(entero), v.maxLength(10))),
  }),
])

const MAX_CHARACTERS = 20_000

/** What a judge typed, or the signature under it; answered with the sheet as it stands afterwards. */
export async function action({ request, context }: Route.ActionArgs) {
  const quien = await juezDe(request, context)
  if (!quien) return sinSesion()
  const { services, facts } = servicesOf(context)
  const text = String((await request.formData()).get('envio') ?? '')
  const read = v.safeParse(v.pipe(v.string(), v.maxLength(MAX_CHARACTERS), v.parseJson(), EnvioSchema), text)
  const refuse = async (mensaje: string, status = 409) =>
    answer({ ok: false, reason: 'rechazo', mensaje, hoja: await readHoja(services, quien.juez) }, status)
  if (!read.success) return refuse('Esta hoja no se entiende: recarga la página. Lo que tocaste sigue aquí.', 422)
  const envio = read.output
  const { edicion, numero: juez } = quien.juez
  const hoja = await readHoja(services, quien.juez)
  if (hoja.final !== envio.final) return refuse(MOTIVOS['otra-ronda'])
  const autor = { quien: quien.sesion.userId, desde: cuentasOf(context).traceOf(facts.client) }
  const where = { edicion, ronda: envio.ronda, juez }
  const hecho = await unlessFull(services, async () => {
    if (envio.hacer === 'firmar')
      return firmarHoja(services, { ...where, clave: envio.clave }, envio.calificaciones, autor)
    const reason = await guardarToques(services, where, envio.toques)
    return reason ? { ok: false as const, reason } : { ok: true as const }
  })
  if (hecho.ok) return answer({ ok: true, hoja: await readHoja(services, quien.juez) })
  if (hecho.reason === 'sin-espacio') return answer({ ok: false, reason: 'rechazo', mensaje: SIN_ESPACIO }, 507)
  if (hecho.reason === 'alterada')
    return refuse('El acta de la final tiene una diferencia y no recibe más. Avisa en la mesa de la notaría.')
  const when = hoja.ronda?.firmada
  if (hecho.reason === 'firmada' && when)
    return refuse(
      `La hoja de ${quien.juez.nombre} ya se firmó a las ${when}. Si hay un error, pide en la mesa de la notaría que la reabran.`,
    )
  return refuse(MOTIVOS[hecho.reason])
}
