// Longer than 350 lines: many tests share the set-up of one night.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deactivateAccount } from '#app/accounts/people/mutations.server.ts'
import { readSheet } from '#app/finals/judge/data.server.ts'
import { readJudgingTable } from '#app/finals/judging-table/data.server.ts'
import { sha256 } from '#app/voting/record/block-seal.ts'
import { type Accounts, accountsOf } from '#tests/support/accounts/judges.ts'
import { makePerson } from '#tests/support/accounts/people.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { finalRecordFile, findJudge, listJury, readFinalRecord, readUnsignedSheets } from './data.server.ts'
import { linkExpiryOf, makeJudgeLink, redeemJudgeLink, revokePhone, saveJudgeNames } from './judge-links.server.ts'
import {
  annulFinal,
  closeRound,
  openFinal,
  openRound,
  reopenSheet,
  sealFinalRecord,
  setRecordPublic,
  signSheet,
  withdrawFromFinal,
} from './mutations.server.ts'
import { type FinalRules, toRecordFile } from './record-entries.ts'
import { REHEARSAL_REASON, recordNotes } from './record-notes.ts'
import { activeCandidateIds, openRoundOf } from './state.ts'
import { saveTaps } from './unsigned-sheets.server.ts'
import { verifyFinal } from './verification.ts'

const EDITION = 2025
const JUDGES = [1, 2, 3, 4, 5]
let site: TestSite
let accounts: Accounts
let now: Date
let notary: { quien: string; desde: string }
const services = () => ({ ...site.services, clock: { now: () => now } })

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  now = new Date('2025-09-28T20:00:00-06:00')
  accounts = accountsOf(services())
  const { pool } = site.database
  await emptyTables(pool, 'profiles', 'jueces', 'asientos_de_final', 'finales_publicas', 'hojas_sin_firmar')
  notary = { quien: (await makePerson(site.services.db)).actor.quien!, desde: 'terminal' }
})

const makeAllLinks = async () => {
  const keys: string[] = []
  for (const judge of JUDGES)
    keys.push((await makeJudgeLink(services(), { judgeNumber: judge, typedName: `Jurado ${judge}` }, notary))!.key)
  return keys
}
const record = () => readFinalRecord(services(), EDITION)
const presentCandidates = async () => {
  const { final } = (await record()).state
  return activeCandidateIds(final!, openRoundOf(final!)!)
}
/** A complete sheet. @param score tenths for both criteria, by the candidate's index */
const evenSheet = async (score: (at: number) => number) =>
  Object.fromEntries((await presentCandidates()).map((id, at) => [id, [score(at), score(at)]]))
const signAs = async (
  roundNumber: number,
  judge: number,
  idempotencyKey = randomUUID(),
  score = (at: number) => 90 - at * 10,
) =>
  signSheet(
    services(),
    { edition: EDITION, roundNumber, judgeNumber: judge, idempotencyKey },
    await evenSheet(score),
    notary,
  )
async function reachRound(ronda = 1) {
  await makeAllLinks()
  expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
  for (let one = 1; one <= ronda; one++) {
    expect(await openRound(services(), EDITION, one, notary)).toMatchObject({ ok: true })
    if (one < ronda) await fillRound(one)
  }
}
async function fillRound(ronda: number) {
  for (const judge of JUDGES) expect(await signAs(ronda, judge)).toMatchObject({ ok: true })
  expect(await closeRound(services(), EDITION, ronda, new Map(), notary)).toMatchObject({ ok: true })
}

const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36'
const request = (cookie = '') =>
  new Request('https://feria.example/jurado', { headers: { cookie, 'user-agent': ANDROID } })
async function admission(key: string, device: string = randomUUID()) {
  const used = await redeemJudgeLink(services(), key, device)
  if (!used.ok) return used
  const signInResult = await accounts.signInJudge(request(), '192.0.2.1', used.userId)
  if (!signInResult.ok) return signInResult
  const cookie = signInResult.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { ok: true as const, cuenta: used.userId, session: () => accounts.getSession(request(cookie)) }
}

test('a link opens one telephone; a new link revokes the first telephone, and the end of the evening revokes all', async () => {
  const [key] = await makeAllLinks()
  const first = await admission(key!, 'telefono-uno')
  if (!('session' in first)) throw new Error('not in')
  expect(await first.session()).toMatchObject({ role: 'jurado' })
  expect(await findJudge(site.services.db, first.cuenta)).toMatchObject({ numero: 1 })
  // A forwarded link opens no second telephone; the first one may redeem it again after a lost answer.
  expect(await admission(key!, 'telefono-dos')).toEqual({ ok: false, reason: 'usado' })
  expect(await admission(key!, 'telefono-uno')).toMatchObject({ ok: true })
  expect((await listJury(site.services.db, EDITION, 5, now))[0]).toMatchObject({
    linkStatus: 'in',
    deviceName: 'Chrome en Android',
  })
  const { key: other } = (await makeJudgeLink(services(), { judgeNumber: 1, typedName: 'Jurado 1' }, notary))!
  expect(await first.session()).toBeUndefined()
  expect(await admission(key!)).toEqual({ ok: false, reason: 'desconocido' })
  const second = await admission(other)
  if (!('session' in second)) throw new Error('not in')
  // A new link keeps the judge's account.
  expect(second.cuenta).toBe(first.cuenta)
  await revokePhone(services(), EDITION, 1, notary)
  expect(await second.session()).toBeUndefined()
  const { key: last } = (await makeJudgeLink(services(), { judgeNumber: 1, typedName: 'Jurado 1' }, notary))!
  const third = await admission(last)
  if (!('session' in third)) throw new Error('not in')
  now = new Date(linkExpiryOf(now, now).getTime() + 1)
  expect(await third.session()).toBeUndefined()
  expect(await admission(last)).toEqual({ ok: false, reason: 'vencido' })
})

test('a judge whose account was deactivated signs in again by a new link', async () => {
  const [key] = await makeAllLinks()
  const [{ email }] = (
    await site.database.pool.query(
      'select email from profiles join jueces on jueces.user_id = profiles.id where numero = 1',
    )
  ).rows
  expect(await deactivateAccount(site.services.db, email, now, notary)).toMatchObject({ ok: true })
  expect(await admission(key!)).toMatchObject({ ok: false })
  const { key: other } = (await makeJudgeLink(services(), { judgeNumber: 1, typedName: 'Jurado 1' }, notary))!
  expect(await admission(other)).toMatchObject({ ok: true })
})

test('a judge’s account signs in by a judge’s link only, and no other account signs in by one', async () => {
  await makeAllLinks()
  const [{ user_id }] = (await site.database.pool.query('select user_id from jueces where numero = 1')).rows
  const [{ email }] = (await site.database.pool.query('select email from profiles where id = $1', [user_id])).rows
  expect(await accounts.signInPassword(request(), '192.0.2.2', email, 'guayaba-29-trenza')).toMatchObject({ ok: false })
  await accounts.requestRecoveryLink('192.0.2.3', email)
  expect((await site.database.pool.query('select 1 from enlaces where user_id = $1', [user_id])).rows).toEqual([])
  expect(await accounts.signInJudge(request(), '192.0.2.4', notary.quien)).toMatchObject({ ok: false })
})

test('no final opens before each judge has a link, and the rules stay as sealed at the opening', async () => {
  expect(await openFinal(services(), notary)).toEqual({ ok: false, reason: 'jurado' })
  await makeAllLinks()
  expect(await openRound(services(), EDITION, 1, notary)).toEqual({ ok: false, reason: 'sin-abrir' })
  expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
  expect(await openFinal(services(), notary)).toEqual({ ok: false, reason: 'empezada' })
  expect(await openRound(services(), EDITION, 2, notary)).toEqual({ ok: false, reason: 'otra-ronda' })
  const { final } = (await record()).state
  expect(final!.rules.rondas).toHaveLength(4)
  expect(final!.opening.jurado[2]).toEqual({ numero: 3, nombre: 'Jurado 3' })
})

test('taps are saved by judge, and no judge reads the scores of another', async () => {
  await reachRound()
  const [ana, bea] = (await presentCandidates()) as [string, string]
  const one = { edition: EDITION, roundNumber: 1, judgeNumber: 1 }
  expect(await saveTaps(services(), one, [{ candidata: ana, criterio: 0, decimas: 80 }])).toBeUndefined()
  expect(
    await saveTaps(services(), one, [
      { candidata: ana, criterio: 1, decimas: 70 },
      { candidata: ana, criterio: 0, decimas: 90 },
      { candidata: 'nadie', criterio: 0, decimas: 90 },
      { candidata: bea, criterio: 7, decimas: 90 },
    ]),
  ).toBeUndefined()
  for (const tenths of [0, 5, 85, 110, -10])
    expect(await saveTaps(services(), one, [{ candidata: ana, criterio: 0, decimas: tenths }])).toBe('escala')
  expect(await saveTaps(services(), { ...one, roundNumber: 2 }, [])).toBe('ronda-cerrada')
  expect(await saveTaps(services(), { ...one, judgeNumber: 6 }, [])).toBe('juez')
  expect((await readSheet(services(), { edicion: EDITION, numero: 1, nombre: '' })).ronda?.marcas).toEqual({
    [ana]: [90, 70],
  })
  expect((await readSheet(services(), { edicion: EDITION, numero: 2, nombre: '' })).ronda?.marcas).toEqual({})
  // The notary's table shows no points while the round is open.
  expect(JSON.stringify((await readJudgingTable(services())).final?.rounds)).not.toMatch(/\d\.\d{3}/)
})

test('a repeated signature gets the same answer, and a second signature is refused', async () => {
  await reachRound()
  const idempotencyKey = randomUUID()
  const signed = await signAs(1, 1, idempotencyKey)
  expect(signed).toMatchObject({ ok: true })
  expect(await signAs(1, 1, idempotencyKey)).toEqual(signed)
  expect(await signAs(1, 1)).toEqual({ ok: false, reason: 'firmada' })
  // Another judge's idempotency key does not match.
  expect(await signAs(1, 2, idempotencyKey)).toMatchObject({ ok: true, entry: { juez: 2 } })
  expect(await saveTaps(services(), { edition: EDITION, roundNumber: 1, judgeNumber: 1 }, [])).toBe('firmada')
  const at = { edition: EDITION, roundNumber: 1, judgeNumber: 3, idempotencyKey: randomUUID() }
  const whole = await evenSheet(() => 80)
  const [ana] = Object.keys(whole) as [string]
  const { [ana]: _, ...without } = whole
  for (const [sheet, reason] of [
    [without, 'incompleta'],
    [{ ...whole, nadie: [80, 80] }, 'incompleta'],
    [{ ...whole, [ana]: [80] }, 'incompleta'],
    [{ ...whole, [ana]: [80, 101] }, 'escala'],
    [{ ...whole, [ana]: [80, 85] }, 'escala'],
  ] as [Record<string, number[]>, string][])
    expect(await signSheet(services(), at, sheet, notary)).toEqual({ ok: false, reason })
  const both = await Promise.all([signAs(1, 4), signAs(1, 4)])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
})

test('a round closes with all sheets, or with a reason for each missing one; a later sheet is refused', async () => {
  await reachRound()
  for (const judge of [1, 2, 3, 4]) await signAs(1, judge)
  expect(await closeRound(services(), EDITION, 1, new Map(), notary)).toEqual({ ok: false, reason: 'faltan' })
  expect(await closeRound(services(), EDITION, 1, new Map([[5, 'corto']]), notary)).toEqual({
    ok: false,
    reason: 'faltan',
  })
  expect(await closeRound(services(), EDITION, 1, new Map([[5, 'Se lo llevó la ambulancia']]), notary)).toMatchObject({
    ok: true,
    entry: { sin: [{ juez: 5, motivo: 'Se lo llevó la ambulancia' }] },
  })
  await expect(signAs(1, 5)).rejects.toThrow()
  const { final } = (await record()).state
  const late = Object.fromEntries(final!.opening.candidatas.map(({ id }) => [id, [80, 80]]))
  expect(
    await signSheet(
      services(),
      { edition: EDITION, roundNumber: 1, judgeNumber: 5, idempotencyKey: randomUUID() },
      late,
      notary,
    ),
  ).toEqual({ ok: false, reason: 'ronda-cerrada' })
  expect(
    await reopenSheet(
      services(),
      EDITION,
      { roundNumber: 1, judgeNumber: 1, typedReason: 'Se equivocó de renglón' },
      notary,
    ),
  ).toEqual({
    ok: false,
    reason: 'ronda-cerrada',
  })
})

test('a sheet is reopened with a reason, and starts from the signed scores', async () => {
  await reachRound()
  await signAs(1, 1)
  const again = { roundNumber: 1, judgeNumber: 1 }
  expect(await reopenSheet(services(), EDITION, { ...again, typedReason: 'no' }, notary)).toEqual({
    ok: false,
    reason: 'motivo',
  })
  expect(
    await reopenSheet(services(), EDITION, { ...again, typedReason: 'Se equivocó de renglón' }, notary),
  ).toMatchObject({
    ok: true,
  })
  const sheet = await readSheet(services(), { edicion: EDITION, numero: 1, nombre: '' })
  expect(sheet.ronda).toMatchObject({ firmada: null, reabierta: 'Se equivocó de renglón' })
  expect(Object.keys(sheet.ronda!.marcas)).toHaveLength(5)
  expect(await signAs(1, 1)).toMatchObject({ ok: true })
  expect((await record()).entries.map(({ clase }) => clase)).toEqual([
    'final-abierta',
    'ronda-abierta',
    'hoja',
    'hoja-reabierta',
    'hoja',
  ])
})

test('a candidate withdrawn between rounds makes room for the next; withdrawn within a round, she is no longer scored', async () => {
  await reachRound(2)
  await fillRound(2)
  const before = (await record()).state.final!
  const [first] = before.opening.candidatas
  const reason = 'Se sintió mal y no sigue'
  expect(
    await withdrawFromFinal(services(), EDITION, { candidateId: first!.id, typedReason: reason }, notary),
  ).toMatchObject({
    ok: true,
  })
  expect(await withdrawFromFinal(services(), EDITION, { candidateId: first!.id, typedReason: reason }, notary)).toEqual(
    {
      ok: false,
      reason: 'candidata',
    },
  )
  await openRound(services(), EDITION, 3, notary)
  expect(await presentCandidates()).toEqual(before.opening.candidatas.slice(1).map(({ id }) => id))
  await signAs(3, 1)
  const second = before.opening.candidatas[1]!
  await withdrawFromFinal(services(), EDITION, { candidateId: second.id, typedReason: reason }, notary)
  for (const judge of [2, 3, 4, 5]) expect(await signAs(3, judge)).toMatchObject({ ok: true })
  expect(await closeRound(services(), EDITION, 3, new Map(), notary)).toMatchObject({ ok: true })
  await openRound(services(), EDITION, 4, notary)
  expect(await presentCandidates()).toEqual(before.opening.candidatas.slice(2).map(({ id }) => id))
})

test('sealing the record ends the evening; its file verifies, and an altered file does not', async () => {
  const [key] = await makeAllLinks()
  const judge = await admission(key!)
  if (!('session' in judge)) throw new Error('not in')
  await openFinal(services(), notary)
  for (const ronda of [1, 2, 3, 4]) {
    expect(await sealFinalRecord(services(), EDITION, notary)).toEqual({ ok: false, reason: 'sin-terminar' })
    await openRound(services(), EDITION, ronda, notary)
    await fillRound(ronda)
  }
  expect(await setRecordPublic(services(), EDITION, true, notary)).toEqual({ ok: false, reason: 'sin-terminar' })
  expect(finalRecordFile(await record())).toBeUndefined()
  expect(await sealFinalRecord(services(), EDITION, notary)).toMatchObject({ ok: true })
  expect(await judge.session()).toBeUndefined()
  expect(await annulFinal(services(), EDITION, 'Hay que empezar otra vez', notary)).toEqual({
    ok: false,
    reason: 'sellada',
  })
  expect((await readUnsignedSheets(site.services.db, EDITION, 4)).size).toBe(0)
  const file = finalRecordFile(await record())!
  expect((await verifyFinal(file)).faults).toEqual([])
  // White space in the file does not matter.
  expect((await verifyFinal(JSON.stringify(JSON.parse(file), null, 2))).faults).toEqual([])
  const lines = file.split('\n')
  for (const [other, fault] of [
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
    expect((await verifyFinal(other)).faults.join('\n'), String(fault)).toMatch(fault)
  await expect(verifyFinal(file.replace('"juez":1', '"juez":"1"'))).rejects.toThrow(SyntaxError)
  expect(await setRecordPublic(services(), EDITION, true, notary)).toEqual({ ok: true })
  expect(await setRecordPublic(services(), EDITION, true, notary)).toEqual({ ok: true })
  expect(await setRecordPublic(services(), EDITION, false, notary)).toEqual({ ok: true })
  const said = await site.database.pool.query(
    `select que from bitacora where que like 'final.%' order by id desc limit 3`,
  )
  expect(said.rows.map(({ que }) => que)).toEqual(['final.oculta', 'final.publica', 'final.publica'])
})

test('a rehearsal is annulled with a reason, which the record keeps', async () => {
  await reachRound(2)
  await saveTaps(services(), { edition: EDITION, roundNumber: 2, judgeNumber: 1 }, [])
  expect(await annulFinal(services(), EDITION, 'Era el ensayo del jueves', notary)).toMatchObject({ ok: true })
  expect((await record()).state.final).toBeUndefined()
  expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
  for (const ronda of [1, 2, 3, 4]) {
    await openRound(services(), EDITION, ronda, notary)
    await fillRound(ronda)
  }
  await sealFinalRecord(services(), EDITION, notary)
  const counted = await verifyFinal(finalRecordFile(await record())!)
  expect(counted.faults).toEqual([])
  expect(recordNotes(counted.state)).toEqual([
    'Hubo un ensayo el 28 de septiembre a las 20:00, que se anuló antes de la final.',
  ])
})

test('a rehearsal of another day is one quiet line; a final that began again tells how often, and why', async () => {
  await makeAllLinks()
  for (const [day, reason] of [
    ['2025-09-20', REHEARSAL_REASON],
    ['2025-09-28', 'Se fue la luz en la plaza'],
  ]) {
    now = new Date(`${day}T21:00:00-06:00`)
    expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
    expect(await annulFinal(services(), EDITION, reason, notary)).toMatchObject({ ok: true })
  }
  expect(recordNotes((await record()).state)).toHaveLength(2)
  expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
  expect(recordNotes((await record()).state)).toEqual([
    'Hubo un ensayo el 20 de septiembre, que se anuló antes de la final.',
    expect.stringContaining('La final se abrió 3 veces'),
    '21:00 Antes se anuló otra apertura: Se fue la luz en la plaza',
  ])
})

/** The record with another opening, sealed anew. */
async function resealed(file: string, change: (opening: { reglas: FinalRules }) => void): Promise<string> {
  const { asientos } = JSON.parse(file) as { asientos: { anterior: string; reglas: FinalRules }[] }
  change(asientos[0]!)
  const contents: string[] = []
  for (const one of asientos) {
    const before = contents.at(-1)
    contents.push(JSON.stringify({ ...one, anterior: before === undefined ? one.anterior : await sha256(before) }))
  }
  return toRecordFile(await sha256(contents.at(-1)!), contents, false)
}

test('a record whose rules say nothing of another round verifies as it did', async () => {
  await reachRound(4)
  await fillRound(4)
  await sealFinalRecord(services(), EDITION, notary)
  const file = finalRecordFile(await record())!
  const earlier = await resealed(file, ({ reglas }) => {
    delete reglas.rondaDeDesempate
  })
  expect(earlier).not.toMatch(/rondaDeDesempate|desempate por la corona/)
  expect((await verifyFinal(earlier)).faults).toEqual([])
})

test('a tie for the crown gets another round at the table, which the published file tells and counts', async () => {
  await makeAllLinks()
  await openFinal(services(), notary)
  const score = (at: number) => (at < 2 ? 90 : 70)
  const judgeRound = async (ronda: number, give: (at: number) => number) => {
    expect(await openRound(services(), EDITION, ronda, notary)).toMatchObject({ ok: true })
    for (const judge of JUDGES) expect(await signAs(ronda, judge, randomUUID(), give)).toMatchObject({ ok: true })
    expect(await closeRound(services(), EDITION, ronda, new Map(), notary)).toMatchObject({ ok: true })
  }
  for (const ronda of [1, 2, 3, 4]) await judgeRound(ronda, score)
  const tied = (await readJudgingTable(services())).final!.crownTie
  expect(tied).toHaveLength(2)
  expect(await openRound(services(), EDITION, 5, notary)).toMatchObject({ ok: true })
  const sheet = await readSheet(services(), { edicion: EDITION, numero: 1, nombre: '' })
  expect(sheet).toMatchObject({ rondas: 5, ronda: { nombre: 'Desempate por la corona' } })
  expect(sheet.ronda!.candidatas).toHaveLength(2)
  expect(
    await saveTaps(services(), { edition: EDITION, roundNumber: 5, judgeNumber: 1 }, [
      { candidata: sheet.ronda!.candidatas[0]!.id, criterio: 0, decimas: 80 },
    ]),
  ).toBeUndefined()
  for (const judge of JUDGES) await signAs(5, judge, randomUUID(), (at) => 80 + at * 10)
  expect(await closeRound(services(), EDITION, 5, new Map(), notary)).toMatchObject({ ok: true })
  expect(await openRound(services(), EDITION, 6, notary)).toEqual({ ok: false, reason: 'otra-ronda' })
  await sealFinalRecord(services(), EDITION, notary)
  const { final } = await readJudgingTable(services())
  const [queen] = final!.closing!.ranking
  expect(queen).toMatchObject({ name: sheet.ronda!.candidatas[1]!.nombre, roundName: 'Desempate por la corona' })
  const file = finalRecordFile(await record())!
  expect((await verifyFinal(file)).faults).toEqual([])
  expect(file).toContain('la de desempate: la califican')
  expect(
    (await verifyFinal(file.replace(/ La ronda que sigue a las de las reglas.*?desde cero\./, ''))).faults,
  ).toEqual([expect.stringContaining('La explicación')])
})

test('names typed for the jury are saved without a link, and the opening seals them', async () => {
  await saveJudgeNames(
    services(),
    new Map([
      [2, ' Licha\u2028 Robles '],
      [3, ''],
      [9, 'Nadie'],
      [1, null],
    ]),
  )
  const { rows } = await site.database.pool.query('select numero, nombre, user_id from jueces order by numero')
  expect(rows).toEqual([
    { numero: 2, nombre: 'Licha Robles', user_id: null },
    { numero: 3, nombre: 'Jurado 3', user_id: null },
  ])
  expect(await openFinal(services(), notary)).toEqual({ ok: false, reason: 'jurado' })
  await makeAllLinks()
  await saveJudgeNames(services(), new Map([[2, 'Licha Robles']]))
  expect((await listJury(site.services.db, EDITION, 5, now))[1]).toMatchObject({
    name: 'Licha Robles',
    linkStatus: 'unused',
  })
})

test('the record names each change of a judge’s telephone from the opening to the seal', async () => {
  await reachRound(1)
  // By a new link, another person could sign in the judge's place.
  await makeJudgeLink(services(), { judgeNumber: 3, typedName: 'Jurado 3' }, notary)
  await revokePhone(services(), EDITION, 5, notary)
  expect((await record()).firstAltered).toBeUndefined()
  await fillRound(1)
  for (const ronda of [2, 3, 4]) {
    await openRound(services(), EDITION, ronda, notary)
    await fillRound(ronda)
  }
  await sealFinalRecord(services(), EDITION, notary)
  // After the seal no sheet is left to sign, so a new link is not recorded.
  await makeJudgeLink(services(), { judgeNumber: 1, typedName: 'Jurado 1' }, notary)
  const counted = await verifyFinal(finalRecordFile(await record())!)
  expect(counted.faults).toEqual([])
  expect(recordNotes(counted.state)).toEqual([
    expect.stringContaining('Jurado 3 recibió otro enlace: desde entonces firma con otro teléfono.'),
    expect.stringContaining('Jurado 5 quedó sin teléfono: se cerró el que tenía.'),
  ])
})

test('a change in the database is detected: the record takes no more entries', async () => {
  await reachRound()
  await signAs(1, 1)
  const { pool } = site.database
  await expect(pool.query(`update asientos_de_final set contenido = replace(contenido, '90', '10')`)).rejects.toThrow(
    'only grows',
  )
  await expect(pool.query('delete from asientos_de_final')).rejects.toThrow('only grows')
  await expect(pool.query('truncate asientos_de_final')).rejects.toThrow('only grows')
  // The owner of the database disables the trigger and recomputes the seal.
  await pool.query('alter table asientos_de_final disable trigger user')
  await pool.query(`update asientos_de_final
    set contenido = replace(contenido, '[90,90]', '[10,10]'), sello = encode(sha256(convert_to(replace(contenido, '[90,90]', '[10,10]'), 'UTF8')), 'hex')
    where numero = 3`)
  expect((await record()).firstAltered).toBe(3)
  expect((await readJudgingTable(services())).firstAlteredEntry).toBe(3)
  expect(
    await signSheet(
      services(),
      { edition: EDITION, roundNumber: 1, judgeNumber: 2, idempotencyKey: randomUUID() },
      {},
      notary,
    ),
  ).toEqual({
    ok: false,
    reason: 'alterada',
  })
  // A deleted entry is detected, too.
  await pool.query('delete from asientos_de_final where numero = 2')
  expect((await record()).firstAltered).toBe(2)
})
