import { anotar } from '#app/bitacora/mutations.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { type Antesala, type Antesalas, createAntesalas } from './antesala.server.ts'
import type { BetterAuth } from './better-auth.server.ts'
import type { Cookies } from './cookies.server.ts'
import { createEquipos } from './equipos.server.ts'
import { countIntento, forgetIntentos } from './intentos.server.ts'
import type { Acceso, Portero } from './portero.server.ts'
import { LIMITES, MAX_ANTESALA_ATTEMPTS } from './rules.ts'
import { formasDeSegundo, useCodigo, useRespaldo } from './segundo.server.ts'

/** What somebody passes the second step with. */
export type Prueba = { via: 'codigo' | 'respaldo'; texto: string }

export type Paso = Acceso | { ok: false; reason: 'vencida' }

/** The second step of organisers, after the right password. */
export function createPorSegundo(
  services: Pick<Services, 'db' | 'keyed'>,
  auth: BetterAuth,
  { portero, cookies, traceOf }: { portero: Portero; cookies: Cookies; traceOf(text: string): string },
) {
  const { db } = services
  const antesalas: Antesalas = createAntesalas(services, cookies)
  const equipos = createEquipos(services, cookies)

  /** Whoever gets here knows the password: a stranger without it uses up nobody's attempts. */
  const rastroOf = ({ userId, equipo }: Antesala) => traceOf(equipo ? `segundo-equipo:${equipo}` : `segundo:${userId}`)

  const judge = (prueba: Prueba, { userId }: Antesala, desde: string): Promise<boolean> =>
    prueba.via === 'codigo'
      ? useCodigo(services, userId, prueba.texto)
      : useRespaldo(services, userId, prueba.texto, { quien: userId, desde })

  /** Opens the session of somebody who has proved everything. */
  async function enter(
    request: Request,
    { userId, correo, equipo }: Pick<Antesala, 'userId' | 'correo' | 'equipo'>,
    desde: string,
    que: 'acceso.segundo' | 'acceso.llave',
  ): Promise<Acceso> {
    const made = await portero.attempt(() =>
      auth.api.entrarConSegundo({ body: { userId }, headers: new Headers(), returnHeaders: true }),
    )
    if (typeof made === 'string' && made !== 'credenciales') return portero.refuse(made)
    return portero.finish(request, made, { cuenta: userId, correo, desde }, async (_, headers) => {
      const cookie = await equipos.cookieFor(userId, equipo ?? undefined)
      if (cookie) headers.append('set-cookie', cookie)
      headers.append('set-cookie', antesalas.withoutCookie())
      await anotar(db, { quien: userId, desde }, { que })
    })
  }

  return {
    /** After the right password. @returns the cookie by which the browser is known at the second step */
    open: antesalas.open,

    /** What the person of this browser can pass the second step with; undefined: nobody is at it here. */
    async formas(request: Request) {
      const antesala = await antesalas.find(request)
      return antesala && formasDeSegundo(db, antesala.userId)
    },

    /** Leaves the second step. @returns headers that delete the cookie */
    async leave(request: Request): Promise<Headers> {
      const antesala = await antesalas.find(request)
      if (antesala) await antesalas.end(antesala)
      return new Headers({ 'set-cookie': antesalas.withoutCookie() })
    },

    async pass(request: Request, client: string, prueba: Prueba): Promise<Paso> {
      const antesala = await antesalas.find(request)
      if (!antesala) return { ok: false, reason: 'vencida' }
      const desde = traceOf(client)
      const rastro = rastroOf(antesala)
      const retrySeconds = await countIntento(db, rastro, LIMITES.segundo)
      if (retrySeconds > 0) return portero.refuse('espera', { retrySeconds })
      const tried = await antesalas.count(antesala)
      if (tried === undefined) return { ok: false, reason: 'vencida' }
      if (!(await judge(prueba, antesala, desde))) {
        const lines = [{ que: 'acceso.fallido.segundo' as const, cuenta: antesala.userId }]
        await anotar(db, { quien: null, desde }, ...lines)
        if (tried < MAX_ANTESALA_ATTEMPTS) return portero.refuse('credenciales')
        await anotar(db, { quien: null, desde }, { que: 'cuenta.segundo.adivinado', cuenta: antesala.userId })
        return { ok: false, reason: 'vencida' }
      }
      if (!(await antesalas.end(antesala))) return { ok: false, reason: 'vencida' }
      await forgetIntentos(db, [rastro])
      return enter(request, antesala, desde, 'acceso.segundo')
    },
  }
}

export type PorSegundo = ReturnType<typeof createPorSegundo>
