import { createHmac } from 'node:crypto'
import { createPorCodigo, type Pedido } from '#app/accounts/codes/sign-in.server.ts'
import { sendRecuperacion } from '#app/accounts/passwords/mailed-links.server.ts'
import { startVigia } from '#app/accounts/people/change-alerts.server.ts'
import { createConfirmacion } from '#app/accounts/reauthentication/verify.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { createSesiones, type Sesion, type Sesiones } from '#app/accounts/sessions/store.server.ts'
import { type Acceso, createPortero, type FaltaSegundo } from '#app/accounts/sign-in/attempt.server.ts'
import { createBetterAuth } from '#app/accounts/sign-in/better-auth.server.ts'
import { createPorClave } from '#app/accounts/sign-in/by-password.server.ts'
import {
  type AccesoPorSegundo,
  createPorSegundo,
  type PorSegundo,
  type Presentado,
} from '#app/accounts/sign-in/by-second-factor.server.ts'
import { countIntento, sweepCuentas } from '#app/accounts/throttling/rate-limit.server.ts'
import { createPasos, type Pasos } from '#app/accounts/throttling/wait-bypass-links.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Reto, Trabajo } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { remiteDe } from '#app/mail/mutations.server.ts'
import { LIMITES, within } from './rules.ts'
import { readCorreo } from './schema.ts'

export type { Acceso } from '#app/accounts/sign-in/attempt.server.ts'

export interface Cuentas {
  /** Who sends this request; undefined: nobody that is signed in. @throws when the database does not answer */
  getSession(request: Request): Promise<Sesion | undefined>
  /**
   * A browser that has entered the account before is counted apart, and goes before strangers (known-devices.server.ts).
   * @param client the visitor's network address
   * @param trabajo work that was asked for because more people were signing in than could
   * @returns the cookies to set; or a refusal that says nothing of whether there is such an account; or, after the right
   * password alone, that a second step comes
   */
  signInPassword(
    request: Request,
    client: string,
    correo: unknown,
    clave: unknown,
    trabajo?: Trabajo,
  ): Promise<Acceso | FaltaSegundo>
  /** What the person at the second step in this browser can pass it with; undefined: nobody is. */
  formasDeSegundo: PorSegundo['formas']
  /** Passes the second step. @param client the visitor's network address */
  passSegundo(request: Request, client: string, presentado: Presentado): Promise<AccesoPorSegundo>
  /** @returns headers that take this browser away from the second step */
  leaveSegundo: PorSegundo['leave']
  /** Makes what a browser needs for a passkey (passkey.resource.ts). */
  llaveOptions: PorSegundo['llaveOptions']
  /** Enters an organiser by a passkey. @param client the visitor's network address */
  signInLlave: PorSegundo['enterByLlave']
  /**
   * Enters a judge, whose link was judged before (app/finals).
   * @param client the visitor's network address
   */
  enterJurado(request: Request, client: string, userId: string): Promise<Acceso>
  /** Keeps a passkey that this browser has just made. */
  addLlave: PorSegundo['addLlave']
  /** Whether organisers see nothing of the panel without a second step (SECOND_FACTOR). */
  exigeSegundo: boolean
  /** Notes that the session of a request was used, so that it lasts. */
  useSesion: Sesiones['use']
  /** Puts the advice of a second step off for as long as this session lasts. */
  postponeSegundo: Sesiones['postpone']
  /**
   * Gives a browser work for the code that it is going to ask for, and a cookie by which both know it again.
   * @param client the visitor's network address
   */
  giveWork(request: Request, client: string): Promise<{ reto: Reto; headers: Headers }>
  /**
   * Sends a voter a one-time code for this browser; to an organiser or a journalist, a message that says where the
   * account enters. Nobody learns from the answer whether there is such an account.
   * @param client the visitor's network address
   * @param trabajo that giveWork gave; without it there are only so many
   * @returns headers, also of a refusal: the cookie by which the code knows this browser again
   */
  requestCode(request: Request, client: string, correo: unknown, trabajo?: Trabajo): Promise<Pedido>
  /**
   * Signs a voter in by a one-time code (three attempts, ten minutes), in the browser that asked for it; makes an
   * account where there is none.
   * @returns as `signInPassword`
   */
  signInCode(request: Request, client: string, correo: unknown, codigo: unknown): Promise<Acceso>
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
  confirm: ReturnType<typeof createConfirmacion>
  /** The open sessions of the person who sends this request. */
  listSesiones: Sesiones['list']
  /** Ends one of them by its id, or all others. */
  endSesion: Sesiones['endOne']
  /**
   * Sends an organiser or a journalist a link to set a new password, or one past the waits that others' wrong passwords
   * have brought on the account. The answer does not tell whether there is such an account.
   * @param client the visitor's network address
   * @returns seconds to wait, when too many were asked for; 0: it is on its way, if there is such an account
   */
  forgot(client: string, correo: unknown, para?: 'clave' | 'paso'): Promise<number>
  /** Links past those waits. */
  pasos: Pasos
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
export function createCuentas(services: Services): Cuentas {
  const { db, clock, log, settings, keyed } = services
  const traceKey = keyed('rastro')
  const traceOf = (text: string) => createHmac('sha256', traceKey).update(text).digest('base64url').slice(0, 22)
  const cookieKey = keyed('cookies').export().toString('base64url')

  const auth = createBetterAuth({ db, clock, settings }, cookieKey)
  const cookies = createCookies(settings.publicUrl)
  const sesiones = createSesiones({ db, clock }, cookies, cookieKey)
  const portero = createPortero({ db, log }, sesiones)
  const porSegundo = createPorSegundo(services, auth, { portero, cookies, traceOf })
  const signInClave = createPorClave(services, auth, { portero, cookies, traceOf, porSegundo })
  const pasos = createPasos(services, cookies)
  const porCodigo = createPorCodigo(services, auth, { portero, cookies, traceOf })

  /**
   * Counts a way to Google, or back. Each way there leaves a row, and each way back that fails a line of the log:
   * without a limit, anybody's script could fill both.
   */
  async function isTooMany(red: string): Promise<boolean> {
    const retrySeconds = await countIntento(db, traceOf(red), LIMITES.googleRed)
    if (retrySeconds > 0) portero.refuse('espera', { retrySeconds })
    return retrySeconds > 0
  }
  const sinGoogle = () => new Response(null, { status: 303, headers: { location: SIN_GOOGLE } })

  return {
    getSession: sesiones.get,
    traceOf,
    startSweeping() {
      const sweep = () =>
        void sweepCuentas(db).catch((error: unknown) => log.warn({ err: error }, 'sweep of accounts failed'))
      const timer = setInterval(sweep, SWEEP_MS).unref()
      sweep()
      const endWatching = porCodigo.startWatching()
      const endVigia = startVigia(services)
      return () => {
        clearInterval(timer)
        endWatching()
        endVigia()
      }
    },

    signInPassword: (request, client, correo, clave, trabajo) =>
      signInClave({ request, client, correo, clave, trabajo }),
    formasDeSegundo: porSegundo.formas,
    passSegundo: porSegundo.pass,
    leaveSegundo: porSegundo.leave,
    llaveOptions: porSegundo.llaveOptions,
    signInLlave: porSegundo.enterByLlave,
    addLlave: porSegundo.addLlave,
    exigeSegundo: settings.secondFactor === 'required',
    useSesion: sesiones.use,
    postponeSegundo: sesiones.postpone,
    giveWork: porCodigo.giveWork,
    requestCode: porCodigo.request,
    signInCode: porCodigo.signIn,

    pasos,
    confirm: createConfirmacion({ db }, { sesiones, traceOf, provesLlave: porSegundo.provesLlave }),
    listSesiones: sesiones.list,
    endSesion: sesiones.endOne,

    async forgot(client, given, para = 'clave') {
      const correo = readCorreo(given)
      const held =
        (await countIntento(db, traceOf(`recuperacion-red:${client}`), LIMITES.recuperacionRed)) ||
        (correo ? await countIntento(db, traceOf(`recuperacion:${correo}`), LIMITES.recuperacion) : 0)
      if (held > 0) return held
      const aviso = { remite: remiteDe(services), now: clock.now() }
      if (correo) await sendRecuperacion(db, correo, aviso, para === 'paso' ? pasos.make : undefined)
      return 0
    },

    async enterJurado(request, client, userId) {
      const desde = traceOf(client)
      const made = await portero.attempt(() =>
        auth.api.entrarComoJurado({ body: { userId }, headers: new Headers(), returnHeaders: true }),
      )
      if (typeof made === 'string' && made !== 'credenciales') return portero.refuse(made)
      return portero.finish(request, made, { cuenta: userId, correo: undefined, desde }, () =>
        anotar(db, { quien: userId, desde }, { que: 'acceso.jurado' }),
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
      const desde = traceOf(client)
      if (sesiones.isMadeBy(answer.headers)) {
        const sesion = await portero.enter(request, answer.headers)
        await anotar(db, { quien: sesion.userId, desde }, { que: 'acceso.google' })
      } else await anotar(db, { quien: null, desde }, { que: 'acceso.fallido', via: 'google' })
      return answer
    },

    async signOut(request, client) {
      const sesion = await sesiones.get(request)
      await sesiones.end(request)
      if (sesion) await anotar(db, { quien: sesion.userId, desde: traceOf(client) }, { que: 'salida' })
      return sesiones.withoutCookie()
    },
  }
}
