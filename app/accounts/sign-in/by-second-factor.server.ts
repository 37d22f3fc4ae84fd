import { LIMITES, MAX_ANTESALA_ATTEMPTS } from '#app/accounts/rules.ts'
import type { ParaLlave } from '#app/accounts/schema.ts'
import { createLlaves, type Probada } from '#app/accounts/second-factor/passkeys.server.ts'
import { type Antesala, type Antesalas, createAntesalas } from '#app/accounts/second-factor/pending-sign-in.server.ts'
import { formasDeSegundo, useCodigo, useRespaldo } from '#app/accounts/second-factor/totp.server.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { createEquipos } from '#app/accounts/throttling/known-devices.server.ts'
import { countIntento, forgetIntentos, refundIntento } from '#app/accounts/throttling/rate-limit.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { Acceso, Portero } from './attempt.server.ts'
import type { BetterAuth } from './better-auth.server.ts'

/** What somebody passes the second step with. */
export type Presentado = { via: 'codigo' | 'respaldo' | 'llave'; texto: string }

export type AccesoPorSegundo = Acceso | { ok: false; reason: 'vencida' }

/** The second step of organisers, after the right password. */
export function createPorSegundo(
  services: Pick<Services, 'db' | 'keyed' | 'settings'>,
  auth: BetterAuth,
  { portero, cookies, traceOf }: { portero: Portero; cookies: Cookies; traceOf(text: string): string },
) {
  const { db } = services
  const antesalas: Antesalas = createAntesalas(services, cookies)
  const llaves = createLlaves(services, cookies)
  const equipos = createEquipos(services, cookies)

  /** Whoever gets here knows the password: a stranger without it uses up nobody's attempts. */
  const rastroOf = ({ userId, equipo }: Antesala) => traceOf(equipo ? `segundo-equipo:${equipo}` : `segundo:${userId}`)

  async function judge(
    request: Request,
    { via, texto }: Presentado,
    antesala: Antesala,
    desde: string,
  ): Promise<boolean> {
    const { userId, huella } = antesala
    if (via === 'codigo') return useCodigo(services, userId, texto)
    if (via === 'respaldo') return useRespaldo(services, userId, texto, { quien: userId, desde })
    return (await llaves.prove(request, 'segundo', huella, texto, userId)) !== undefined
  }

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

    /**
     * What a browser needs to make or prove a passkey.
     * @param sesion of an organiser; needed for those of an account
     * @param rpName name under which the device lists a new one
     * @returns undefined: not here, not now
     */
    async llaveOptions(request: Request, para: ParaLlave, sesion: Probada | undefined, rpName: string) {
      if (para === 'entrar') return llaves.optionsToProve(request, para, '')
      if (para === 'segundo') {
        const antesala = await antesalas.find(request)
        return antesala && llaves.optionsToProve(request, para, antesala.huella, antesala.userId)
      }
      if (!sesion) return undefined
      if (para === 'alta') return llaves.optionsToMake(request, sesion, rpName)
      return llaves.optionsToProve(request, para, sesion.userId, sesion.userId)
    },

    addLlave: llaves.add,

    /** Whether a passkey of this very account was proved, in the password's place. */
    provesLlave: async (request: Request, { userId }: { userId: string }, texto: string): Promise<boolean> =>
      (await llaves.prove(request, 'confirmo', userId, texto, userId)) !== undefined,

    /** Enters by a passkey alone: it is something that one has, and its device has asked for finger, face or PIN. */
    async enterByLlave(request: Request, client: string, texto: string): Promise<Acceso> {
      const [desde, red] = [traceOf(client), traceOf(`llave-red:${client}`)]
      const retrySeconds = await countIntento(db, red, LIMITES.redLlave)
      if (retrySeconds > 0) return portero.refuse('espera', { retrySeconds })
      const probada = await llaves.prove(request, 'entrar', '', texto)
      if (!probada) {
        await anotar(db, { quien: null, desde }, { que: 'acceso.fallido', via: 'llave' })
        return portero.refuse('credenciales')
      }
      await refundIntento(db, red)
      return enter(request, { ...probada, equipo: null }, desde, 'acceso.llave')
    },

    async pass(request: Request, client: string, presentado: Presentado): Promise<AccesoPorSegundo> {
      const antesala = await antesalas.find(request)
      if (!antesala) return { ok: false, reason: 'vencida' }
      const desde = traceOf(client)
      const rastro = rastroOf(antesala)
      const retrySeconds = await countIntento(db, rastro, LIMITES.segundo)
      if (retrySeconds > 0) return portero.refuse('espera', { retrySeconds })
      const tried = await antesalas.count(antesala)
      if (tried === undefined) return { ok: false, reason: 'vencida' }
      if (!(await judge(request, presentado, antesala, desde))) {
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
