import { createHmac } from 'node:crypto'
import { isAPIError } from 'better-auth/api'
import { anotar } from '#app/bitacora/mutations.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { Saturado } from '#app/platform/turnos.server.ts'
import { createBetterAuth } from './better-auth.server.ts'
import { createCodigos } from './codigos.server.ts'
import { countIntento, forgetIntentos, refundIntento, sweepCuentas } from './intentos.server.ts'
import { LIMITES, within } from './rules.ts'
import { type MotivoDeAcceso, readCodigo, readCorreo } from './schema.ts'
import { createSesiones, type Sesion } from './sesiones.server.ts'

export type Acceso =
  | { ok: true; sesion: Sesion; headers: Headers }
  | { ok: false; reason: MotivoDeAcceso; retrySeconds?: number }

type Pedido = { ok: true } | { ok: false; reason: 'correo' | 'espera'; retrySeconds?: number }

export interface Cuentas {
  /** Who sends this request; undefined: nobody that is signed in. @throws when the database does not answer */
  getSession(request: Request): Promise<Sesion | undefined>
  /**
   * @param client the visitor's network address
   * @returns the cookie to set; or a refusal that says nothing of whether there is such an account
   */
  signInPassword(request: Request, client: string, correo: unknown, clave: unknown): Promise<Acceso>
  /**
   * Sends a voter a one-time code; to an organiser or a journalist, a message that says where the account enters.
   * Nobody learns from the answer whether there is such an account.
   * @param client the visitor's network address
   */
  requestCode(request: Request, client: string, correo: unknown): Promise<Pedido>
  /**
   * Signs a voter in by a one-time code (three attempts, ten minutes); makes an account where there is none.
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
export function createCuentas({ db, clock, log, settings, keyed }: Services): Cuentas {
  const traceKey = keyed('rastro')
  const traceOf = (text: string) => createHmac('sha256', traceKey).update(text).digest('base64url').slice(0, 22)

  const codigoKey = keyed('codigos')
  const hashCodigo = (codigo: string) => createHmac('sha256', codigoKey).update(codigo).digest('base64url')
  const cookieKey = keyed('cookies').export().toString('base64url')

  const auth = createBetterAuth({ db, clock, settings }, cookieKey, hashCodigo)
  const codigos = createCodigos({ db, settings }, hashCodigo)
  const sesiones = createSesiones({ db, clock, settings }, cookieKey)

  /** Tries a way in that better-auth knows: better-auth's refusals are expected, everything else is a fault. */
  async function attempt(way: () => Promise<{ headers: Headers }>): Promise<Headers | MotivoDeAcceso> {
    try {
      return (await way()).headers
    } catch (error) {
      if (error instanceof Saturado) return 'saturado'
      if (isAPIError(error) && error.statusCode < 500) return 'credenciales'
      // Another code was asked for in the middle of the attempt: the newer one counts.
      if (isTaken(error)) return 'credenciales'
      throw error
    }
  }

  function refuse(reason: MotivoDeAcceso, retrySeconds?: number): Acceso {
    log.info({ reason }, 'sign-in refused')
    return { ok: false, reason, ...(retrySeconds !== undefined && { retrySeconds }) }
  }

  /** Writes into the log how an attempt ended, on the account that it was made on where there is one. */
  async function finish(
    request: Request,
    made: Headers | MotivoDeAcceso,
    { cuenta, correo, desde }: { cuenta: string; correo: string | undefined; desde: string },
    onAcierto: (sesion: Sesion) => Promise<void>,
  ): Promise<Acceso> {
    if (typeof made === 'string') {
      if (made === 'credenciales') {
        const known =
          correo && (await db.selectFrom('profiles').select('id').where('email', '=', correo).executeTakeFirst())
        await anotar(
          db,
          { quien: null, desde },
          { que: 'acceso.fallido', ...(known ? { cuenta: known.id } : { rastro: cuenta }) },
        )
      }
      return refuse(made)
    }
    const sesion = await enter(request, made)
    await onAcierto(sesion)
    return { ok: true, sesion, headers: made }
  }

  /**
   * Counts a way to Google, or back. Each way there leaves a row, and each way back that fails a line of the log:
   * without a limit, anybody's script could fill both.
   */
  async function isTooMany(red: string): Promise<boolean> {
    const seconds = await countIntento(db, traceOf(red), LIMITES.googleRed)
    if (seconds > 0) refuse('espera', seconds)
    return seconds > 0
  }
  const sinGoogle = () => new Response(null, { status: 303, headers: { location: SIN_GOOGLE } })

  /** After a way in that worked: ends the old session and reads the new one. */
  async function enter(request: Request, headers: Headers): Promise<Sesion> {
    await sesiones.end(request)
    const sesion = await sesiones.madeBy(headers)
    if (!sesion) throw new Error('A session that was just made is not there')
    return sesion
  }

  return {
    getSession: sesiones.get,
    traceOf,
    startSweeping() {
      const sweep = () =>
        void sweepCuentas(db).catch((error: unknown) => log.warn({ err: error }, 'sweep of accounts failed'))
      const timer = setInterval(sweep, SWEEP_MS).unref()
      sweep()
      return () => clearInterval(timer)
    },

    async signInPassword(request, client, correoGiven, claveGiven) {
      const correo = readCorreo(correoGiven)
      const clave = typeof claveGiven === 'string' ? claveGiven : ''
      const desde = traceOf(client)
      const red = traceOf(`red:${client}`)
      const cuenta = traceOf(`cuenta:${correo ?? String(correoGiven).slice(0, 320)}`)
      const redHeld = await countIntento(db, red, LIMITES.red)
      const held = redHeld || (await countIntento(db, cuenta, LIMITES.cuenta))
      // An attempt that the account's own limit refuses is not counted for the network: others behind the same address
      // go on.
      if (held > 0 && redHeld === 0) await refundIntento(db, red)
      if (held > 0) return refuse('espera', held)
      const made = await attempt(() =>
        auth.api.signInEmail({
          // Without an address the attempt takes as long as any other.
          body: { email: correo ?? 'nadie@certamen.invalid', password: clave },
          headers: new Headers(),
          returnHeaders: true,
        }),
      )
      return finish(request, made, { cuenta, correo, desde }, async ({ userId }) => {
        await Promise.all([forgetIntentos(db, [cuenta]), refundIntento(db, red)])
        await anotar(db, { quien: userId, desde }, { que: 'acceso' })
      })
    },

    async requestCode(_request, client, correoGiven) {
      const correo = readCorreo(correoGiven)
      if (!correo) return { ok: false, reason: 'correo' }
      const pedido = {
        correo,
        entrega: String(correoGiven).trim(),
        red: traceOf(`envio-red:${client}`),
        cuenta: traceOf(`envio:${correo}`),
      }
      const retrySeconds = await codigos.pedir(pedido)
      return retrySeconds > 0 ? { ok: false, reason: 'espera', retrySeconds } : { ok: true }
    },

    async signInCode(request, client, correoGiven, codigoGiven) {
      const correo = readCorreo(correoGiven)
      const codigo = readCodigo(codigoGiven)
      const desde = traceOf(client)
      const intento = {
        red: traceOf(`red-codigo:${client}`),
        cuenta: traceOf(`codigo:${correo ?? String(correoGiven).slice(0, 320)}`),
      }
      const retrySeconds = await codigos.contar(intento)
      if (retrySeconds > 0) return refuse('espera', retrySeconds)
      const made =
        correo && codigo
          ? await attempt(() =>
              auth.api.signInEmailOTP({
                body: { email: correo, otp: codigo },
                headers: new Headers(),
                returnHeaders: true,
              }),
            )
          : 'credenciales'
      return finish(request, made, { cuenta: intento.cuenta, correo, desde }, ({ userId }) =>
        codigos.acertar({ ...intento, quien: userId, desde }),
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
        const sesion = await enter(request, answer.headers)
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

/** Whether the database refused a row because another one is there already. */
const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === '23505'
