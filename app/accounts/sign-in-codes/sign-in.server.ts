import { readCodeCounts } from '#app/accounts/data.server.ts'
import { isCodeAlarm, workForCode } from '#app/accounts/rules.ts'
import { type CodeRequestRefusal, readCode, readEmail } from '#app/accounts/schema.ts'
import { createBrowserNonce } from '#app/accounts/sessions/browser-nonce.server.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import type { SignInFlow, SignInResult } from '#app/accounts/sign-in/attempt.server.ts'
import type { BetterAuth } from '#app/accounts/sign-in/better-auth.server.ts'
import { neighbourhoodOf, networksOf } from '#app/core/http/client-networks.server.ts'
import { checkWork, createWorkChallenge } from '#app/core/http/proof-of-work.server.ts'
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
      headers: Headers
    }

/** The counts of recent codes, and the state of the mail server, are cached for this many milliseconds. */
const CACHE_MS = 5_000
/** While the mail server takes no mail, a voter is asked to come back after this time. */
const MAIL_DOWN_RETRY_SECONDS = 300

/** Caches the answer of a query for CACHE_MS; a failed query is not cached. */
function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { atMs: number; answer: Promise<T> } | undefined
  return () => {
    if (!last || performance.now() - last.atMs > CACHE_MS) {
      const answer = read()
      last = { atMs: performance.now(), answer }
      answer.catch(() => {
        last = undefined
      })
    }
    return last.answer
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

  const recentCodeCounts = cached(() => readCodeCounts(db))
  const isDown = cached(() => isMailDown(db))
  const codes = createSignInCodes(services, recentCodeCounts)

  const networkTraceOf = (client: string) => traceOf(`red-codigo:${client}`)
  const neighbourhoodTraceOf = (client: string) => traceOf(`vecindad:${neighbourhoodOf(client)}`)
  const createChallenge = (nonce: string, attempts: number) => createWorkChallenge(key, nonce, attempts, Date.now())

  let isAlarmLogged = false
  /** Logs an error once when most sent codes stay unused; the panel shows the alarm as long as it lasts. */
  async function watch(): Promise<void> {
    const now = await readCodeCounts(db)
    const isAlarmNow = isCodeAlarm(now)
    if (isAlarmNow && !isAlarmLogged)
      log.error(
        { enviados: now.enviados, usados: now.usados },
        'most of the codes that are sent stay unused: work grows',
      )
    isAlarmLogged = isAlarmNow
  }

  return {
    /** Gives a browser the proof of work for its next code. @returns headers: the cookie with the browser's nonce */
    async giveWork(request: Request, client: string): Promise<{ reto: WorkChallenge; headers: Headers }> {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const attempts = workForCode(await codes.neighbourhoodOf(neighbourhoodTraceOf(client)), await recentCodeCounts())
      return { reto: await createChallenge(nonce, attempts), headers: new Headers({ 'set-cookie': cookie }) }
    },

    async request(
      request: Request,
      client: string,
      givenEmail: unknown,
      proofOfWork?: SubmittedWork,
    ): Promise<CodeRequestResult> {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const headers = new Headers({ 'set-cookie': cookie })
      const email = readEmail(givenEmail)
      if (!email) return { ok: false, reason: 'correo', headers }
      // The work came with a cookie: a browser that keeps no cookies could not use a code either.
      if (proofOfWork && browserNonce.read(request) === undefined) return { ok: false, reason: 'cookies', headers }
      // A code that cannot go out is not promised.
      if (await isDown()) return { ok: false, reason: 'cuota', retrySeconds: MAIL_DOWN_RETRY_SECONDS, headers }
      const answer = await codes.request({
        email,
        deliveryAddress: typedText(String(givenEmail)),
        nonce,
        network: networkTraceOf(client),
        neighbourhood: neighbourhoodTraceOf(client),
        subscriberNetwork: traceOf(`bloque:${networksOf(client).at(-1)}`),
        doneWork: proofOfWork && (await checkWork(key, nonce, Date.now(), proofOfWork)),
      })
      if (answer.ok) return { ok: true, headers }
      if (answer.reason !== 'trabajo') return { ...answer, headers }
      const { reason, retrySeconds, attempts } = answer
      return { ok: false, reason, retrySeconds, reto: await createChallenge(nonce, attempts), headers }
    },

    async signIn(request: Request, client: string, givenEmail: unknown, givenCode: unknown): Promise<SignInResult> {
      const email = readEmail(givenEmail)
      const nonce = browserNonce.read(request)
      const clientTrace = traceOf(client)
      const account = traceOf(`cuenta:${email ?? String(givenEmail).slice(0, 320)}`)
      const attemptTarget = { account, email, clientTrace }
      const requester = {
        email: email ?? String(givenEmail).slice(0, 320),
        // A browser without a nonce asked for no code; the attempt still counts for its network.
        nonce: nonce ?? `sin:${clientTrace}`,
        network: networkTraceOf(client),
      }
      const answer = await codes.check({ ...requester, code: readCode(givenCode) })
      if (!answer.ok && answer.reason === 'espera')
        return signInFlow.refuse('espera', { retrySeconds: answer.retrySeconds })
      const attemptResult =
        answer.ok && email
          ? await signInFlow.attempt(() =>
              auth.api.signInByCode({ body: { email }, headers: new Headers(), returnHeaders: true }),
            )
          : 'credenciales'
      const known = typeof attemptResult === 'string' ? 'credenciales' : attemptResult
      const signInResult = await signInFlow.finish(request, known, attemptTarget, ({ userId }) =>
        codes.recordSignIn({ ...requester, userId, clientTrace }),
      )
      const isCookieless = !signInResult.ok && signInResult.reason === 'credenciales' && nonce === undefined
      return isCookieless ? { ...signInResult, reason: 'cookies' } : signInResult
    },

    watch,
  }
}
