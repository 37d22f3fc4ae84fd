import type { Cuentas } from '#app/accounts/auth.server.ts'
import { workOn } from '#app/core/http/proof-of-work.client.ts'
import { makeTrabajo } from '#app/core/http/proof-of-work.server.ts'
import type { Reto, Trabajo } from '#app/core/http/proof-of-work.ts'
import { KEYED } from './escrito.ts'

/** A browser as the accounts meet it: it keeps its cookies, and its network address. */
export class Navegador {
  readonly client: string
  readonly #cookies = new Map<string, string>()
  readonly #url: string
  #cuentas: Cuentas

  constructor(cuentas: Cuentas, client: string, url = 'https://feria.example') {
    this.#cuentas = cuentas
    this.client = client
    this.#url = url
  }

  /** The same browser, answered by another process of the site. */
  at(cuentas: Cuentas): this {
    this.#cuentas = cuentas
    return this
  }

  /** The same cookies behind another network address. */
  moved(client: string): Navegador {
    const other = new Navegador(this.#cuentas, client, this.#url)
    for (const [name, value] of this.#cookies) other.#cookies.set(name, value)
    return other
  }

  request(path = '/entrar'): Request {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return new Request(this.#url + path, cookie ? { headers: { cookie } } : {})
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies].find(([full]) => full.includes(name))?.[1]
  }

  forge(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** Asks for a code. @returns the answer as a page reads it */
  async ask(correo: unknown, trabajo?: Trabajo) {
    const { headers, ...answer } = await this.#cuentas.requestCode(this.request(), this.client, correo, trabajo)
    this.#keep(headers)
    return answer
  }

  /** Work as the site gives it to this browser. */
  async work(): Promise<Reto> {
    const { reto, headers } = await this.#cuentas.giveWork(this.request(), this.client)
    this.#keep(headers)
    return reto
  }

  /** The same done, as this browser would do it. */
  done = async (reto: Reto): Promise<Trabajo> => ({
    reto: JSON.stringify(reto),
    respuesta: (await workOn(reto))!,
  })

  /** Work of this browser whose answer is known beforehand: whoever has the site's keys need not search. */
  async known(keyed = KEYED, intentos = 1_000_000): Promise<Trabajo> {
    if (!this.cookie('navegador')) await this.work()
    return knownWork(keyed('codigos.trabajo'), this.cookie('navegador')!, intentos)
  }

  async enter(correo: unknown, codigo: unknown) {
    const acceso = await this.#cuentas.signInCode(this.request(), this.client, correo, codigo)
    if (acceso.ok) this.#keep(acceso.headers)
    return acceso
  }

  async signIn(correo: unknown, clave: unknown, trabajo?: Trabajo) {
    const request = this.request('/medios')
    const acceso = await this.#cuentas.signInPassword(request, this.client, correo, clave, trabajo)
    if ('headers' in acceso) this.#keep(acceso.headers)
    return acceso
  }

  /** Passes the second step, or tries to. */
  async pass(presentado: Parameters<Cuentas['passSegundo']>[2]) {
    const acceso = await this.#cuentas.passSegundo(this.request('/organizadores'), this.client, presentado)
    if (acceso.ok) this.#keep(acceso.headers)
    return acceso
  }
}

/** Work that is done at once by whoever has the key. */
export async function knownWork(
  key: Parameters<typeof makeTrabajo>[0],
  sujeto: string,
  intentos: number,
): Promise<Trabajo> {
  const reto = await makeTrabajo(key, sujeto, intentos, Date.now(), 0)
  return { reto: JSON.stringify(reto), respuesta: (await workOn(reto))! }
}
