import { isAPIError } from 'better-auth/api'
import type { MotivoDeAcceso } from '#app/accounts/schema.ts'
import { nombreDeEquipo } from '#app/accounts/sessions/device-name.ts'
import type { Sesion, Sesiones } from '#app/accounts/sessions/store.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Reto } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { Saturado } from '#app/core/jobs/limiter.server.ts'
import { FALTA_SEGUNDO } from './verified-session-plugin.server.ts'

export type Acceso =
  | { ok: true; sesion: Sesion; headers: Headers }
  | {
      ok: false
      reason: MotivoDeAcceso
      retrySeconds?: number
      /** Work that gets the next attempt further ahead in the line. */
      reto?: Reto
    }

/** The password was right, and a second step comes after it: the headers know this browser there. */
export interface FaltaSegundo {
  ok: false
  reason: 'segundo'
  headers: Headers
  retrySeconds?: undefined
  reto?: undefined
}

/** On whom an attempt was made, for the log. */
interface Intentado {
  /** Keyed hash of the account as it was typed. */
  cuenta: string
  correo: string | undefined
  /** Keyed hash of the network address. */
  desde: string
}

/** What every way in has in common: how it is tried, refused and finished. */
export function createPortero({ db, log }: Pick<Services, 'db' | 'log'>, sesiones: Sesiones) {
  function refuse(reason: MotivoDeAcceso, more: { retrySeconds?: number; reto?: Reto } = {}): Acceso {
    log.info({ reason }, 'sign-in refused')
    return { ok: false, reason, ...more }
  }

  /** After a way in that worked: ends the old session and reads the new one. */
  async function enter(request: Request, headers: Headers): Promise<Sesion> {
    await sesiones.end(request)
    const sesion = await sesiones.madeBy(headers)
    if (!sesion) throw new Error('A session that was just made is not there')
    // Organisers and journalists find their sessions by it; voters have no such list, so nothing is kept of theirs.
    if (sesion.rol) await sesiones.keepEquipo(headers, nombreDeEquipo(request.headers.get('user-agent')))
    return sesion
  }

  return {
    refuse,
    enter,

    /** Tries a way in that better-auth knows: better-auth's refusals are expected, everything else is a fault. */
    async attempt(way: () => Promise<{ headers: Headers }>): Promise<Headers | MotivoDeAcceso> {
      try {
        return (await way()).headers
      } catch (error) {
        if (error instanceof Saturado) return 'saturado'
        if (isAPIError(error) && error.statusCode < 500) return 'credenciales'
        // The same account was made by another attempt at the same moment.
        if (isTaken(error)) return 'credenciales'
        throw error
      }
    },

    /** Writes into the log how an attempt ended, on the account that it was made on where there is one. */
    async finish(
      request: Request,
      made: Headers | 'credenciales',
      { cuenta, correo, desde }: Intentado,
      onAcierto: (sesion: Sesion, headers: Headers) => Promise<void>,
    ): Promise<Acceso> {
      if (made === 'credenciales') {
        const known =
          correo && (await db.selectFrom('profiles').select('id').where('email', '=', correo).executeTakeFirst())
        await anotar(
          db,
          { quien: null, desde },
          { que: 'acceso.fallido', ...(known ? { cuenta: known.id } : { rastro: cuenta }) },
        )
        return refuse(made)
      }
      const sesion = await enter(request, made)
      await onAcierto(sesion, made)
      return { ok: true, sesion, headers: made }
    },
  }
}

export type Portero = ReturnType<typeof createPortero>

/** Whose password was right, where a second step comes after it. */
export function faltaSegundoDe(error: unknown): string | undefined {
  if (!isAPIError(error)) return undefined
  const { code, userId } = (error.body ?? {}) as { code?: unknown; userId?: unknown }
  return code === FALTA_SEGUNDO && typeof userId === 'string' ? userId : undefined
}

/** Whether the database refused a row because another one is there already. */
const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === '23505'
