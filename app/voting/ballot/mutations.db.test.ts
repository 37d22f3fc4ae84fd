import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { solveWork } from '#app/core/http/proof-of-work.client.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { MIN_DISPOSABLE_DIFFICULTY, spanOf } from '#app/voting/election/rules.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ELECTION, RULES, VOTE_TABLES, vote, voter } from '#tests/support/voting/votes.ts'
import { createVoting, type Voting } from './mutations.server.ts'
import type { VoteAnswer } from './schema.ts'
import { castFormVote } from './vote-request.server.ts'

let site: TestSite
let services: Services
let voting: Voting
let now = new Date('2025-09-20T12:00:00-06:00')

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
  voting = createVoting(services)
})
afterAll(() => site.close())
beforeEach(async () => {
  now = new Date('2025-09-20T12:00:00-06:00')
  await site.database.pool.query(`truncate ${VOTE_TABLES} cascade`)
})

const stored = async () =>
  (await site.database.pool.query('select user_id, candidata, sospecha from banda_digital_votes')).rows

test('a vote is one row with the candidate’s full name, and gives a receipt', async () => {
  const who = voter()
  const answer = await vote(voting, 2, who)
  expect(answer).toMatchObject({ ok: true, recibo: expect.stringMatching(/^[2-9A-HJ-NP-Z]{12}$/) })
  expect(await stored()).toEqual([{ user_id: who.userId, candidata: 'Ximena Agave Montaño', sospecha: null }])
})

test('twenty parallel requests over three instances are one vote, and everybody is told the truth', async () => {
  const who = voter()
  const pools = [1, 2].map(() => openPool(site.database.pool.options))
  const instances = [voting, ...pools.map((pool) => createVoting({ ...services, db: openDatabase(pool) }))]
  const attempts = [randomUUID(), randomUUID()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => vote(instances[at % 3]!, at % 5, who, attempts[at % 2])),
  )
  await Promise.all(pools.map((pool) => pool.end()))
  const receipts = new Set(answers.flatMap((answer) => (answer.ok ? [answer.recibo] : [])))
  expect(receipts.size).toBe(1)
  for (const answer of answers) if (!answer.ok) expect(answer).toEqual({ ok: false, reason: 'ya-votaste' })
  expect(await stored()).toHaveLength(1)
})

test('two crowds of the same people, in opposite orders over two instances, keep each other waiting for nothing', async () => {
  const pools = [1, 2].map(() => openPool(site.database.pool.options))
  const instances = pools.map((pool) => createVoting({ ...services, db: openDatabase(pool) }))
  try {
    for (let round = 0; round < 5; round++) {
      const crowd = Array.from({ length: 250 }, () => voter())
      // Votes that arrive while two statements run go together into the next statement.
      const answers = await Promise.allSettled(
        instances.flatMap((instance, at) =>
          [voter(), voter(), ...(at === 0 ? crowd : crowd.toReversed())].map((who) => vote(instance, 0, who)),
        ),
      )
      const said = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : answer.value.ok))
      expect(said.filter((one) => one === true)).toHaveLength(254)
      expect(said.filter((one) => one === false)).toHaveLength(250)
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
})

test('the same attempt sent again after a lost answer gets its receipt again; another one does not', async () => {
  const who = voter()
  const attempt = randomUUID()
  const first = await vote(voting, 1, who, attempt)
  expect(await vote(voting, 1, who, attempt)).toEqual(first)
  expect(await vote(voting, 2, who, attempt)).toEqual({ ok: false, reason: 'ya-votaste' })
  expect(await vote(voting, 1, who)).toEqual({ ok: false, reason: 'ya-votaste' })
})

test('an attempt replayed by another voter is a vote of that voter', async () => {
  const attempt = randomUUID()
  await vote(voting, 1, voter(), attempt)
  expect(await vote(voting, 1, voter(), attempt)).toMatchObject({ ok: true })
  expect(await stored()).toHaveLength(2)
})

test('another account with the same address, however it is written, has voted already', async () => {
  expect(await vote(voting, 0, voter('ana.lopez@gmail.com'))).toMatchObject({ ok: true })
  for (const email of ['analopez@gmail.com', 'an.alo.pez+dos@googlemail.com', 'ana.lopez+x@gmail.com'])
    expect(await vote(voting, 0, voter(email)), email).toEqual({ ok: false, reason: 'ya-votaste' })
  expect(await vote(voting, 0, voter('ana.lopez@correo.mx'))).toMatchObject({ ok: true })
  expect(await vote(voting, 0, voter('analopez@correo.mx'))).toMatchObject({ ok: true })
})

test('five addresses at three domains of one provider are one mailbox, and one voter', async () => {
  const answers = []
  for (const email of [
    'primodeana@proton.me',
    'primo.de.ana@pm.me',
    'primo_de-ana@protonmail.com',
    'primodeana+1@proton.me',
    'p.r.i.m.o-de_ana+2@pm.me',
  ])
    answers.push((await vote(voting, 3, voter(email))).ok)
  expect(answers).toEqual([true, false, false, false, false])
})

test('the server’s clock closes the vote: the last moment counts, the next one does not', async () => {
  now = new Date('2025-09-25T23:59:00-06:00')
  expect(await vote(voting, 0)).toMatchObject({ ok: true })
  now = new Date('2025-09-25T23:59:00.001-06:00')
  expect(await vote(voting, 0)).toEqual({ ok: false, reason: 'cerrada' })
  expect(await stored()).toHaveLength(1)
})

test.each([-1, 5, 1.5, Number.NaN, '2', null, undefined, [2], { 0: 1 }])('%j is no candidate', async (place) => {
  expect(await voting.cast(ELECTION, voter(), { vote: place })).toEqual({ ok: false, reason: 'candidata' })
  expect(await stored()).toEqual([])
})

/** Solves a challenge as a voter's browser does. */
const work = async (challenge: WorkChallenge) => ({
  reto: JSON.stringify(challenge),
  respuesta: (await solveWork(challenge))!,
})
const challengeOf = (answer: VoteAnswer) => {
  if (answer.ok || !answer.reto) throw new Error('nothing to work on')
  return answer.reto
}

test('an address made to be thrown away takes work, counts, and is under suspicion', async () => {
  const who = voter('x@yopmail.com')
  const first = await vote(voting, 3, who)
  expect(first).toMatchObject({
    ok: false,
    reason: 'prueba',
    reto: { parameters: { data: { intentos: MIN_DISPOSABLE_DIFFICULTY } } },
  })
  const proof = await work(challengeOf(first))
  const ballotPaper = { vote: 3, idempotencyKey: randomUUID() }
  // Refused proofs: another voter's, an undone one, one forged to be lighter, an empty one, an expired one.
  const other = voter('y@yopmail.com')
  expect(await voting.cast(ELECTION, other, { ...ballotPaper, proof })).toMatchObject({ reason: 'prueba' })
  for (const bad of [
    { ...proof, respuesta: '{"counter":1,"derivedKey":"00"}' },
    { ...proof, reto: proof.reto.replace('"intentos":512', '"intentos":513') },
    { reto: '', respuesta: '' },
  ])
    expect(await voting.cast(ELECTION, who, { ...ballotPaper, proof: bad })).toMatchObject({ reason: 'prueba' })
  now = new Date(now.getTime() + 11 * 60_000)
  expect(await voting.cast(ELECTION, who, { ...ballotPaper, proof })).toMatchObject({ reason: 'prueba' })
  now = new Date(now.getTime() - 11 * 60_000)
  expect(await voting.cast(ELECTION, who, { ...ballotPaper, proof })).toMatchObject({ ok: true })
  expect(await stored()).toEqual([expect.objectContaining({ sospecha: 'desechable' })])
  // A voter who has already voted learns it without working again.
  expect(await vote(voting, 3, who)).toEqual({ ok: false, reason: 'ya-votaste' })
})

test('ten thousand accounts of one network at once: the usual number passes, all others are asked for work', async () => {
  const fresh = createVoting(services)
  const of = (at: number) => voter(`prisa${at}@gmail.com`, '198.51.100.7')
  // Repeated presses make one vote and raise no suspicion.
  for (let again = 0; again < 5; again++) await vote(fresh, 0, of(0))
  const answers = await Promise.all(Array.from({ length: 9_999 }, (_, at) => vote(fresh, at % 5, of(at + 1))))
  const passed = answers.filter(({ ok }) => ok).length
  expect(passed).toBe(RULES.rafagaPorRed - 1)
  expect(answers.filter((answer) => !answer.ok && answer.reason === 'prueba')).toHaveLength(9_999 - passed)
  expect(await stored()).toHaveLength(RULES.rafagaPorRed)
  // Voters from other networks need no work.
  expect(await vote(fresh, 0, voter('lejos@gmail.com', '203.0.113.77'))).toMatchObject({ ok: true })
})

test('an unusual crowd behind one network or domain is slowed, never shut out', async () => {
  const fresh = createVoting(services)
  const [row] = await Promise.all([vote(voting, 0, voter('a@empresa.mx', '203.0.113.9'))])
  expect(row).toMatchObject({ ok: true })
  const { rows } = await site.database.pool.query('select red, dominio from banda_digital_votes')
  const { red, dominio } = rows[0] as { red: string; dominio: string }
  expect(dominio).toBe('empresa.mx')
  expect(red).not.toContain('203')
  const burst = { edicion: 2025, tramo: spanOf(now), clase: 'red' as const, origen: red }
  await services.db
    .insertInto('votos_por_origen')
    .values({ ...burst, votos: RULES.rafagaPorRed * 4 })
    .execute()
  await services.db
    .insertInto('origenes')
    .values(
      [['escuela.mx', RULES.trabajoPorDominio + 1] as const, ['tranquila.mx', RULES.trabajoPorDominio] as const].map(
        ([origin, votes]) => ({ edicion: 2025, clase: 'dominio', origen: origin, votos: votes, desde_lote: 1 }),
      ),
    )
    .execute()
  const crowd = voter('b@gmail.com', '203.0.113.200')
  const asked = await vote(fresh, 1, crowd)
  expect(asked).toMatchObject({ reason: 'prueba', reto: { parameters: { data: { intentos: 256 } } } })
  const ballotPaper = { vote: 1, idempotencyKey: randomUUID(), proof: await work(challengeOf(asked)) }
  expect(await fresh.cast(ELECTION, crowd, ballotPaper)).toMatchObject({ ok: true })
  expect(await vote(fresh, 1, voter('c@escuela.mx'))).toMatchObject({
    reason: 'prueba',
    reto: { parameters: { data: { intentos: 64 } } },
  })
  expect(await vote(fresh, 1, voter('c@tranquila.mx'))).toMatchObject({ ok: true })
  // A burst counts for its ten-minute span and the next one.
  now = new Date(now.getTime() + 25 * 60_000)
  const later = createVoting(services)
  expect(await vote(later, 1, voter('d@gmail.com', '203.0.113.201'))).toMatchObject({ ok: true })
})

test('a vote counts for the candidate whom the page showed at the place, or for none', async () => {
  const [first, second] = (await loadElection()).candidatas
  const send = (said: Record<string, string>) => {
    const { userId, email, client } = voter()
    return castFormVote(voting, { client }, { userId, email, role: null }, new URLSearchParams(said))
  }
  expect(await send({ vote: '0', candidata: second!.id })).toEqual({ ok: false, reason: 'cambio' })
  expect(await stored()).toEqual([])
  expect(await send({ vote: '0', candidata: first!.id })).toMatchObject({ ok: true })
  // Pages of earlier versions send no candidate's id.
  expect(await send({ vote: '1' })).toMatchObject({ ok: true })
  expect((await stored()).map(({ candidata }) => candidata)).toEqual([first!.nombre, second!.nombre])
})

test('a form without a session, or with a judge’s, casts no vote', async () => {
  const { userId, email, client } = voter()
  const send = (session: Parameters<typeof castFormVote>[2]) =>
    castFormVote(voting, { client }, session, new URLSearchParams({ vote: '0' }))
  expect(await send(undefined)).toEqual({ ok: false, reason: 'sesion' })
  expect(await send({ userId, email, role: 'jurado' })).toEqual({ ok: false, reason: 'sesion' })
  expect(await stored()).toEqual([])
  expect(await send({ userId, email, role: 'prensa' })).toMatchObject({ ok: true })
})
