import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Cuentas, createCuentas } from '#app/accounts/auth.server.ts'
import { setClaveByEnlace } from '#app/accounts/passwords/mailed-links.server.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { emptyTables } from '../../../tests/database.ts'
import { escritoDe } from '../../../tests/escrito.ts'
import { CLAVE, makePersona } from '../../../tests/personas.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { tellCambios } from './change-alerts.server.ts'
import { applyBajas, askBaja, listBajas, stopBaja } from './deactivations.server.ts'
import { askCambio, confirmCambio } from './email-change.server.ts'
import { changeCorreo, createFirstAdmin, withdrawCuenta } from './mutations.server.ts'

const OTRA = 'otra-frase-azul-91'
const HOUR_MS = 3_600_000
let site: TestSite
let cuentas: Cuentas
let now = new Date('2025-08-01T12:00:00-06:00')
const services = () => ({ ...site.services, clock: { now: () => now } })
const db = () => site.services.db

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  now = new Date('2025-08-01T12:00:00-06:00')
  cuentas = createCuentas(services())
  await emptyTables(site.database.pool, 'profiles', 'correos', 'bajas')
})

let people = 0
const make = (rol?: Rol) => makePersona(db(), rol)
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36'
const request = (cookie = '') =>
  new Request('https://feria.example/organizadores', { headers: { cookie, 'user-agent': ANDROID } })
async function enter(correo: string, clave = CLAVE) {
  const acceso = await cuentas.signInPassword(request(), `192.0.2.${++people % 250}`, correo, clave)
  if (!acceso.ok) throw new Error(acceso.reason)
  const cookie = acceso.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return request(cookie)
}
const letters = async (correo: string) =>
  (await db().selectFrom('correos').selectAll().where('recipient', '=', correo).orderBy('id').execute()).map((row) => ({
    kind: row.kind,
    ...escritoDe(row, site.services.keyed),
  }))

test('nobody removes an organiser in two taps: a day passes, all are told, and any other stops it', async () => {
  const [eva, ana, lupe] = [await make(), await make(), await make()]
  const open = await enter(ana.correo)
  const asked = await askBaja(db(), ana.correo, now, eva.autor)
  expect(asked).toEqual({ ok: true, surteAt: new Date(now.getTime() + 24 * HOUR_MS) })
  expect(await askBaja(db(), ana.correo, now, eva.autor)).toEqual({ ok: false, reason: 'pedida' })
  now = new Date(now.getTime() + 23 * HOUR_MS)
  await applyBajas(services())
  expect(await listBajas(db())).toEqual([expect.objectContaining({ correo: ana.correo, pedidaPor: eva.correo })])
  await tellCambios(site.services)
  for (const { correo } of [eva, ana, lupe]) {
    const told = (await letters(correo)).filter(({ text }) => text.includes('Pidió dar de baja'))
    expect(told).toHaveLength(1)
    expect(told[0]!.text).toContain(ana.correo)
    expect(told[0]!.text).toContain(eva.correo)
  }
  expect(await stopBaja(db(), ana.correo, lupe.autor)).toEqual({ ok: true })
  expect(await stopBaja(db(), ana.correo, lupe.autor)).toEqual({ ok: false, reason: 'desconocida' })
  now = new Date(now.getTime() + 2 * HOUR_MS)
  await applyBajas(services())
  expect(await cuentas.signInPassword(request(), '192.0.2.9', ana.correo, CLAVE)).toMatchObject({ ok: true })
  expect(open).toBeDefined()
})

test('a withdrawal that nobody stops takes effect once, and never on the last organiser', async () => {
  const [eva, ana] = [await make(), await make()]
  await askBaja(db(), ana.correo, now, eva.autor)
  await askBaja(db(), eva.correo, now, ana.autor)
  now = new Date(now.getTime() + 25 * HOUR_MS)
  await Promise.all([applyBajas(services()), applyBajas(services())])
  const left = await db().selectFrom('profiles').select('email').where('baja_at', 'is', null).execute()
  expect(left).toHaveLength(1)
  expect(await listBajas(db())).toEqual([])
  const lines = await db().selectFrom('bitacora').select('que').where('que', '=', 'cuenta.baja').execute()
  expect(lines).toHaveLength(1)
})

test('a journalist is withdrawn at once', async () => {
  const [eva, nota] = [await make(), await make('prensa')]
  expect(await askBaja(db(), nota.correo, now, eva.autor)).toEqual({ ok: true, surteAt: now })
  expect(await cuentas.signInPassword(request(), '192.0.2.9', nota.correo, CLAVE)).toMatchObject({ ok: false })
})

test('every change of an account is told to every organiser once, however many processes look', async () => {
  const eva = await make()
  const nota = await make('prensa')
  await changeCorreo(db(), nota.correo, 'nueva@medio.example', eva.autor)
  await withdrawCuenta(db(), 'nueva@medio.example', now, TERMINAL)
  await Promise.all([tellCambios(site.services), tellCambios(site.services)])
  await tellCambios(site.services)
  const told = (await letters(eva.correo)).map(({ subject, text }) => `${subject} ${text}`)
  expect(told.filter((one) => one.includes('Cambió el correo de una cuenta'))).toHaveLength(1)
  expect(told.filter((one) => one.includes('Dio de baja') && one.includes('terminal'))).toHaveLength(1)
  expect(told.filter((one) => one.includes('Creó una cuenta de prensa'))).toHaveLength(1)
})

test('a forgotten password: a link for an hour, nobody learns who has an account, and a stranger cannot flood', async () => {
  const eva = await make()
  expect(await cuentas.forgot('192.0.2.1', eva.correo)).toBe(0)
  expect(await cuentas.forgot('192.0.2.1', 'nadie@medio.example')).toBe(0)
  expect(await letters('nadie@medio.example')).toEqual([])
  const [letter] = await letters(eva.correo)
  expect(letter!.kind).toBe('recuperacion')
  const llave = /llave=([\w-]+)/.exec(letter!.text)![1]!
  const set = (at: Date) =>
    setClaveByEnlace(db(), llave, OTRA, 'rastro', {
      remite: { sitio: 'https://feria.example', llave: site.services.keyed('correos') },
      now: at,
    })
  expect(await set(new Date(now.getTime() + HOUR_MS + 1))).toEqual({ ok: false, reason: 'enlace' })
  expect(await set(now)).toMatchObject({ ok: true })
  await expect(enter(eva.correo)).rejects.toThrow('credenciales')
  await enter(eva.correo, OTRA)
  for (let again = 0; again < 5; again++) await cuentas.forgot(`198.51.100.${again}`, eva.correo)
  expect((await letters(eva.correo)).filter(({ kind }) => kind === 'recuperacion').length).toBeLessThanOrEqual(3)
})

test('an organiser sees the own sessions by device and time, and ends them', async () => {
  const [eva, ana] = [await make(), await make()]
  const [here, there] = [await enter(eva.correo), await enter(eva.correo)]
  const hers = await enter(ana.correo)
  const seen = await cuentas.listSesiones(here, eva.id)
  expect(seen.map(({ equipo, esEsta }) => [equipo, esEsta]).sort()).toEqual([
    ['Chrome en Android', false],
    ['Chrome en Android', true],
  ])
  // Nobody ends another person's by its id.
  const [{ id } = { id: '' }] = await cuentas.listSesiones(hers, ana.id)
  await cuentas.endSesion(here, eva.id, id)
  expect(await cuentas.getSession(hers)).toBeDefined()
  await cuentas.endSesion(here, eva.id, 'otras')
  expect(await cuentas.getSession(there)).toBeUndefined()
  expect(await cuentas.getSession(here)).toBeDefined()
})

test('the password counts for ten minutes, and is said again by the session’s own person alone', async () => {
  const eva = await make()
  const open = await enter(eva.correo)
  const sesion = (await cuentas.getSession(open))!
  expect(sesion.esReciente).toBe(true)
  await site.database.pool.query(`update sessions set confirmada_at = now() - interval '11 minutes'`)
  expect(await cuentas.getSession(open)).toMatchObject({ esReciente: false })
  expect(await cuentas.confirm(open, '192.0.2.1', sesion, { clave: 'no es ésta' })).toEqual({
    ok: false,
    reason: 'credenciales',
  })
  expect(await cuentas.getSession(open)).toMatchObject({ esReciente: false })
  expect(await cuentas.confirm(open, '192.0.2.1', sesion, { clave: CLAVE })).toEqual({ ok: true })
  expect(await cuentas.getSession(open)).toMatchObject({ esReciente: true })
  for (let again = 0; again < 5; again++) await cuentas.confirm(open, '192.0.2.1', sesion, { clave: 'adivina' })
  expect(await cuentas.confirm(open, '192.0.2.1', sesion, { clave: CLAVE })).toMatchObject({
    ok: false,
    reason: 'espera',
  })
})

test('an address is changed by the code that the new one got, tried five times at most', async () => {
  const [eva, ana] = [await make(), await make()]
  expect(await askCambio(site.services, eva.id, 'no es correo')).toEqual({ ok: false, reason: 'correo' })
  await askCambio(site.services, eva.id, 'eva@nuevo.example')
  const codigo = /\d{6}/.exec((await letters('eva@nuevo.example'))[0]!.subject)![0]
  const sesion = { userId: eva.id, correo: eva.correo }
  const wrong = codigo === '000000' ? '111111' : '000000'
  // Another person's session cannot use it.
  expect(await confirmCambio(site.services, { userId: ana.id, correo: ana.correo }, codigo, ana.autor)).toEqual({
    ok: false,
    reason: 'codigo',
  })
  for (let again = 0; again < 4; again++)
    expect(await confirmCambio(site.services, sesion, wrong, eva.autor)).toEqual({ ok: false, reason: 'codigo' })
  const both = await Promise.all([1, 2].map(() => confirmCambio(site.services, sesion, codigo, eva.autor)))
  expect(both.filter(({ ok }) => ok)).toEqual([{ ok: true, correo: 'eva@nuevo.example' }])
  await enter('eva@nuevo.example')
  await expect(enter(eva.correo)).rejects.toThrow('credenciales')
  expect(await changeCorreo(db(), ana.correo, 'eva@nuevo.example', TERMINAL)).toEqual({ ok: false, reason: 'repetida' })
})

test('the first organiser has the address that the setting says', async () => {
  const file = `${site.dataDir}/primera.txt`
  expect(await createFirstAdmin(db(), file, now, 'comite@azahares.example')).toMatchObject({
    email: 'comite@azahares.example',
  })
})
