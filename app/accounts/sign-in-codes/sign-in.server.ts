import { readCodeCounts } from '#app/accounts/data.server.ts'
import { isCodeAlarm, workForCode } from '#app/accounts/rules.ts'
import { type CodeRequestRefusal, parseCode, parseEmail, type SignInResponse } from '#app/accounts/schema.ts'
import { createBrowserNonce } from '#app/accounts/sessions/browser-nonce.server.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import type { SignInFlow, SignInResult } from '#app/accounts/sign-in/attempt.server.ts'
import type { BetterAuth } from '#app/accounts/sign-in/better-auth.server.ts'
import { neighbourhoodOf, networksOf } from '#app/core/http/client-networks.server.ts'
import { createWorkChallenge, verifyWork } from '#app/core/http/proof-of-work.server.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { isMailDown } from '#app/mail/data.server.ts'
import { createSignInCodes } from './issue-and-check.server.ts'

export type CodeRequestResult =
  /** `headers` sets the cookie with the browser's nonce. */
  | { ok: true; headers: Headers }
  | {
      ok: false
      reason: CodeRequestRefusal
      retrySeconds?: number
      reto?: WorkChallenge
      mensaje?: string
      headers: Headers
    }

/** Time for which the counts of recent codes and the state of the mail server are cached. */
const CACHE_MS = 5_000
/** Wait of a voter while the mail server accepts no mail. */
const MAIL_DOWN_RETRY_SECONDS = 300

const REFUSED_ADDRESS_MESSAGE =
  'El servidor de correo no aceptó esa dirección. Revisa sus letras, o usa otra: tu voto sigue sin usarse.'

/** Caches the result of a query for CACHE_MS; a failed query is not cached. */
function cacheBriefly<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let lastQuery: { startedAtMs: number; result: Promise<Result> } | undefined
  return () => {
    if (!lastQuery || performance.now() - lastQuery.startedAtMs > CACHE_MS) {
      const result = read()
      lastQuery = { startedAtMs: performance.now(), result }
      result.catch(() => {
        lastQuery = undefined
      })
    }
    return lastQuery.result
  }
}

/** Creates the sign-in of voters by mailed codes. */
export function createCodeSignIn(
  services: Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>,
  auth: BetterAuth,
  { signInFlow, cookies, traceOf }: { signInFlow: SignInFlow; cookies: Cookies; traceOf(text: string): string },
) {
  const { db, keyed, log } = services
  const key = keyed('codigos.trabajo')
  const browserNonce = createBrowserNonce(cookies)

  const recentCodeCounts = cacheBriefly(() => readCodeCounts(db))
  const isMailServerDown = cacheBriefly(() => isMailDown(db))
  const signInCodes = createSignInCodes(services, recentCodeCounts)

  const networkTraceOf = (client: string) => traceOf(`red-codigo:${client}`)
  const neighbourhoodTraceOf = (client: string) => traceOf(`vecindad:${neighbourhoodOf(client)}`)
  const createChallenge = (nonce: string, difficulty: number) => createWorkChallenge(key, nonce, difficulty, Date.now())

  let isAlarmLogged = false
  async function watch(): Promise<void> {
    const { sent, used, failed } = await readCodeCounts(db)
    const isAlarmNow = isCodeAlarm({ sent, used, failed })
    if (isAlarmNow && !isAlarmLogged)
      log.error({ sent, used }, 'most of the codes that are sent stay unused: work grows')
    isAlarmLogged = isAlarmNow
  }

  return {
    async issueWorkChallenge(request: Request, client: string): Promise<{ reto: WorkChallenge; headers: Headers }> {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const neighbourhood = await signInCodes.neighbourhoodOf(neighbourhoodTraceOf(client))
      const difficulty = workForCode(neighbourhood, await recentCodeCounts())
      return { reto: await createChallenge(nonce, difficulty), headers: new Headers({ 'set-cookie': cookie }) }
    },

    async request(
      request: Request,
      client: string,
      typedEmail: unknown,
      proofOfWork?: SubmittedWork,
    ): Promise<CodeRequestResult> {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const headers = new Headers({ 'set-cookie': cookie })
      const email = parseEmail(typedEmail)
      if (!email) return { ok: false, reason: 'correo', headers }
      // The challenge came with a cookie; a browser that stores no cookies could not use a code either.
      if (proofOfWork && browserNonce.read(request) === undefined) return { ok: false, reason: 'cookies', headers }
      // A code that cannot be sent is not promised.
      if (await isMailServerDown())
        return { ok: false, reason: 'cuota', retrySeconds: MAIL_DOWN_RETRY_SECONDS, headers }
      const response = await signInCodes.request({
        email,
        deliveryAddress: typedText(String(typedEmail)),
        nonce,
        networkTrace: networkTraceOf(client),
        neighbourhoodTrace: neighbourhoodTraceOf(client),
        subscriberTrace: traceOf(`bloque:${networksOf(client).at(-1)}`),
        doneWork: proofOfWork && (await verifyWork(key, nonce, Date.now(), proofOfWork)),
      })
      if (response.ok) return { ok: true, headers }
      if (response.reason === 'rechazado')
        return { ok: false, reason: 'correo', mensaje: REFUSED_ADDRESS_MESSAGE, headers }
      if (response.reason !== 'trabajo') return { ...response, headers }
      const { reason, retrySeconds, difficulty } = response
      return { ok: false, reason, retrySeconds, reto: await createChallenge(nonce, difficulty), headers }
    },

    async checkDelivery(request: Request, typedEmail: unknown): Promise<SignInResponse> {
      const [email, nonce] = [parseEmail(typedEmail), browserNonce.read(request)]
      const delay = email && nonce ? await signInCodes.findMailDelay({ email, nonce }) : undefined
      if (delay === 'refused') return { ok: false, reason: 'correo', mensaje: REFUSED_ADDRESS_MESSAGE }
      if (delay === 'waiting' && (await isMailServerDown()))
        return { ok: false, reason: 'cuota', retrySeconds: MAIL_DOWN_RETRY_SECONDS }
      return { ok: true }
    },

    async signIn(request: Request, client: string, typedEmail: unknown, typedCode: unknown): Promise<SignInResult> {
      const email = parseEmail(typedEmail)
      const nonce = browserNonce.read(request)
      const clientTrace = traceOf(client)
      const accountTrace = traceOf(`cuenta:${email ?? String(typedEmail).slice(0, 320)}`)
      const loggedAttempt = { accountTrace, email, clientTrace }
      const requester = {
        email: email ?? String(typedEmail).slice(0, 320),
        // A browser without a nonce has no code; the attempt still counts for its network.
        nonce: nonce ?? `sin:${clientTrace}`,
        networkTrace: networkTraceOf(client),
      }
      const response = await signInCodes.check({ ...requester, code: parseCode(typedCode) })
      if (!response.ok && response.reason === 'espera')
        return signInFlow.refuse('espera', { retrySeconds: response.retrySeconds })
      const attemptResult =
        response.ok && email
          ? await signInFlow.attempt(() =>
              auth.api.signInByCode({ body: { email }, headers: new Headers(), returnHeaders: true }),
            )
          : 'credenciales'
      const finalResult = typeof attemptResult === 'string' ? 'credenciales' : attemptResult
      const signInResult = await signInFlow.finish(request, finalResult, loggedAttempt, ({ userId }) =>
        signInCodes.recordSignIn({ ...requester, userId, clientTrace }),
      )
      const isCookieless = !signInResult.ok && signInResult.reason === 'credenciales' && nonce === undefined
      return isCookieless ? { ...signInResult, reason: 'cookies' } : signInResult
    },

    watch,
  }
}
