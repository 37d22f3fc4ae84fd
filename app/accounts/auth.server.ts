import { createHmac } from 'node:crypto'
import { createCodeSignIn, type RequestDetails } from '#app/accounts/codes/sign-in.server.ts'
import { sendRecoveryLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { startChangeAlerts } from '#app/accounts/people/change-alerts.server.ts'
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
import { countAttempt, sweepExpired } from '#app/accounts/throttling/rate-limit.server.ts'
import { createWaitBypassLinks, type WaitBypassLinks } from '#app/accounts/throttling/wait-bypass-links.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Work, WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { LIMITS, within } from './rules.ts'
import { readEmail } from './schema.ts'

export type { SignInResult } from '#app/accounts/sign-in/attempt.server.ts'

export interface Accounts {
  /** Who sends this request; undefined: nobody that is signed in. @throws when the database does not answer */
  getSession(request: Request): Promise<Session | undefined>
  /**
   * A browser that has entered the account before is counted apart, and goes before strangers (known-devices.server.ts).
   * @param client the visitor's network address
   * @param proofOfWork work that was asked for because more people were signing in than could
   * @returns the cookies to set; or a refusal that says nothing of whether there is such an account; or, after the right
   * password alone, that a second step comes
   */
  signInPassword(
    request: Request,
    client: string,
    email: unknown,
    password: unknown,
    proofOfWork?: Work,
  ): Promise<SignInResult | SecondFactorRequired>
  /** What the person at the second step in this browser can pass it with; undefined: nobody is. */
  formasDeSegundo: SecondFactorSignIn['formas']
  /** Passes the second step. @param client the visitor's network address */
  passSegundo(request: Request, client: string, presentedFactor: PresentedFactor): Promise<SecondFactorResult>
  /** @returns headers that take this browser away from the second step */
  leaveSegundo: SecondFactorSignIn['leave']
  /** Makes what a browser needs for a passkey (passkey.resource.ts). */
  llaveOptions: SecondFactorSignIn['llaveOptions']
  /** Enters an organiser by a passkey. @param client the visitor's network address */
  signInLlave: SecondFactorSignIn['enterByLlave']
  /**
   * Enters a judge, whose link was judged before (app/finals).
   * @param client the visitor's network address
   */
  enterJurado(request: Request, client: string, userId: string): Promise<SignInResult>
  /** Keeps a passkey that this browser has just made. */
  addLlave: SecondFactorSignIn['addLlave']
  /** Whether organisers see nothing of the panel without a second step (SECOND_FACTOR). */
  exigeSegundo: boolean
  /** Notes that the session of a request was used, so that it lasts. */
  useSesion: Sessions['use']
  /** Puts the advice of a second step off for as long as this session lasts. */
  postponeSegundo: Sessions['postpone']
  /**
   * Gives a browser work for the code that it is going to ask for, and a cookie by which both know it again.
   * @param client the visitor's network address
   */
  giveWork(request: Request, client: string): Promise<{ reto: WorkChallenge; headers: Headers }>
  /**
   * Sends a voter a one-time code for this browser; to an organiser or a journalist, a message that says where the
   * account enters. Nobody learns from the answer whether there is such an account.
   * @param client the visitor's network address
   * @param proofOfWork that giveWork gave; without it there are only so many
   * @returns headers, also of a refusal: the cookie by which the code knows this browser again
   */
  requestCode(request: Request, client: string, email: unknown, proofOfWork?: Work): Promise<RequestDetails>
  /**
   * Signs a voter in by a one-time code (three attempts, ten minutes), in the browser that asked for it; makes an
   * account where there is none.
   * @returns as `signInPassword`
   */
  signInCode(request: Request, client: string, email: unknown, code: unknown): Promise<SignInResult>
  /** Whether voters can enter with Google, that is, whether its keys are set. */
  hasGoogle: boolean
  /**
   * @param client the visitor's network address
   * @param next where to go afterwards; an address outside this site is ignored
   * @returns a redirect to Google; to the vote's page where too many from one network ask at once
   */
  beginGoogle(request: Request, client: string, next: unknown): Promise<Response>
  /** Takes the visitor back from Google. @returns a redirect */
  endGoogle(request: Request, client: string): Promise<Response>
  /**
   * The person of an open session says the password again, or proves a passkey.
   * @param client the visitor's network address
   */
  confirm: ReturnType<typeof createReauthentication>
  /** The open sessions of the person who sends this request. */
  listSesiones: Sessions['list']
  /** Ends one of them by its id, or all others. */
  endSesion: Sessions['endOne']
  /**
   * Sends an organiser or a journalist a link to set a new password, or one past the waits that others' wrong passwords
   * have brought on the account. The answer does not tell whether there is such an account.
   * @param client the visitor's network address
   * @returns seconds to wait, when too many were asked for; 0: it is on its way, if there is such an account
   */
  forgot(client: string, email: unknown, para?: 'clave' | 'paso'): Promise<number>
  /** Links past those waits. */
  pasos: WaitBypassLinks
  /** @returns headers that delete the cookie */
  signOut(request: Request, client: string): Promise<Headers>
  /** The keyed hash under which the log and the counts know an address. */
  traceOf(text: string): string
  /** Deletes, now and then, attempts, sessions and codes that have run out. @returns a function that ends it */
  startSweeping(): () => void
}

const SWEEP_MS = 60 * 60_000

/** Here the vote's page says that Google did not work, and offers a code. */
export const SIN_GOOGLE = '/misspopularidad?error=google'

/**
 * Accounts over the site's database: better-auth keeps passwords, codes and sessions; this module says who gets in, and
 * how.
 */
export function createAccounts(services: Services): Accounts {
  const { db, clock, log, settings, keyed } = services
  const traceKey = keyed('rastro')
  const traceOf = (text: string) => createHmac('sha256', traceKey).update(text).digest('base64url').slice(0, 22)
  const cookieKey = keyed('cookies').export().toString('base64url')

  const auth = createBetterAuth({ db, clock, settings }, cookieKey)
  const cookies = createCookies(settings.publicUrl)
  const sessions = createSessions({ db, clock }, cookies, cookieKey)
  const signInFlow = createSignInFlow({ db, log }, sessions)
  const secondFactorSignIn = createSecondFactorSignIn(services, auth, { portero: signInFlow, cookies, traceOf })
  const signInByPassword = createPasswordSignIn(services, auth, {
    portero: signInFlow,
    cookies,
    traceOf,
    porSegundo: secondFactorSignIn,
  })
  const waitBypassLinks = createWaitBypassLinks(services, cookies)
  const codeSignIn = createCodeSignIn(services, auth, { portero: signInFlow, cookies, traceOf })

  /**
   * Counts a way to Google, or back. Each way there leaves a row, and each way back that fails a line of the log:
   * without a limit, anybody's script could fill both.
   */
  async function isTooMany(red: string): Promise<boolean> {
    const retrySeconds = await countAttempt(db, traceOf(red), LIMITS.googleRed)
    if (retrySeconds > 0) signInFlow.refuse('espera', { retrySeconds })
    return retrySeconds > 0
  }
  const sinGoogle = () => new Response(null, { status: 303, headers: { location: SIN_GOOGLE } })

  return {
    getSession: sessions.get,
    traceOf,
    startSweeping() {
      const sweep = () =>
        void sweepExpired(db).catch((error: unknown) => log.warn({ err: error }, 'sweep of accounts failed'))
      const timer = setInterval(sweep, SWEEP_MS).unref()
      sweep()
      const endWatching = codeSignIn.startWatching()
      const endChangeAlerts = startChangeAlerts(services)
      return () => {
        clearInterval(timer)
        endWatching()
        endChangeAlerts()
      }
    },

    signInPassword: (request, client, email, password, proofOfWork) =>
      signInByPassword({ request, client, correo: email, clave: password, trabajo: proofOfWork }),
    formasDeSegundo: secondFactorSignIn.formas,
    passSegundo: secondFactorSignIn.pass,
    leaveSegundo: secondFactorSignIn.leave,
    llaveOptions: secondFactorSignIn.llaveOptions,
    signInLlave: secondFactorSignIn.enterByLlave,
    addLlave: secondFactorSignIn.addLlave,
    exigeSegundo: settings.secondFactor === 'required',
    useSesion: sessions.use,
    postponeSegundo: sessions.postpone,
    giveWork: codeSignIn.giveWork,
    requestCode: codeSignIn.request,
    signInCode: codeSignIn.signIn,

    pasos: waitBypassLinks,
    confirm: createReauthentication(
      { db },
      { sesiones: sessions, traceOf, provesLlave: secondFactorSignIn.provesLlave },
    ),
    listSesiones: sessions.list,
    endSesion: sessions.endOne,

    async forgot(client, given, para = 'clave') {
      const email = readEmail(given)
      const held =
        (await countAttempt(db, traceOf(`recuperacion-red:${client}`), LIMITS.recuperacionRed)) ||
        (email ? await countAttempt(db, traceOf(`recuperacion:${email}`), LIMITS.recuperacion) : 0)
      if (held > 0) return held
      const aviso = { remite: mailSenderOf(services), now: clock.now() }
      if (email) await sendRecoveryLink(db, email, aviso, para === 'paso' ? waitBypassLinks.make : undefined)
      return 0
    },

    async enterJurado(request, client, userId) {
      const from = traceOf(client)
      const made = await signInFlow.attempt(() =>
        auth.api.entrarComoJurado({ body: { userId }, headers: new Headers(), returnHeaders: true }),
      )
      if (typeof made === 'string' && made !== 'credenciales') return signInFlow.refuse(made)
      return signInFlow.finish(request, made, { cuenta: userId, correo: undefined, desde: from }, () =>
        writeAuditLog(db, { quien: userId, desde: from }, { que: 'acceso.jurado' }),
      )
    },

    hasGoogle: settings.google !== undefined,

    async beginGoogle(request, client, next) {
      if (await isTooMany(`google:${client}`)) return sinGoogle()
      const { response, headers } = await auth.api.signInSocial({
        body: {
          provider: 'google',
          callbackURL: within(next, '/misspopularidad'),
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
      if (await isTooMany(`google-vuelta:${client}`)) return sinGoogle()
      const answer = await auth.handler(request)
      const from = traceOf(client)
      if (sessions.isMadeBy(answer.headers)) {
        const session = await signInFlow.enter(request, answer.headers)
        await writeAuditLog(db, { quien: session.userId, desde: from }, { que: 'acceso.google' })
      } else await writeAuditLog(db, { quien: null, desde: from }, { que: 'acceso.fallido', via: 'google' })
      return answer
    },

    async signOut(request, client) {
      const session = await sessions.get(request)
      await sessions.end(request)
      if (session) await writeAuditLog(db, { quien: session.userId, desde: traceOf(client) }, { que: 'salida' })
      return sessions.withoutCookie()
    },
  }
}
