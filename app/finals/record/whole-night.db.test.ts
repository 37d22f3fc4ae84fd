// Longer than 350 lines: one night, tried from every side, over one set-up.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readHoja } from '#app/finals/judge/data.server.ts'
import { readMesa } from '#app/finals/judging-table/data.server.ts'
import { emptyTables } from '../../../tests/database.ts'
import { type Cuentas, cuentasDe } from '../../../tests/jurado.ts'
import { makePersona } from '../../../tests/personas.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { archivoDeActa, findJuez, listJurado, readActa, readSinFirmar } from './data.server.ts'
import { cerrarTelefono, finDeLaNoche, hacerEnlace, usarEnlace } from './judge-links.server.ts'
import {
  abrirFinal,
  abrirRonda,
  anularFinal,
  cerrarRonda,
  firmarHoja,
  publicarActa,
  reabrirHoja,
  retirarDeFinal,
  sellarActa,
} from './mutations.server.ts'
import { notesOf } from './notes.ts'
import { activas, rondaAbierta } from './state.ts'
import { guardarToques } from './unsigned-sheets.server.ts'
import { verifyFinal } from './verification.ts'

const EDICION = 2025
const JUECES = [1, 2, 3, 4, 5]
let site: TestSite
let cuentas: Cuentas
let now: Date
let notaria: { quien: string; desde: string }
const services = () => ({ ...site.services, clock: { now: () => now } })

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  now = new Date('2025-09-28T20:00:00-06:00')
  cuentas = cuentasDe(services())
  const { pool } = site.database
  await emptyTables(pool, 'profiles', 'jueces', 'asientos_de_final', 'finales_publicas', 'hojas_sin_firmar')
  notaria = { quien: (await makePersona(site.services.db)).autor.quien!, desde: 'terminal' }
})

const conEnlaces = async () => {
  const llaves: string[] = []
  for (const juez of JUECES)
    llaves.push((await hacerEnlace(services(), { juez, nombre: `Jurado ${juez}` }, notaria))!.llave)
  return llaves
}
const acta = () => readActa(services(), EDICION)
const presentes = async () => {
  const { final } = (await acta()).estado
  return activas(final!, rondaAbierta(final!)!)
}
/** A whole sheet: the same mark for everything. */
const pareja = async (mark: (at: number) => number) =>
  Object.fromEntries((await presentes()).map((id, at) => [id, [mark(at), mark(at)]]))
const firma = async (ronda: number, juez: number, clave = randomUUID(), mark = (at: number) => 90 - at * 10) =>
  firmarHoja(services(), { edicion: EDICION, ronda, juez, clave }, await pareja(mark), notaria)
async function enRonda(ronda = 1) {
  await conEnlaces()
  expect(await abrirFinal(services(), notaria)).toMatchObject({ ok: true })
  for (let one = 1; one <= ronda; one++) {
    expect(await abrirRonda(services(), EDICION, one, notaria)).toMatchObject({ ok: true })
    if (one < ronda) await llena(one)
  }
}
async function llena(ronda: number) {
  for (const juez of JUECES) expect(await firma(ronda, juez)).toMatchObject({ ok: true })
  expect(await cerrarRonda(services(), EDICION, ronda, new Map(), notaria)).toMatchObject({ ok: true })
}

const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36'
const peticion = (cookie = '') =>
  new Request('https://feria.example/jurado', { headers: { cookie, 'user-agent': ANDROID } })
async function entra(llave: string, aparato: string = randomUUID()) {
  const usado = await usarEnlace(services(), llave, aparato)
  if (!usado.ok) return usado
  const acceso = await cuentas.enterJurado(peticion(), '192.0.2.1', usado.cuenta)
  if (!acceso.ok) return acceso
  const cookie = acceso.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { ok: true as const, cuenta: usado.cuenta, session: () => cuentas.getSession(peticion(cookie)) }
}

test('a link opens one telephone; another one shuts it out, and the evening’s end all of them', async () => {
  const [llave] = await conEnlaces()
  const first = await entra(llave!, 'telefono-uno')
  if (!('session' in first)) throw new Error('not in')
  expect(await first.session()).toMatchObject({ rol: 'jurado' })
  expect(await findJuez(site.services.db, first.cuenta)).toMatchObject({ numero: 1 })
  // Sent on to a cousin; the same telephone may ask again, where the answer got lost.
  expect(await entra(llave!, 'telefono-dos')).toEqual({ ok: false, reason: 'usado' })
  expect(await entra(llave!, 'telefono-uno')).toMatchObject({ ok: true })
  expect((await listJurado(site.services.db, EDICION, 5, now))[0]).toMatchObject({
    enlace: 'dentro',
    equipo: 'Chrome en Android',
  })
  const { llave: other } = (await hacerEnlace(services(), { juez: 1, nombre: 'Jurado 1' }, notaria))!
  expect(await first.session()).toBeUndefined()
  expect(await entra(llave!)).toEqual({ ok: false, reason: 'desconocido' })
  const second = await entra(other)
  if (!('session' in second)) throw new Error('not in')
  // The same judge, by the same account.
  expect(second.cuenta).toBe(first.cuenta)
  await cerrarTelefono(services(), EDICION, 1, notaria)
  expect(await second.session()).toBeUndefined()
  const { llave: last } = (await hacerEnlace(services(), { juez: 1, nombre: 'Jurado 1' }, notaria))!
  const third = await entra(last)
  if (!('session' in third)) throw new Error('not in')
  now = new Date(finDeLaNoche(now, now).getTime() + 1)
  expect(await third.session()).toBeUndefined()
  expect(await entra(last)).toEqual({ ok: false, reason: 'vencido' })
})

test('a judge’s account enters by no other door, and a judge’s door lets nobody else in', async () => {
  await conEnlaces()
  const [{ user_id }] = (await site.database.pool.query('select user_id from jueces where numero = 1')).rows
  const [{ email }] = (await site.database.pool.query('select email from profiles where id = $1', [user_id])).rows
  expect(await cuentas.signInPassword(peticion(), '192.0.2.2', email, 'guayaba-29-trenza')).toMatchObject({ ok: false })
  await cuentas.forgot('192.0.2.3', email)
  expect((await site.database.pool.query('select 1 from enlaces where user_id = $1', [user_id])).rows).toEqual([])
  expect(await cuentas.enterJurado(peticion(), '192.0.2.4', notaria.quien)).toMatchObject({ ok: false })
})

test('nothing opens before each judge has a place, and rules stay as they were opened', async () => {
  expect(await abrirFinal(services(), notaria)).toEqual({ ok: false, reason: 'jurado' })
  await conEnlaces()
  expect(await abrirRonda(services(), EDICION, 1, notaria)).toEqual({ ok: false, reason: 'sin-abrir' })
  expect(await abrirFinal(services(), notaria)).toMatchObject({ ok: true })
  expect(await abrirFinal(services(), notaria)).toEqual({ ok: false, reason: 'empezada' })
  expect(await abrirRonda(services(), EDICION, 2, notaria)).toEqual({ ok: false, reason: 'otra-ronda' })
  const { final } = (await acta()).estado
  expect(final!.reglas.rondas).toHaveLength(4)
  expect(final!.apertura.jurado[2]).toEqual({ numero: 3, nombre: 'Jurado 3' })
})

test('what is typed is kept, by judge, and nobody reads another’s', async () => {
  await enRonda()
  const [ana, bea] = (await presentes()) as [string, string]
  const uno = { edicion: EDICION, ronda: 1, juez: 1 }
  expect(await guardarToques(services(), uno, [{ candidata: ana, criterio: 0, decimas: 80 }])).toBeUndefined()
  expect(
    await guardarToques(services(), uno, [
      { candidata: ana, criterio: 1, decimas: 70 },
      { candidata: ana, criterio: 0, decimas: 90 },
      { candidata: 'nadie', criterio: 0, decimas: 90 },
      { candidata: bea, criterio: 7, decimas: 90 },
    ]),
  ).toBeUndefined()
  for (const decimas of [0, 5, 85, 110, -10])
    expect(await guardarToques(services(), uno, [{ candidata: ana, criterio: 0, decimas }])).toBe('escala')
  expect(await guardarToques(services(), { ...uno, ronda: 2 }, [])).toBe('ronda-cerrada')
  expect(await guardarToques(services(), { ...uno, juez: 6 }, [])).toBe('juez')
  expect((await readHoja(services(), { edicion: EDICION, numero: 1, nombre: '' })).ronda?.marcas).toEqual({
    [ana]: [90, 70],
  })
  expect((await readHoja(services(), { edicion: EDICION, numero: 2, nombre: '' })).ronda?.marcas).toEqual({})
  // Neither does the table while the round is open.
  expect(JSON.stringify((await readMesa(services())).final?.rondas)).not.toMatch(/\d\.\d{3}/)
})

test('a signature is answered once, however often it comes, and no second one is taken', async () => {
  await enRonda()
  const clave = randomUUID()
  const signed = await firma(1, 1, clave)
  expect(signed).toMatchObject({ ok: true })
  expect(await firma(1, 1, clave)).toEqual(signed)
  expect(await firma(1, 1)).toEqual({ ok: false, reason: 'firmada' })
  // Another judge's key answers nothing.
  expect(await firma(1, 2, clave)).toMatchObject({ ok: true, asiento: { juez: 2 } })
  expect(await guardarToques(services(), { edicion: EDICION, ronda: 1, juez: 1 }, [])).toBe('firmada')
  const at = { edicion: EDICION, ronda: 1, juez: 3, clave: randomUUID() }
  const whole = await pareja(() => 80)
  const [ana] = Object.keys(whole) as [string]
  const { [ana]: _, ...without } = whole
  for (const [sheet, reason] of [
    [without, 'incompleta'],
    [{ ...whole, nadie: [80, 80] }, 'incompleta'],
    [{ ...whole, [ana]: [80] }, 'incompleta'],
    [{ ...whole, [ana]: [80, 101] }, 'escala'],
    [{ ...whole, [ana]: [80, 85] }, 'escala'],
  ] as [Record<string, number[]>, string][])
    expect(await firmarHoja(services(), at, sheet, notaria)).toEqual({ ok: false, reason })
  const both = await Promise.all([firma(1, 4), firma(1, 4)])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
})

test('a round closes with all sheets, or with a reason; what comes later is refused', async () => {
  await enRonda()
  for (const juez of [1, 2, 3, 4]) await firma(1, juez)
  expect(await cerrarRonda(services(), EDICION, 1, new Map(), notaria)).toEqual({ ok: false, reason: 'faltan' })
  expect(await cerrarRonda(services(), EDICION, 1, new Map([[5, 'corto']]), notaria)).toEqual({
    ok: false,
    reason: 'faltan',
  })
  expect(await cerrarRonda(services(), EDICION, 1, new Map([[5, 'Se lo llevó la ambulancia']]), notaria)).toMatchObject(
    {
      ok: true,
      asiento: { sin: [{ juez: 5, motivo: 'Se lo llevó la ambulancia' }] },
    },
  )
  await expect(firma(1, 5)).rejects.toThrow()
  const { final } = (await acta()).estado
  const late = Object.fromEntries(final!.apertura.candidatas.map(({ id }) => [id, [80, 80]]))
  expect(
    await firmarHoja(services(), { edicion: EDICION, ronda: 1, juez: 5, clave: randomUUID() }, late, notaria),
  ).toEqual({ ok: false, reason: 'ronda-cerrada' })
  expect(
    await reabrirHoja(services(), EDICION, { ronda: 1, juez: 1, motivo: 'Se equivocó de renglón' }, notaria),
  ).toEqual({
    ok: false,
    reason: 'ronda-cerrada',
  })
})

test('one sheet is opened again with a reason, and begins with what was signed', async () => {
  await enRonda()
  await firma(1, 1)
  const again = { ronda: 1, juez: 1 }
  expect(await reabrirHoja(services(), EDICION, { ...again, motivo: 'no' }, notaria)).toEqual({
    ok: false,
    reason: 'motivo',
  })
  expect(await reabrirHoja(services(), EDICION, { ...again, motivo: 'Se equivocó de renglón' }, notaria)).toMatchObject(
    { ok: true },
  )
  const hoja = await readHoja(services(), { edicion: EDICION, numero: 1, nombre: '' })
  expect(hoja.ronda).toMatchObject({ firmada: null, reabierta: 'Se equivocó de renglón' })
  expect(Object.keys(hoja.ronda!.marcas)).toHaveLength(5)
  expect(await firma(1, 1)).toMatchObject({ ok: true })
  expect((await acta()).asientos.map(({ clase }) => clase)).toEqual([
    'final-abierta',
    'ronda-abierta',
    'hoja',
    'hoja-reabierta',
    'hoja',
  ])
})

test('a candidate who withdraws between rounds makes place, and within one is nobody’s to score', async () => {
  await enRonda(2)
  await llena(2)
  const antes = (await acta()).estado.final!
  const [primera] = antes.apertura.candidatas
  const motivo = 'Se sintió mal y no sigue'
  expect(await retirarDeFinal(services(), EDICION, { candidata: primera!.id, motivo }, notaria)).toMatchObject({
    ok: true,
  })
  expect(await retirarDeFinal(services(), EDICION, { candidata: primera!.id, motivo }, notaria)).toEqual({
    ok: false,
    reason: 'candidata',
  })
  await abrirRonda(services(), EDICION, 3, notaria)
  expect(await presentes()).toEqual(antes.apertura.candidatas.slice(1).map(({ id }) => id))
  await firma(3, 1)
  const segunda = antes.apertura.candidatas[1]!
  await retirarDeFinal(services(), EDICION, { candidata: segunda.id, motivo }, notaria)
  for (const juez of [2, 3, 4, 5]) expect(await firma(3, juez)).toMatchObject({ ok: true })
  expect(await cerrarRonda(services(), EDICION, 3, new Map(), notaria)).toMatchObject({ ok: true })
  await abrirRonda(services(), EDICION, 4, notaria)
  expect(await presentes()).toEqual(antes.apertura.candidatas.slice(2).map(({ id }) => id))
})

test('the sealed act counts again, ends the evening, and nothing of it is there before it is public', async () => {
  const [llave] = await conEnlaces()
  const judge = await entra(llave!)
  if (!('session' in judge)) throw new Error('not in')
  await abrirFinal(services(), notaria)
  for (const ronda of [1, 2, 3, 4]) {
    expect(await sellarActa(services(), EDICION, notaria)).toEqual({ ok: false, reason: 'sin-terminar' })
    await abrirRonda(services(), EDICION, ronda, notaria)
    await llena(ronda)
  }
  expect(await publicarActa(services(), EDICION, true, notaria)).toEqual({ ok: false, reason: 'sin-terminar' })
  expect(archivoDeActa(await acta())).toBeUndefined()
  expect(await sellarActa(services(), EDICION, notaria)).toMatchObject({ ok: true })
  expect(await judge.session()).toBeUndefined()
  expect(await anularFinal(services(), EDICION, 'Hay que empezar otra vez', notaria)).toEqual({
    ok: false,
    reason: 'sellada',
  })
  expect((await readSinFirmar(site.services.db, EDICION, 4)).size).toBe(0)
  const file = archivoDeActa(await acta())!
  expect((await verifyFinal(file)).fallas).toEqual([])
  // Laid out anew, it says the same.
  expect((await verifyFinal(JSON.stringify(JSON.parse(file), null, 2))).fallas).toEqual([])
  const lines = file.split('\n')
  for (const [other, falla] of [
    [file.replace('[90,90]', '[10,90]'), /no sigue al anterior/],
    [file.replace('"peso":50', '"peso":49'), /no sigue al anterior/],
    [file.replace('"descarta":true', '"descarta":false'), /las hojas dan/],
    [file.replace('"titulo":"Primera princesa"', '"titulo":"Señorita Azahares"'), /los títulos, o las rondas/],
    [file.replace('"desempate":[{', '"desempate":[{"ronda":"Traje típico"},{'), /no sigue al anterior/],
    [[...lines.slice(0, 4), ...lines.slice(5)].join('\n'), /lleva el número|Faltan hojas/],
    [file.replace(/"nombre":"Jurado 1"/, '"nombre":"Jurado 1","nombre":"Jurado 1"'), /dice algo dos veces/],
    [file.replace('"lectura":"Cada', '"lectura":"Toda'), /explicación/],
    [file.replace(/,\n\{"clase":"cierre".*/, ''), /no está cerrada/],
  ] as const)
    expect((await verifyFinal(other)).fallas.join('\n'), String(falla)).toMatch(falla)
  await expect(verifyFinal(file.replace('"juez":1', '"juez":"1"'))).rejects.toThrow(SyntaxError)
  expect(await publicarActa(services(), EDICION, true, notaria)).toEqual({ ok: true })
  expect(await publicarActa(services(), EDICION, true, notaria)).toEqual({ ok: true })
  expect(await publicarActa(services(), EDICION, false, notaria)).toEqual({ ok: true })
  const said = await site.database.pool.query(
    `select que from bitacora where que like 'final.%' order by id desc limit 3`,
  )
  expect(said.rows.map(({ que }) => que)).toEqual(['final.oculta', 'final.publica', 'final.publica'])
})

test('a rehearsal is annulled with a reason, which the act keeps', async () => {
  await enRonda(2)
  await guardarToques(services(), { edicion: EDICION, ronda: 2, juez: 1 }, [])
  expect(await anularFinal(services(), EDICION, 'Era el ensayo del jueves', notaria)).toMatchObject({ ok: true })
  expect((await acta()).estado.final).toBeUndefined()
  expect(await abrirFinal(services(), notaria)).toMatchObject({ ok: true })
  for (const ronda of [1, 2, 3, 4]) {
    await abrirRonda(services(), EDICION, ronda, notaria)
    await llena(ronda)
  }
  await sellarActa(services(), EDICION, notaria)
  const counted = await verifyFinal(archivoDeActa(await acta())!)
  expect(counted.fallas).toEqual([])
  expect(notesOf(counted.estado)).toEqual([
    expect.stringContaining('La final se abrió 2 veces, y cada apertura sorteó de nuevo los empates'),
    expect.stringContaining('Antes se anuló otra apertura: Era el ensayo del jueves'),
  ])
})

test('the act names each change of a judge’s telephone from the opening to the seal', async () => {
  await enRonda(1)
  // The judge has left, and somebody at the table signs by a new link.
  await hacerEnlace(services(), { juez: 3, nombre: 'Jurado 3' }, notaria)
  await cerrarTelefono(services(), EDICION, 5, notaria)
  expect((await acta()).alterado).toBeUndefined()
  await llena(1)
  for (const ronda of [2, 3, 4]) {
    await abrirRonda(services(), EDICION, ronda, notaria)
    await llena(ronda)
  }
  await sellarActa(services(), EDICION, notaria)
  // Nothing of the evening is left to sign.
  await hacerEnlace(services(), { juez: 1, nombre: 'Jurado 1' }, notaria)
  const counted = await verifyFinal(archivoDeActa(await acta())!)
  expect(counted.fallas).toEqual([])
  expect(notesOf(counted.estado)).toEqual([
    expect.stringContaining('Jurado 3 recibió otro enlace: desde entonces firma con otro teléfono.'),
    expect.stringContaining('Jurado 5 quedó sin teléfono: se cerró el que tenía.'),
  ])
})

test('whoever writes into the database is found out: the act takes nothing more, and shows nothing', async () => {
  await enRonda()
  await firma(1, 1)
  const { pool } = site.database
  await expect(pool.query(`update asientos_de_final set contenido = replace(contenido, '90', '10')`)).rejects.toThrow(
    'only grows',
  )
  await expect(pool.query('delete from asientos_de_final')).rejects.toThrow('only grows')
  await expect(pool.query('truncate asientos_de_final')).rejects.toThrow('only grows')
  // Somebody who owns the database takes the trigger away, and makes seals that fit.
  await pool.query('alter table asientos_de_final disable trigger user')
  await pool.query(`update asientos_de_final
    set contenido = replace(contenido, '[90,90]', '[10,10]'), sello = encode(sha256(convert_to(replace(contenido, '[90,90]', '[10,10]'), 'UTF8')), 'hex')
    where numero = 3`)
  expect((await acta()).alterado).toBe(3)
  expect((await readMesa(services())).alterado).toBe(3)
  expect(
    await firmarHoja(services(), { edicion: EDICION, ronda: 1, juez: 2, clave: randomUUID() }, {}, notaria),
  ).toEqual({
    ok: false,
    reason: 'alterada',
  })
  // An entry that was taken out, too.
  await pool.query('delete from asientos_de_final where numero = 2')
  expect((await acta()).alterado).toBe(2)
})
