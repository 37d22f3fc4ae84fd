import type { Accounts } from '#app/accounts/auth.server.ts'
import { solveWork } from '#app/core/http/proof-of-work.client.ts'
import { createWorkChallenge } from '#app/core/http/proof-of-work.server.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { KEYED } from '../mail/decrypted-mail.ts'

/** A browser as the accounts see it: cookies and a network address. */
export class SignInBrowser {
  readonly client: string
  readonly #cookies = new Map<string, string>()
  readonly #url: string
  #accounts: Accounts

  constructor(accounts: Accounts, client: string, url = 'https://feria.example') {
    this.#accounts = accounts
    this.client = client
    this.#url = url
  }

  /** Sends the browser's further requests to another process of the site. */
  at(accounts: Accounts): this {
    this.#accounts = accounts
    return this
  }

  /** Returns a browser with the same cookies behind another network address. */
  moved(client: string): SignInBrowser {
    const movedBrowser = new SignInBrowser(this.#accounts, client, this.#url)
    for (const [name, value] of this.#cookies) movedBrowser.#cookies.set(name, value)
    return movedBrowser
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

  /** Returns the value of the cookie whose full name contains `name`. */
  cookie(name: string): string | undefined {
    return [...this.#cookies].find(([fullName]) => fullName.includes(name))?.[1]
  }

  /** Sets a cookie that the site did not send. @param name full name */
  forge(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** Asks for a code. @returns the response without its headers, as a page reads it */
  async ask(email: unknown, proofOfWork?: SubmittedWork) {
    const { headers, ...result } = await this.#accounts.requestCode(this.request(), this.client, email, proofOfWork)
    this.#keep(headers)
    return result
  }

  /** Fetches a proof-of-work challenge for this browser. */
  async work(): Promise<WorkChallenge> {
    const { reto, headers } = await this.#accounts.issueWorkChallenge(this.request(), this.client)
    this.#keep(headers)
    return reto
  }

  /** Solves a challenge, as the page's script does. */
  done = async (challenge: WorkChallenge): Promise<SubmittedWork> => ({
    reto: JSON.stringify(challenge),
    respuesta: (await solveWork(challenge))!,
  })

  /** Makes a solved challenge for this browser with the site's key, which is faster than solving one. */
  async known(keyed = KEYED, attempts = 1_000_000): Promise<SubmittedWork> {
    if (!this.cookie('navegador')) await this.work()
    return solvedWorkFor(keyed('codigos.trabajo'), this.cookie('navegador')!, attempts)
  }

  /** Signs in by a code. */
  async enter(email: unknown, code: unknown) {
    const signInResult = await this.#accounts.signInCode(this.request(), this.client, email, code)
    if (signInResult.ok) this.#keep(signInResult.headers)
    return signInResult
  }

  /** Signs in by a password. */
  async signIn(email: unknown, password: unknown, proofOfWork?: SubmittedWork) {
    const request = this.request('/medios')
    const signInResult = await this.#accounts.signInPassword(request, this.client, email, password, proofOfWork)
    if ('headers' in signInResult) this.#keep(signInResult.headers)
    return signInResult
  }

  /** Presents a second factor. */
  async pass(presentedFactor: Parameters<Accounts['passSecondFactor']>[2]) {
    const signInResult = await this.#accounts.passSecondFactor(
      this.request('/organizadores'),
      this.client,
      presentedFactor,
    )
    if (signInResult.ok) this.#keep(signInResult.headers)
    return signInResult
  }
}

/** Makes a solved challenge with the site's key, which is faster than solving one. */
export async function solvedWorkFor(
  key: Parameters<typeof createWorkChallenge>[0],
  subject: string,
  attempts: number,
): Promise<SubmittedWork> {
  const challenge = await createWorkChallenge(key, subject, attempts, Date.now(), 0)
  return { reto: JSON.stringify(challenge), respuesta: (await solveWork(challenge))! }
}
