import * as v from 'valibot'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { findJudge } from '#app/finals/record/data.server.ts'
import { signSheet } from '#app/finals/record/mutations.server.ts'
import { RECORD_REFUSAL_MESSAGES } from '#app/finals/record/record-entry-rules.ts'
import { JUDGE_SESSION_MESSAGE, type SheetResponse } from '#app/finals/record/schema.ts'
import { saveTaps } from '#app/finals/record/unsigned-sheets.server.ts'
import type { Route } from './+types/sheet.resource'
import { readSheet } from './data.server.ts'

const respond = (body: SheetResponse, status = 200) =>
  Response.json(body, { status, headers: { 'cache-control': 'private, no-store' } })

const respondSignedOut = () => respond({ ok: false, reason: 'sesion', mensaje: JUDGE_SESSION_MESSAGE }, 401)

async function findJudgeSession(request: Request, context: Route.LoaderArgs['context']) {
  const session = await getSession(request, context)
  if (!session || !may(session.role, 'jurado')) return undefined
  const judge = await findJudge(servicesOf(context).services.db, session.userId)
  return judge && { judge, session }
}

export async function loader({ request, context }: Route.LoaderArgs) {
  const judgeSession = await findJudgeSession(request, context)
  if (!judgeSession) return respondSignedOut()
  return respond({ ok: true, hoja: await readSheet(servicesOf(context).services, judgeSession.judge) })
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

const MAX_REQUEST_CHARACTERS = 20_000

/** Saves a judge's taps or signature. A signed-in judge gets the sheet as it is afterwards, unless the disk is full. */
export async function action({ request, context }: Route.ActionArgs) {
  const judgeSession = await findJudgeSession(request, context)
  if (!judgeSession) return respondSignedOut()
  const { services, facts } = servicesOf(context)
  const requestText = String((await request.formData()).get('envio') ?? '')
  const parsedRequest = v.safeParse(
    v.pipe(v.string(), v.maxLength(MAX_REQUEST_CHARACTERS), v.parseJson(), SheetRequestSchema),
    requestText,
  )
  const respondRefused = async (message: string, status = 409) =>
    respond(
      { ok: false, reason: 'rechazo', mensaje: message, hoja: await readSheet(services, judgeSession.judge) },
      status,
    )
  if (!parsedRequest.success)
    return respondRefused('Esta hoja no se entiende: recarga la página. Lo que tocaste sigue aquí.', 422)
  const sheetRequest = parsedRequest.output
  const { edicion: edition, numero: judgeNumber } = judgeSession.judge
  const { ronda: roundNumber } = sheetRequest
  const sheet = await readSheet(services, judgeSession.judge)
  if (sheet.final !== sheetRequest.final) return respondRefused(RECORD_REFUSAL_MESSAGES['otra-ronda'])
  const actor = { quien: judgeSession.session.userId, desde: accountsOf(context).traceOf(facts.client) }
  const result = await withDiskFullRefusal(services, async () => {
    if (sheetRequest.hacer === 'firmar')
      return signSheet(
        services,
        { edition, roundNumber, judgeNumber, idempotencyKey: sheetRequest.clave },
        sheetRequest.calificaciones,
        actor,
      )
    const sheetKey = { edition, roundNumber, judgeNumber }
    const reason = await saveTaps(services, sheetKey, sheetRequest.toques)
    return reason ? { ok: false as const, reason } : { ok: true as const }
  })
  if (result.ok) return respond({ ok: true, hoja: await readSheet(services, judgeSession.judge) })
  if (result.reason === 'sin-espacio')
    return respond({ ok: false, reason: result.reason, mensaje: DISK_FULL_MESSAGE }, DISK_FULL_STATUS)
  if (result.reason === 'alterada')
    return respondRefused('El acta de la final tiene una diferencia y no recibe más. Avisa en la mesa de la notaría.')
  const signedAtText = sheet.ronda?.firmada
  if (result.reason === 'firmada' && signedAtText)
    return respondRefused(
      `La hoja de ${judgeSession.judge.nombre} ya se firmó a las ${signedAtText}. Si hay un error, pide en la mesa de la notaría que la reabran.`,
    )
  return respondRefused(RECORD_REFUSAL_MESSAGES[result.reason])
}
