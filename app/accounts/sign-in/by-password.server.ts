import { enTurno } from '#app/accounts/passwords/hash.server.ts'
import { LIMITES, TRABAJO_DE_CLAVE } from '#app/accounts/rules.ts'
import { readCorreo } from '#app/accounts/schema.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { createEquipos } from '#app/accounts/throttling/known-devices.server.ts'
import { countIntento, forgetIntentos, refundIntento } from '#app/accounts/throttling/rate-limit.server.ts'
import { spendTrabajos } from '#app/accounts/throttling/spent-work.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { checkTrabajo, isEnough, makeTrabajo } from '#app/core/http/proof-of-work.server.ts'
import type { Trabajo } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Acceso, type FaltaSegundo, faltaSegundoDe, type Portero } from './attempt.server.ts'
import type { BetterAuth } from './better-auth.server.ts'
import type { PorSegundo } from './by-second-factor.server.ts'

/** When whoever was refused for load may come again without having worked for it. */
const SATURADO_SECONDS = 5

interface Entrada {
  request: Request
  client: string
  correo: unknown
  clave: unknown
  trabajo: Trabajo | undefined
}

/** The way in of organisers and journalists. */
export function createPorClave(
  services: Pick<Services, 'db' | 'keyed'>,
  auth: BetterAuth,
  {
    portero,
    cookies,
    traceOf,
    porSegundo,
  }: { portero: Portero; cookies: Cookies; traceOf(text: string): string; porSegundo: PorSegundo },
) {
  const { db, keyed } = services
  const equipos = createEquipos(services, cookies)
  const key = keyed('claves.trabajo')

  /** Counts an attempt. @returns what to wait for, and how the count is taken back */
  async function count(equipo: string | undefined, red: string, cuenta: string) {
    if (equipo !== undefined) {
      const own = traceOf(`equipo:${equipo}`)
      const held = await countIntento(db, own, LIMITES.equipo)
      return { held, refund: () => refundIntento(db, own), forget: () => forgetIntentos(db, [own]) }
    }
    const redHeld = await countIntento(db, red, LIMITES.red)
    const held = redHeld || (await countIntento(db, cuenta, LIMITES.cuenta))
    // An attempt that the account's own limit refuses is not counted for the network: others behind the same address go
    // on.
    if (held > 0 && redHeld === 0) await refundIntento(db, red)
    return {
      held,
      async refund() {
        await refundIntento(db, red)
        await refundIntento(db, cuenta)
      },
      async forget() {
        await forgetIntentos(db, [cuenta])
        await refundIntento(db, red)
      },
    }
  }

  /** @returns whether work was done for an attempt on this account, and has not served yet */
  async function hasWorked(cuenta: string, trabajo: Trabajo | undefined): Promise<boolean> {
    const hecho = trabajo && (await checkTrabajo(key, cuenta, Date.now(), trabajo))
    return hecho !== undefined && isEnough(hecho, TRABAJO_DE_CLAVE) && (await spendTrabajos(db, [hecho])).size > 0
  }

  return async ({
    request,
    client,
    correo: correoGiven,
    clave: claveGiven,
    trabajo,
  }: Entrada): Promise<Acceso | FaltaSegundo> => {
    const correo = readCorreo(correoGiven)
    const clave = typeof claveGiven === 'string' ? claveGiven : ''
    const desde = traceOf(client)
    const red = traceOf(`red:${client}`)
    const cuenta = traceOf(`cuenta:${correo ?? String(correoGiven).slice(0, 320)}`)
    const equipo = correo === undefined ? undefined : await equipos.find(request, correo)
    const counted = await count(equipo, red, cuenta)
    if (counted.held > 0) return portero.refuse('espera', { retrySeconds: counted.held })
    const carril = equipo !== undefined ? 'conocido' : (await hasWorked(cuenta, trabajo)) ? 'trabajado' : 'llano'
    let falta: string | undefined
    const made = await enTurno({ carril, clave: equipo ?? red }, () =>
      portero.attempt(() =>
        auth.api
          .signInEmail({
            // Without an address the attempt takes as long as any other.
            body: { email: correo ?? 'nadie@certamen.invalid', password: clave },
            headers: new Headers(),
            returnHeaders: true,
          })
          .catch((error: unknown) => {
            falta = faltaSegundoDe(error)
            throw error
          }),
      ),
    )
    if (falta !== undefined) {
      await counted.forget()
      return {
        ok: false,
        reason: 'segundo',
        headers: new Headers({ 'set-cookie': await porSegundo.open(falta, equipo) }),
      }
    }
    if (typeof made === 'string' && made !== 'credenciales') {
      // Nothing was tried, so nothing is counted.
      await counted.refund()
      const reto = equipo === undefined && (await makeTrabajo(key, cuenta, TRABAJO_DE_CLAVE, Date.now()))
      return portero.refuse(made, { retrySeconds: SATURADO_SECONDS, ...(reto && { reto }) })
    }
    return portero.finish(request, made, { cuenta, correo, desde }, async ({ userId }, headers) => {
      await counted.forget()
      const cookie = await equipos.cookieFor(userId, equipo)
      if (cookie) headers.append('set-cookie', cookie)
      await anotar(db, { quien: userId, desde }, { que: 'acceso' })
    })
  }
}
