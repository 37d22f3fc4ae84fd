import { accountsOf } from '#app/accounts/guards.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { redeemJudgeLink } from '#app/finals/record/judge-links.server.ts'
import { JUDGE_LINK_MESSAGES } from '#app/finals/record/schema.ts'
import type { Route } from './+types/sign-in.resource'

const NO_STORE = { 'cache-control': 'private, no-store' }

/** Matches a link's key: 24 bytes in base64url. */
const KEY_PATTERN = /^[\w-]{32}$/
const DEVICE_ID_PATTERN = /^[\w-]{8,64}$/

const respondRefused = (message: string, status: number) =>
  Response.json({ ok: false, mensaje: message }, { status, headers: NO_STORE })

/** Redeems the key of a judge's link, which the screen has read from the URL fragment, and signs the telephone in. */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const [key, deviceId] = [String(form.get('llave') ?? ''), String(form.get('aparato') ?? '')]
  if (!KEY_PATTERN.test(key) || !DEVICE_ID_PATTERN.test(deviceId)) return respondRefused(JUDGE_LINK_MESSAGES.falta, 422)
  const redemption = await redeemJudgeLink(services, key, deviceId)
  if (!redemption.ok) return respondRefused(JUDGE_LINK_MESSAGES[redemption.reason], 403)
  const signInResult = await accountsOf(context).signInJudge(request, facts.client, redemption.userId)
  if (!signInResult.ok) return respondRefused(JUDGE_LINK_MESSAGES.vencido, 403)
  const headers = new Headers(signInResult.headers)
  headers.set('cache-control', 'private, no-store')
  return Response.json({ ok: true }, { headers })
}
