import { createHmac } from 'node:crypto'
import { sweepExpiredRows } from '#app/accounts/expired-rows.server.ts'
import { sendRecoveryLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { createReauthentication } from '#app/accounts/reauthentication/verify.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { createSessions, type Session, type Sessions } from '#app/accounts/sessions/store.server.ts'
import { createSignInFlow, type SecondFactorRequired, type SignInResult } from '#app/accounts/sign-in/attempt.server.ts'
import { createBetterAuth } from '#app/accounts/sign-in/better-auth.server.ts'
import { createPasswordSignIn } from '#app/accounts/sign-in/by-password.server.ts'
import {
  createSecondFactorSignIn,
  type PresentedFactor,
  type SecondFactorResult,
  type SecondFactorSignIn,
} from '#app/accounts/sign-in/by-second-factor.server.ts'
import { type CodeRequestResult, createCodeSignIn } from '#app/accounts/sign-in-codes/sign-in.server.ts'
import { countAttempt } from '#app/accounts/throttling/rate-limit.server.ts'
import { createWaitBypassLinks, type WaitBypassLinks } from '#app/accounts/throttling/wait-bypass-links.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { ATTEMPT_LIMITS, localPathOr } from './rules.ts'
import { parseEmail, type SignInResponse } from './schema.ts'

export type { SignInResult } from '#app/accounts/sign-in/attempt.server.ts'

export interface Accounts {
  /** Returns the open session of a request; undefined without one. @throws if the database does not answer */
  getSession(request: Request): Promise<Session | undefined>
  /**
   * Signs in with email and password. The attempts of a known device (known-devices.server.ts) are counted apart, and its
   * passwords get nearly all turns in the queue of hashes (passwords/hash.server.ts).
   * @param client the visitor's network address
   * @param proofOfWork solved challenge of an earlier refusal for overload
   * @returns the session and the cookies to set; or a refusal that does not tell whether the account exists; or, after the right
   * password, that a second factor is required
   */
  signInPassword(
    request: Request,
    client: string,
    email: unknown,
    password: unknown,
    proofOfWork?: SubmittedWork,
  ): Promise<SignInResult | SecondFactorRequired>
  /** Returns the second factors for this browser's pending sign-in; undefined without one, or if the account has none any more. */
  secondFactorMethods: SecondFactorSignIn['listMethods']
  /**
   * Checks a second factor and, if it is right, opens the session.
   * @param client the visitor's network address
   * @returns reason `expired` if no sign-in is pending any more, or its attempts are used up
   */
  passSecondFactor(request: Request, client: string, presentedFactor: PresentedFactor): Promise<SecondFactorResult>
  /** Ends this browser's pending sign-in, if there is one. @returns headers that delete its cookie */
  leaveSecondFactor: SecondFactorSignIn['leavePending']
  /**
   * Returns WebAuthn options to create or prove a passkey (passkey.resource.ts); undefined if the purpose needs a session or a
   * pending sign-in that is missing.
   */
  passkeyOptions: SecondFactorSignIn['passkeyOptions']
  /** Signs an organiser in by a passkey alone. @param client the visitor's network address */
  signInByPasskey: SecondFactorSignIn['signInByPasskey']
  /** Signs a judge in. The caller must have checked the judge's link. @param client the visitor's network address */
  signInJudge(request: Request, client: string, userId: string): Promise<SignInResult>
  /** Stores a passkey that this browser has just made. @returns new recovery codes, if any; undefined for a refused passkey */
  addPasskey: SecondFactorSignIn['addPasskey']
  /** Whether the panel opens to organisers only with a second factor (SECOND_FACTOR). */
  requiresSecondFactor: boolean
  /** Records, at most once a minute, that the session of a request was used, which restarts an organiser's idle timeout. */
  touchSession: Sessions['touch']
  /** Hides the advice to set up a second factor for as long as this session lasts. */
  postponeSecondFactor: Sessions['postponeSecondFactor']
  /**
   * Issues the proof-of-work challenge for a browser's next code, and the cookie with the nonce that binds both to the browser.
   * @param client the visitor's network address
   */
  issueWorkChallenge(request: Request, client: string): Promise<{ reto: WorkChallenge; headers: Headers }>
  /**
   * Mails a one-time code for this browser or, to an account with a role, where to sign in by password. Beyond
   * ATTEMPT_LIMITS.codeMail an address gets no mail while its last code is valid, and an account with a role none at all. The
   * answer does not tell whether the account exists.
   * @param client the visitor's network address
   * @param proofOfWork solved challenge of `issueWorkChallenge` or of an earlier refusal; requests without it have a tighter
   * limit
   * @returns headers, also of a refusal: the cookie with the browser's nonce
   */
  requestCode(request: Request, client: string, email: unknown, proofOfWork?: SubmittedWork): Promise<CodeRequestResult>
  /** Tells a browser that waits for a code whether its mail cannot arrive for now, or was refused (told once). */
  checkCodeDelivery(request: Request, email: unknown): Promise<SignInResponse>
  /**
   * Signs a voter in by a one-time code (MAX_CODE_ATTEMPTS, CODE_MINUTES), in the browser that asked for the code; creates the
   * account if there is none.
   * @returns the session and the cookies to set, or a refusal
   */
  signInCode(request: Request, client: string, email: unknown, code: unknown): Promise<SignInResult>
  /** Whether voters can sign in with Google, that is, whether its keys are set. */
  hasGoogle: boolean
  /**
   * Begins a sign-in with Google.
   * @param client the visitor's network address
   * @param next path to go to afterwards, if `localPathOr` admits it
   * @returns a redirect to Google; beyond the limit of one network, to the vote's page
   */
  beginGoogle(request: Request, client: string, next: unknown): Promise<Response>
  /** Handles the callback from Google. @returns a redirect */
  endGoogle(request: Request, client: string): Promise<Response>
  /** Reauthenticates the person of an open session by password or passkey. @param client the visitor's network address */
  reauthenticate: ReturnType<typeof createReauthentication>
  /** Lists an organiser's open sessions, newest first, and marks the session that sends the request. */
  listSessions: Sessions['list']
  /** Ends one session of an account by its id, or all sessions but the request's own (`otras`). */
  endSession: Sessions['endListed']
  /**
   * Mails an organiser or a journalist a link to set a new password (`clave`), or a wait-bypass link (`paso`). The answer does not
   * tell whether the account exists.
   * @param client the visitor's network address
   * @returns seconds to wait after too many requests; 0 if the request was accepted, and the link is queued if the account exists
   */
  requestRecoveryLink(client: string, email: unknown, purpose?: 'clave' | 'paso'): Promise<number>
  /** Mailed links that let a browser past the waits after wrong passwords. */
  waitBypassLinks: WaitBypassLinks
  /** Ends the session of a request. @returns headers that delete the session's cookie */
  signOut(request: Request, client: string): Promise<Headers>
  /** Returns a keyed hash of a text such as a network address, for the audit log and for counters. */
  traceOf(text: string): string
  /** Deletes expired rows (`sweepExpiredRows`). */
  sweep(): Promise<unknown>
  /** Logs an error when an alarm of unused codes begins (`isCodeAlarm`); the panel's notice reads the counts itself. */
  watchCodes(): Promise<void>
}

/** Path of the vote's page that reports a failure of Google and offers a code instead. */
export const GOOGLE_FAILED_PATH = '/misspopularidad?error=google'

/**
 * Creates the sign-in over the site's database. better-auth signs in by password and by Google, and makes the sessions; the
 * site's own modules count the attempts, check the other proofs, and decide which accounts may enter.
 */
export function createAccounts(services: Services): Accounts {
  const { db, clock, log, settings, keyed } = services
  const traceKey = keyed('rastro')
  const traceOf = (text: string) => createHmac('sha256', traceKey).update(text).digest('base64url').slice(0, 22)
  const cookieKey = keyed('cookies').export().toString('base64url')

  const auth = createBetterAuth({ db, clock, settings }, cookieKey)
  const cookies = createCookies(settings.publicUrl)
  const sessions = createSessions({ db, clock }, cookies, cookieKey)
  const signInFlow = createSignInFlow({ db, log }, sessions, cookies)
  const secondFactorSignIn = createSecondFactorSignIn(services, auth, { signInFlow, cookies, traceOf })
  const signInByPassword = createPasswordSignIn(services, auth, {
    signInFlow,
    cookies,
    traceOf,
    secondFactorSignIn,
  })
  const waitBypassLinks = createWaitBypassLinks(services, cookies)
  const codeSignIn = createCodeSignIn(services, auth, { signInFlow, cookies, traceOf })

  /**
   * Counts a redirect to Google, or a callback. Without a limit, a script could fill the tables, since each redirect inserts a row
   * and each failed callback a line of the audit log.
   * @returns whether the limit refuses the request
   */
  async function countGoogleRequest(counterName: string): Promise<boolean> {
    const retrySeconds = await countAttempt(db, traceOf(counterName), ATTEMPT_LIMITS.googleNetwork)
    if (retrySeconds > 0) signInFlow.refuse('espera', { retrySeconds })
    return retrySeconds > 0
  }
  const createGoogleFailedResponse = () =>
    new Response(null, { status: 303, headers: { location: GOOGLE_FAILED_PATH } })

  return {
    getSession: sessions.get,
    traceOf,
    sweep: () => sweepExpiredRows(db),
    watchCodes: codeSignIn.watch,

    signInPassword: (request, client, email, password, proofOfWork) =>
      signInByPassword({ request, client, email, password, proofOfWork }),
    secondFactorMethods: secondFactorSignIn.listMethods,
    passSecondFactor: secondFactorSignIn.passFactor,
    leaveSecondFactor: secondFactorSignIn.leavePending,
    passkeyOptions: secondFactorSignIn.passkeyOptions,
    signInByPasskey: secondFactorSignIn.signInByPasskey,
    addPasskey: secondFactorSignIn.addPasskey,
    requiresSecondFactor: settings.secondFactor === 'required',
    touchSession: sessions.touch,
    postponeSecondFactor: sessions.postponeSecondFactor,
    issueWorkChallenge: codeSignIn.issueWorkChallenge,
    requestCode: codeSignIn.request,
    checkCodeDelivery: codeSignIn.checkDelivery,
    signInCode: codeSignIn.signIn,

    waitBypassLinks,
    reauthenticate: createReauthentication(
      { db },
      { sessions, traceOf, provesPasskey: secondFactorSignIn.provesPasskey },
    ),
    listSessions: sessions.list,
    endSession: sessions.endListed,

    async requestRecoveryLink(client, typedEmail, purpose = 'clave') {
      const email = parseEmail(typedEmail)
      const waitSeconds =
        (await countAttempt(db, traceOf(`recuperacion-red:${client}`), ATTEMPT_LIMITS.recoveryNetwork)) ||
        (email ? await countAttempt(db, traceOf(`recuperacion:${email}`), ATTEMPT_LIMITS.recovery) : 0)
      if (waitSeconds > 0) return waitSeconds
      const mailContext = { sender: mailSenderOf(services), now: clock.now() }
      if (email)
        await sendRecoveryLink(db, email, mailContext, purpose === 'paso' ? waitBypassLinks.createSecret : undefined)
      return 0
    },

    async signInJudge(request, client, userId) {
      const clientTrace = traceOf(client)
      const attemptResult = await signInFlow.attempt(() =>
        auth.api.signInAsJudge({ body: { userId }, headers: new Headers(), returnHeaders: true }),
      )
      if (typeof attemptResult === 'string' && attemptResult !== 'credenciales') return signInFlow.refuse(attemptResult)
      return signInFlow.finish(request, attemptResult, { accountTrace: userId, email: undefined, clientTrace }, () =>
        writeAuditLog(db, { quien: userId, desde: clientTrace }, { que: 'acceso.jurado' }),
      )
    },

    hasGoogle: settings.google !== undefined,

    async beginGoogle(request, client, next) {
      if (await countGoogleRequest(`google:${client}`)) return createGoogleFailedResponse()
      const { response, headers } = await auth.api.signInSocial({
        body: {
          provider: 'google',
          callbackURL: localPathOr(next, '/misspopularidad'),
          errorCallbackURL: '/misspopularidad',
          disableRedirect: true,
        },
        headers: request.headers,
        returnHeaders: true,
      })
      headers.set('location', response.url!)
      return new Response(null, { status: 303, headers })
    },

    async endGoogle(request, client) {
      if (await countGoogleRequest(`google-vuelta:${client}`)) return createGoogleFailedResponse()
      const response = await auth.handler(request)
      const clientTrace = traceOf(client)
      if (sessions.opensSession(response.headers)) {
        const session = await signInFlow.enter(request, response.headers)
        await writeAuditLog(db, { quien: session.userId, desde: clientTrace }, { que: 'acceso.google' })
      } else await writeAuditLog(db, { quien: null, desde: clientTrace }, { que: 'acceso.fallido', via: 'google' })
      return response
    },

    async signOut(request, client) {
      const session = await sessions.get(request)
      await sessions.endCurrent(request)
      if (session) await writeAuditLog(db, { quien: session.userId, desde: traceOf(client) }, { que: 'salida' })
      return sessions.clearCookieHeaders()
    },
  }
}
