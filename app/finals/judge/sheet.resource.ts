import * as v from 'valibot'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { DISK_FULL_MESSAGE, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { findJudge } from '#app/finals/proceedings/data.server.ts'
import { signSheet } from '#app/finals/proceedings/mutations.server.ts'
import { REASONS } from '#app/finals/proceedings/record-entry-rules.ts'
import { NO_SESSION, type SheetResponse } from '#app/finals/proceedings/schema.ts'
import { saveTaps } from '#app/finals/proceedings/unsigned-sheets.server.ts'
import type { Route } from './+types/sheet.resource'
import { readSheet } from './data.server.ts'

const answer = (said: SheetResponse, status = 200) =>
  Response.json(said, { status, headers: { 'cache-control': 'private, no-store' } })

const noSession = () => answer({ ok: false, reason: 'sesion', mensaje: NO_SESSION }, 401)

async function judgeOf(request: Request, context: Route.LoaderArgs['context']) {
  const session = await getSession(request, context)
  if (!session || !may(session.role, 'jurado')) return undefined
  const judge = await findJudge(servicesOf(context).services.db, session.userId)
  return judge && { juez: judge, sesion: session }
}

/** The current sheet of the judge who asks. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const who = await judgeOf(request, context)
  if (!who) return noSession()
  return answer({ ok: true, hoja: await readSheet(servicesOf(context).services, who.juez) })
}

const integer = v.pipe(v.number(), v.safeInteger())
const id = v.pipe(v.string(), v.maxLength(60))

const SheetRequestSchema = v.variant('hacer', [
  v.object({
    hacer: v.literal('guardar'),
    final: integer,
    ronda: integer,
    toques: v.pipe(v.array(v.object({ candidata: id, criterio: integer, decimas: integer })), v.maxLength(200)),
  }),
  v.object({
    hacer: v.literal('firmar'),
    final: integer,
    ronda: integer,
    clave: v.pipe(
      v.string(),
      v.check((text) => isUuid(text)),
    ),
    calificaciones: v.record(id, v.pipe(v.array(integer), v.maxLength(10))),
  }),
])

const MAX_CHARACTERS = 20_000

/** Saves a judge's taps or signature, and answers with the sheet afterwards. */
export async function action({ request, context }: Route.ActionArgs) {
  const who = await judgeOf(request, context)
  if (!who) return noSession()
  const { services, facts } = servicesOf(context)
  const text = String((await request.formData()).get('envio') ?? '')
  const read = v.safeParse(v.pipe(v.string(), v.maxLength(MAX_CHARACTERS), v.parseJson(), SheetRequestSchema), text)
  const refuse = async (message: string, status = 409) =>
    answer({ ok: false, reason: 'rechazo', mensaje: message, hoja: await readSheet(services, who.juez) }, status)
  if (!read.success) return refuse('Esta hoja no se entiende: recarga la página. Lo que tocaste sigue aquí.', 422)
  const sending = read.output
  const { edicion, numero: judge } = who.juez
  const sheet = await readSheet(services, who.juez)
  if (sheet.final !== sending.final) return refuse(REASONS['otra-ronda'])
  const actor = { quien: who.sesion.userId, desde: accountsOf(context).traceOf(facts.client) }
  const where = { edicion, ronda: sending.ronda, juez: judge }
  const done = await unlessFull(services, async () => {
    if (sending.hacer === 'firmar')
      return signSheet(services, { ...where, idempotencyKey: sending.clave }, sending.calificaciones, actor)
    const reason = await saveTaps(services, where, sending.toques)
    return reason ? { ok: false as const, reason } : { ok: true as const }
  })
  if (done.ok) return answer({ ok: true, hoja: await readSheet(services, who.juez) })
  if (done.reason === 'sin-espacio') return answer({ ok: false, reason: 'rechazo', mensaje: DISK_FULL_MESSAGE }, 507)
  if (done.reason === 'alterada')
    return refuse('El acta de la final tiene una diferencia y no recibe más. Avisa en la mesa de la notaría.')
  const when = sheet.ronda?.firmada
  if (done.reason === 'firmada' && when)
    return refuse(
      `La hoja de ${who.juez.nombre} ya se firmó a las ${when}. Si hay un error, pide en la mesa de la notaría que la reabran.`,
    )
  return refuse(REASONS[done.reason])
}
