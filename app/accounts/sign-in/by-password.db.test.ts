import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Cuentas, createCuentas } from '#app/accounts/auth.server.ts'
import { changeClave, createCuenta } from '#app/accounts/people/mutations.server.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { REMITE } from '../../../tests/escrito.ts'
import { Navegador } from '../../../tests/navegador.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'

/** Says when the first password comes to be hashed; they are hashed all the same. */
const hashed = vi.hoisted(() => vi.fn())
vi.mock('#app/accounts/passwords/hash.server.ts', async (original) => {
  const real = await original<typeof import('#app/accounts/passwords/hash.server.ts')>()
  return {
    ...real,
    // For whoever has no account, a password is hashed to no end.
    hashPassword: (password: string) => {
      hashed()
      return real.hashPassword(password)
    },
  }
})

const AVISO = { remite: REMITE, now: new Date('2025-08-01T18:00:00Z') }
const CLAVE = 'guayaba-29-trenza'
let site: TestSite
let cuentas: Cuentas
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(() => {
  cuentas = createCuentas(site.services)
})

let people = 0
async function make(rol: Rol) {
  const correo = `persona${++people}@medio.example`
  expect(await createCuenta(site.services.db, { correo, rol, clave: CLAVE }, TERMINAL)).toMatchObject({ ok: true })
  return correo
}
let networks = 0
const network = () => `192.0.${(++networks >> 8) & 255}.${networks & 255}`
/** A browser that nobody knows. */
const signIn = (correo: string, clave = CLAVE, client = network()) =>
  new Navegador(cuentas, client).signIn(correo, clave)

test('a stranger’s guesses never keep a browser out that has entered before', async () => {
  const correo = await make('admin')
  const own = new Navegador(cuentas, network())
  const first = await own.signIn(correo, CLAVE)
  const [, line] = (first as { headers: Headers }).headers.getSetCookie()
  expect(line).toMatch(
    /^__Host-certamen\.equipo-[0-9a-f]{8}=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  for (let guess = 0; guess < 8; guess++) await signIn(correo, `adivino-${guess}-clave`)
  expect(await signIn(correo)).toMatchObject({ ok: false, reason: 'espera' })
  // The stranger shares the network, too, and has had it held.
  await sql`insert into intentos values (${cuentas.traceOf(`red:${own.client}`)}, 99, now() + interval '5 minutes', now())
    on conflict (rastro) do update set libre_at = excluded.libre_at`.execute(site.services.db)
  expect(await own.signIn(correo, CLAVE)).toMatchObject({ ok: true, sesion: { correo } })
  // It opens nothing by itself, its own guesses are counted, and they cost the account's own count nothing.
  const judged = []
  for (let guess = 0; guess < 7; guess++) judged.push(await own.signIn(correo, 'esta no es'))
  expect(judged.map((one) => !one.ok && one.reason)).toEqual([...Array(5).fill('credenciales'), 'espera', 'espera'])
})

test('a device is known to one account, with its present password, and to this site’s keys', async () => {
  const { db } = site.services
  const [correo, other] = [await make('admin'), await make('prensa')]
  const own = new Navegador(cuentas, network())
  await own.signIn(correo, CLAVE)
  const held = async (one: Navegador, who: string) => {
    for (let guess = 0; guess < 6; guess++) await signIn(who, 'esta no es')
    return !(await one.signIn(who, CLAVE)).ok
  }
  expect(await held(own, other)).toBe(true)
  const forged = new Navegador(cuentas, network())
  const [name, value] = /certamen\.(equipo-\w+)=([^;]+)/.exec(own.request().headers.get('cookie')!)!.slice(1)
  forged.forge(
    `__Host-certamen.${name}`,
    value!.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  )
  expect(await held(forged, correo)).toBe(true)
  expect(await own.signIn(correo, CLAVE)).toMatchObject({ ok: true })
  // One browser may have entered several accounts.
  const shared = new Navegador(cuentas, network())
  const [ana, eva] = [await make('prensa'), await make('prensa')]
  await shared.signIn(ana, CLAVE)
  await shared.signIn(eva, CLAVE)
  expect([await held(shared, ana), await held(shared, eva)]).toEqual([false, false])
  const nueva = 'otra-cosa-muy-distinta'
  await changeClave(db, correo, nueva, TERMINAL, AVISO)
  for (let guess = 0; guess < 6; guess++) await signIn(correo, 'esta no es')
  expect(await own.signIn(correo, nueva)).toMatchObject({ ok: false, reason: 'espera' })
}, 60_000)

test('266 sign-ins for invented accounts keep no organiser waiting, and are counted only where they were tried', async () => {
  const correo = await make('admin')
  const own = new Navegador(cuentas, network())
  await own.signIn(correo, CLAVE)
  hashed.mockClear()
  const invented = Array.from({ length: 266 }, (_, at) => ({
    correo: `inventada${at}@medio.example`,
    client: network(),
  }))
  const rush = invented.map(({ correo, client }) => signIn(correo, CLAVE, client))
  // They are in the line before the organiser comes.
  await vi.waitFor(() => expect(hashed).toHaveBeenCalled(), { timeout: 60_000 })
  let before = 0
  for (const one of rush) void one.then((answer) => (before += !answer.ok && answer.reason === 'credenciales' ? 1 : 0))
  expect(await own.signIn(correo, CLAVE)).toMatchObject({ ok: true })
  // In one line, all of them would have been before the organiser.
  expect(before).toBeLessThan(60)
  const answers = await Promise.all(rush)
  const tried = answers.filter((one) => !one.ok && one.reason === 'credenciales').length
  const full = answers.flatMap((one, at) => (!one.ok && one.reason === 'saturado' ? [at] : []))
  expect(full.length).toBeGreaterThan(60)
  expect(tried + full.length).toBe(266)
  const refused = invented[full[0]!]!
  expect(answers[full[0]!]).toEqual({ ok: false, reason: 'saturado', retrySeconds: 5, reto: expect.anything() })
  const { rows } = await sql<{ cuenta: number }>`
    select cuenta from intentos where rastro in
      (${cuentas.traceOf(`cuenta:${refused.correo}`)}, ${cuentas.traceOf(`red:${refused.client}`)})`.execute(
    site.services.db,
  )
  expect(rows).toEqual([{ cuenta: 0 }, { cuenta: 0 }])
}, 120_000)

test('one network has a part of the line; work gets whoever does it further ahead, once, and for that account alone', async () => {
  const client = network()
  const crowd = Array.from({ length: 30 }, (_, at) => signIn(`gente${at}@medio.example`, CLAVE, client))
  // Somebody elsewhere does not notice.
  expect(await signIn(await make('prensa'))).toMatchObject({ ok: true })
  const answers = await Promise.all(crowd)
  const at = answers.findIndex((one) => !one.ok && one.reason === 'saturado')
  const refused = answers[at]!
  if (refused.ok || !refused.reto) throw new Error('no work was given')
  const stranger = new Navegador(cuentas, client)
  const trabajo = await stranger.done(refused.reto)
  const spent = async () => (await site.database.pool.query('select huella from trabajos')).rows
  // Of no use for another account; for its own, once.
  await stranger.signIn('otra@medio.example', CLAVE, trabajo)
  expect(await spent()).toEqual([])
  expect(await stranger.signIn(`gente${at}@medio.example`, CLAVE, trabajo)).toMatchObject({ reason: 'credenciales' })
  expect(await spent()).toEqual([{ huella: refused.reto.signature }])
}, 60_000)
