import { enTurno, verifyPassword } from '#app/accounts/passwords/hash.server.ts'
import { LIMITES } from '#app/accounts/rules.ts'
import type { Sesion, Sesiones } from '#app/accounts/sessions/store.server.ts'
import type { PorSegundo } from '#app/accounts/sign-in/by-second-factor.server.ts'
import { countIntento, forgetIntentos, refundIntento } from '#app/accounts/throttling/rate-limit.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { Saturado } from '#app/core/jobs/limiter.server.ts'

type Confirmado =
  | { ok: true }
  | { ok: false; reason: 'credenciales' | 'llave' | 'saturado' | 'espera'; retrySeconds?: number }

/** What is said again: the password, or what a passkey answered. */
type Dicho = { clave: string } | { llave: string }

/** How the person of an open session says again who it is. */
export function createConfirmacion(
  { db }: Pick<Services, 'db'>,
  {
    sesiones,
    traceOf,
    provesLlave,
  }: { sesiones: Sesiones; traceOf(text: string): string; provesLlave: PorSegundo['provesLlave'] },
) {
  return async (request: Request, client: string, sesion: Sesion, dicho: Dicho): Promise<Confirmado> => {
    // Only whoever has a session of this account gets here: no stranger uses up its attempts.
    const rastro = traceOf(`confirma:${sesion.userId}`)
    const retrySeconds = await countIntento(db, rastro, LIMITES.equipo)
    if (retrySeconds > 0) return { ok: false, reason: 'espera', retrySeconds }
    const refuse = async (reason: 'credenciales' | 'llave'): Promise<Confirmado> => {
      await anotar(db, { quien: null, desde: traceOf(client) }, { que: 'acceso.fallido', cuenta: sesion.userId })
      return { ok: false, reason }
    }
    if ('llave' in dicho) {
      if (!(await provesLlave(request, sesion, dicho.llave))) return refuse('llave')
      await forgetIntentos(db, [rastro])
      await sesiones.confirm(request)
      return { ok: true }
    }
    const row = await db
      .selectFrom('accounts')
      .select('password')
      .where('user_id', '=', sesion.userId)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    try {
      const isRight =
        row?.password &&
        (await enTurno({ carril: 'conocido', clave: rastro }, () => verifyPassword(dicho.clave, row.password!)))
      if (!isRight) return refuse('credenciales')
    } catch (error) {
      if (!(error instanceof Saturado)) throw error
      await refundIntento(db, rastro)
      return { ok: false, reason: 'saturado' }
    }
    await forgetIntentos(db, [rastro])
    await sesiones.confirm(request)
    return { ok: true }
  }
}
