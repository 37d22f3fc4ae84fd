import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Cuentas, createCuentas } from '#app/accounts/auth.server.ts'
import { changeClave, withdrawCuenta } from '#app/accounts/people/mutations.server.ts'
import { activateSegundo, beginSegundo, readSegundo } from '#app/accounts/second-factor/totp.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { isCorreoDetenido } from '#app/mail/data.server.ts'
import { emptyTables } from '../../../tests/database.ts'
import { escritoDe, REMITE } from '../../../tests/escrito.ts'
import { Navegador } from '../../../tests/navegador.ts'
import { CLAVE, makePersona } from '../../../tests/personas.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { codeOf, secretOf, wrong } from '../../../tests/segundo.ts'

const AVISO = { remite: REMITE, now: new Date('2025-08-01T18:00:00Z') }
let site: TestSite
let cuentas: Cuentas
const db = () => site.services.db

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  cuentas = createCuentas(site.services)
  await emptyTables(site.database.pool, 'profiles', 'correos', 'intentos', 'trabajos')
})

let networks = 0
const browser = () => new Navegador(cuentas, `192.0.2.${++networks}`)
const make = () => makePersona(db())

/** A stranger tries passwords until the account keeps every new browser waiting. */
async function besiege(correo: string) {
  for (let guess = 0; guess < 7; guess++) await browser().signIn(correo, 'esta no es la mía')
  expect(await browser().signIn(correo, CLAVE)).toMatchObject({ ok: false, reason: 'espera' })
}
const letters = async (correo: string, kind: string) =>
  (await db().selectFrom('correos').selectAll().where('recipient', '=', correo).where('kind', '=', kind).execute()).map(
    (row) => escritoDe(row, site.services.keyed),
  )
async function linkTo(correo: string) {
  expect(await cuentas.forgot(`198.51.100.${++networks}`, correo, 'paso')).toBe(0)
  return /paso\?llave=([\w.-]+)/.exec((await letters(correo, 'paso')).at(-1)!.text)![1]!
}
/** Uses a link in a browser. */
async function open(one: Navegador, llave: string) {
  const used = await cuentas.pasos.use(llave)
  if (!used) return false
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(used.cookie)!
  one.forge(name!, value!)
  return true
}

test('a mailed link lets the right password past others’ wrong ones, in one browser, once', async () => {
  const [eva, ana] = [await make(), await make()]
  await besiege(eva.correo)
  await besiege(ana.correo)
  const llave = await linkTo(eva.correo)
  const [own, other] = [browser(), browser()]
  // Looking at it, as programs do with mailed links, uses nothing up.
  expect(await cuentas.pasos.find(llave)).toMatchObject({ correo: eva.correo })
  const [first, second] = await Promise.all([open(own, llave), open(other, llave)])
  expect([first, second].sort()).toEqual([false, true])
  expect(await cuentas.pasos.find(llave)).toBeUndefined()
  const [opened, left] = first ? [own, other] : [other, own]
  expect(await left.signIn(eva.correo, CLAVE)).toMatchObject({ reason: 'espera' })
  // It opens nothing by itself, and no other account.
  expect(await opened.signIn(ana.correo, CLAVE)).toMatchObject({ reason: 'espera' })
  expect(await opened.signIn(eva.correo, 'esta no es la mía')).toMatchObject({ reason: 'credenciales' })
  expect(await opened.signIn(eva.correo, CLAVE)).toMatchObject({ ok: true, sesion: { correo: eva.correo } })
  // From here on it is a device like any other that has entered.
  await besiege(eva.correo)
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  expect(await opened.signIn(eva.correo, CLAVE)).toMatchObject({ ok: true })
})

test('the second step is still asked for, and links add no attempts to it', async () => {
  const eva = await make()
  await beginSegundo(site.services, eva.id)
  const { mostrado } = await readSegundo(
    site.services,
    { userId: eva.id, correo: eva.correo, esReciente: true },
    'Certamen',
  )
  const secret = secretOf(mostrado!.clave)
  await activateSegundo(site.services, eva.id, await codeOf(secret), eva.autor)
  vi.setSystemTime(Date.now() + 60_000)
  await besiege(eva.correo)
  const texto = await codeOf(secret)
  const tried = []
  for (let link = 0; link < 2; link++) {
    const one = browser()
    expect(await open(one, await linkTo(eva.correo))).toBe(true)
    expect(await one.signIn(eva.correo, CLAVE)).toMatchObject({ ok: false, reason: 'segundo' })
    for (let guess = 0; guess < 4; guess++) tried.push(await one.pass({ via: 'codigo', texto: wrong(texto) }))
    vi.setSystemTime(Date.now() + 1)
  }
  expect(tried.map((one) => !one.ok && one.reason)).toEqual([
    ...Array(5).fill('credenciales'),
    ...Array(3).fill('espera'),
  ])
  await site.database.pool.query('truncate intentos')
  const own = browser()
  expect(await open(own, await linkTo(eva.correo))).toBe(true)
  expect(await own.signIn(eva.correo, CLAVE)).toMatchObject({ reason: 'segundo' })
  expect(await own.pass({ via: 'codigo', texto: await codeOf(secret) })).toMatchObject({ ok: true })
})

test('a link ends after an hour, with a new password and with the account; altered it opens nothing', async () => {
  const [eva, ana, nota] = [await make(), await make(), await makePersona(db(), 'prensa')]
  const llave = await linkTo(eva.correo)
  const [id, hasta, mac] = llave.split('.') as [string, string, string]
  for (const forged of [
    `${ana.id}.${hasta}.${mac}`,
    `${id}.${Number(hasta) + 1}.${mac}`,
    `${id}.${hasta}.${mac.replace(/^./, (one) => (one === 'A' ? 'B' : 'A'))}`,
    '',
    'x',
  ])
    expect(await cuentas.pasos.use(forged), forged).toBeUndefined()
  await changeClave(db(), eva.correo, 'otra-frase-azul-91', TERMINAL, AVISO)
  expect(await cuentas.pasos.use(llave)).toBeUndefined()
  const late = await linkTo(ana.correo)
  vi.setSystemTime(Date.now() + 61 * 60_000)
  expect(await cuentas.pasos.use(late)).toBeUndefined()
  const gone = await linkTo(nota.correo)
  await withdrawCuenta(db(), nota.correo, AVISO.now, TERMINAL)
  expect(await cuentas.pasos.use(gone)).toBeUndefined()
  expect(await cuentas.forgot('198.51.100.1', nota.correo, 'paso')).toBe(0)
  expect(await letters(nota.correo, 'paso')).toHaveLength(1)
})

test('the answer says nothing of accounts, a recipient gets few, and mail that is refused is seen', async () => {
  const eva = await make()
  expect(await cuentas.forgot('198.51.100.1', 'sin-cuenta@medio.example', 'paso')).toBe(0)
  expect(await letters('sin-cuenta@medio.example', 'paso')).toEqual([])
  const asked = []
  for (let again = 0; again < 6; again++) {
    vi.setSystemTime(Date.now() + 1)
    asked.push(await cuentas.forgot(`203.0.113.${again}`, eva.correo, again % 2 === 0 ? 'paso' : 'clave'))
  }
  // Both kinds of link share one count.
  expect(asked.filter((wait) => wait === 0)).toHaveLength(3)
  expect(await isCorreoDetenido(db())).toBe(false)
  // One recipient whose server says «not now» is no sign of the site's own.
  await site.database.pool.query(`update correos set last_error = '450 RCPT TO'`)
  expect(await isCorreoDetenido(db())).toBe(false)
  await site.database.pool.query(`update correos set last_error = 'ECONNREFUSED CONN'`)
  expect(await isCorreoDetenido(db())).toBe(true)
})
