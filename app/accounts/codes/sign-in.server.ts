import { readCodigos } from '#app/accounts/data.server.ts'
import { type Codigos, isAlarma, trabajoDeCodigo } from '#app/accounts/rules.ts'
import { type MotivoDePedido, readCodigo, readCorreo } from '#app/accounts/schema.ts'
import { createNavegador } from '#app/accounts/sessions/browser-nonce.server.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import type { Acceso, Portero } from '#app/accounts/sign-in/attempt.server.ts'
import type { BetterAuth } from '#app/accounts/sign-in/better-auth.server.ts'
import { neighbourhoodOf, networksOf } from '#app/core/http/client-networks.server.ts'
import { checkTrabajo, makeTrabajo } from '#app/core/http/proof-of-work.server.ts'
import type { Reto, Trabajo } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { createCodigos } from './issue-and-check.server.ts'

export type Pedido =
  /** headers: the cookie by which the code knows this browser again. */
  | { ok: true; headers: Headers }
  | {
      ok: false
      reason: MotivoDePedido
      retrySeconds?: number
      reto?: Reto
      headers: Headers
    }

/** How long a look at the codes of the last minutes holds. */
const LOOK_MS = 5_000
const WATCH_MS = 60_000

/** The way in of voters. */
export function createPorCodigo(
  services: Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>,
  auth: BetterAuth,
  { portero, cookies, traceOf }: { portero: Portero; cookies: Cookies; traceOf(text: string): string },
) {
  const { db, keyed, log } = services
  const key = keyed('codigos.trabajo')
  const navegadores = createNavegador(cookies)

  let seen: { atMs: number; codigos: Promise<Codigos> } | undefined
  const ultimos = () => {
    if (!seen || performance.now() - seen.atMs > LOOK_MS) {
      const codigos = readCodigos(db)
      seen = { atMs: performance.now(), codigos }
      codigos.catch(() => {
        seen = undefined
      })
    }
    return seen.codigos
  }
  const codigos = createCodigos(services, ultimos)

  const redOf = (client: string) => traceOf(`red-codigo:${client}`)
  const vecinosOf = (client: string) => traceOf(`vecindad:${neighbourhoodOf(client)}`)
  const give = (navegador: string, intentos: number) => makeTrabajo(key, navegador, intentos, Date.now())

  let isTold = false
  /** Tells the organisers once that codes go out which nobody uses; the panel says it as long as it lasts. */
  async function watch(): Promise<void> {
    const now = await readCodigos(db)
    const isNow = isAlarma(now)
    if (isNow && !isTold)
      log.error({ enviados: now.enviados, usados: now.usados }, 'codes are sent that nobody uses: work grows')
    isTold = isNow
  }

  return {
    /**
     * Gives a browser work for the code that it is going to ask for.
     * @returns headers: the cookie by which the work knows this browser again
     */
    async giveWork(request: Request, client: string): Promise<{ reto: Reto; headers: Headers }> {
      const { navegador, cookie } = navegadores.keep(request)
      const intentos = trabajoDeCodigo(await codigos.vecindadDe(vecinosOf(client)), await ultimos())
      return { reto: await give(navegador, intentos), headers: new Headers({ 'set-cookie': cookie }) }
    },

    async request(request: Request, client: string, correoGiven: unknown, trabajo?: Trabajo): Promise<Pedido> {
      const { navegador, cookie } = navegadores.keep(request)
      const headers = new Headers({ 'set-cookie': cookie })
      const correo = readCorreo(correoGiven)
      if (!correo) return { ok: false, reason: 'correo', headers }
      // The work came with a cookie: a browser that keeps none could not use the code either.
      if (trabajo && navegadores.read(request) === undefined) return { ok: false, reason: 'cookies', headers }
      const answer = await codigos.pedir({
        correo,
        entrega: typedText(String(correoGiven)),
        navegador,
        red: redOf(client),
        vecindad: vecinosOf(client),
        bloque: traceOf(`bloque:${networksOf(client).at(-1)}`),
        hecho: trabajo && (await checkTrabajo(key, navegador, Date.now(), trabajo)),
      })
      if (answer.ok) return { ok: true, headers }
      if (answer.reason !== 'trabajo') return { ...answer, headers }
      const { reason, retrySeconds, intentos } = answer
      return { ok: false, reason, retrySeconds, reto: await give(navegador, intentos), headers }
    },

    async signIn(request: Request, client: string, correoGiven: unknown, codigoGiven: unknown): Promise<Acceso> {
      const correo = readCorreo(correoGiven)
      const navegador = navegadores.read(request)
      const desde = traceOf(client)
      const cuenta = traceOf(`cuenta:${correo ?? String(correoGiven).slice(0, 320)}`)
      const intentado = { cuenta, correo, desde }
      const solicitante = {
        correo: correo ?? String(correoGiven).slice(0, 320),
        // Who asked for no code has none; the attempt is counted for the network all the same.
        navegador: navegador ?? `sin:${desde}`,
        red: redOf(client),
      }
      const answer = await codigos.probar({ ...solicitante, codigo: readCodigo(codigoGiven) })
      if (!answer.ok && answer.reason === 'espera')
        return portero.refuse('espera', { retrySeconds: answer.retrySeconds })
      const made =
        answer.ok && correo
          ? await portero.attempt(() =>
              auth.api.entrarPorCodigo({ body: { correo }, headers: new Headers(), returnHeaders: true }),
            )
          : 'credenciales'
      const known = typeof made === 'string' ? 'credenciales' : made
      const acceso = await portero.finish(request, known, intentado, ({ userId }) =>
        codigos.acertar({ ...solicitante, quien: userId, desde }),
      )
      const isCookieless = !acceso.ok && acceso.reason === 'credenciales' && navegador === undefined
      return isCookieless ? { ...acceso, reason: 'cookies' } : acceso
    },

    /** @returns a function that ends it */
    startWatching(): () => void {
      const look = () => void watch().catch((error: unknown) => log.warn({ err: error }, 'watching codes failed'))
      const timer = setInterval(look, WATCH_MS).unref()
      look()
      return () => clearInterval(timer)
    },

    watch,
  }
}
