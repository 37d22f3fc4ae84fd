import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import { parseClosingRecord } from '#app/voting/record/schema.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { findVoteByReceipt, readHourlyVotes, readRecord, readResults } from '#app/voting/sealing/data.server.ts'
import { closeVote, proclaimWinner } from '#app/voting/sealing/mutations.server.ts'
import { recordLines } from '#app/voting/sealing/record-file.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'
import { databaseBefore } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, VOTE_TABLES, voter, withNewNames } from '#tests/support/voting/votes.ts'
import { type Election, loadWinner, resolveProclaimedId } from './data.server.ts'

let site: TestSite
let services: Services
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = OPEN
  await sql(`truncate ${VOTE_TABLES}, ajustes, candidatas`)
})

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const VALERIA = 'valeria-bugambilia-olmos'
const RENATA = 'renata-cempasuchil-nava'
/** The candidates with one name still misspelled. */
const BEFORE = withNewNames({ [VALERIA]: 'Valeria Bugambillia Olmos' })
const votesOf = async (election: Election) => {
  const { filas, otros } = await readResults(services, election)
  return [...filas.map(({ votos }) => votos), otros]
}
/** Stores the names as a starting process does, then casts `counts` votes of new voters for each candidate. */
async function begin(election: Election, ...counts: number[]) {
  await storeCandidateNames(services, election)
  const voting = createVoting(services)
  await Promise.all(
    counts.flatMap((count, place) =>
      Array.from({ length: count }, () =>
        voting.cast(election, voter(), { vote: place, idempotencyKey: randomUUID() }),
      ),
    ),
  )
  return voting
}
const fileOf = async (from: Services) => {
  let text = ''
  for await (const piece of (await recordLines(from, 2025))!) text += piece
  return text
}
async function* linesOf(text: string) {
  yield* text.split('\n')
}

describe('a corrected name', () => {
  test('keeps its votes in results, hours, recount, act, file, receipt and proclamation', async () => {
    const first = await begin(BEFORE, 4, 2)
    const answer = await first.cast(BEFORE, voter(), { vote: 0 })
    await sealVotes(services, BEFORE)
    await begin(BEFORE, 2)
    expect(await votesOf(BEFORE)).toEqual([7, 2, 0, 0, 0, 0])

    await begin(ELECTION, 1)
    expect(await votesOf(ELECTION)).toEqual([8, 2, 0, 0, 0, 0])
    // A process that still has the old content counts the same.
    expect(await votesOf(BEFORE)).toEqual([8, 2, 0, 0, 0, 0])
    await sealVotes(services, ELECTION)
    expect((await readHourlyVotes(services.db, ELECTION))[0]?.votos).toEqual([8, 2, 0, 0, 0, 0])
    expect((await recount(services, ELECTION)).faults).toEqual([])
    // Each row keeps the name as it stood when the vote was cast.
    expect(await sql('select candidata, count(*)::int as n from banda_digital_votes group by 1 order by 1')).toEqual([
      { candidata: 'Renata Cempasúchil Nava', n: 2 },
      { candidata: 'Valeria Bugambilia Olmos', n: 1 },
      { candidata: 'Valeria Bugambillia Olmos', n: 7 },
    ])

    now = CLOSED
    const done = await closeVote(services, ELECTION, ACTOR)
    const record = parseClosingRecord(done.ok ? done.record.contenido : '')
    expect([record.otros, record.candidatas[0]]).toEqual([
      0,
      { id: VALERIA, nombre: 'Valeria Bugambilia Olmos', antes: ['Valeria Bugambillia Olmos'], votos: 8 },
    ])
    const text = await fileOf(services)
    const { faults, totals } = await verifyRecord(linesOf(text))
    expect([faults, [...totals.values()]]).toEqual([[], [8, 2, 0, 0, 0]])
    expect(text).toContain('sus votos son también los de los nombres de «antes»')
    const stolen = text.replace('"nombre":"Renata Cempasúchil Nava",', '$&"antes":["Valeria Bugambillia Olmos"],')
    expect((await verifyRecord(linesOf(stolen))).faults).toContain(
      'El acta da el nombre «Valeria Bugambillia Olmos» a dos candidatas.',
    )
    expect(await findVoteByReceipt(services.db, ELECTION, answer.ok ? answer.recibo : '')).toMatchObject({
      candidateName: 'Valeria Bugambilia Olmos',
    })

    // The name is corrected once more after the closing record.
    const later = withNewNames({ [VALERIA]: 'Valeria de la Bugambilia Olmos' })
    await storeCandidateNames(services, later)
    expect(await votesOf(later)).toEqual([8, 2, 0, 0, 0, 0])
    expect((await recount(services, later)).faults).toEqual([])
    expect(await proclaimWinner(services, later, { winner: { candidata: VALERIA }, version: 0 }, ACTOR)).toEqual({
      ok: true,
    })
    expect(await loadWinner(services.db)).toMatchObject({ id: VALERIA, edad: 22 })
  })

  test('of a vote whose answer was lost is the same vote still', async () => {
    const before = await begin(BEFORE)
    const [who, attempt] = [voter(), randomUUID()]
    const first = await before.cast(BEFORE, who, { vote: 0, idempotencyKey: attempt })
    expect(first.ok).toBe(true)
    const after = await begin(ELECTION)
    expect(await after.cast(ELECTION, who, { vote: 0, idempotencyKey: attempt })).toEqual(first)
    expect(await after.cast(ELECTION, who, { vote: 1, idempotencyKey: attempt })).toEqual({
      ok: false,
      reason: 'ya-votaste',
    })
  })
})

const without = (id: string): Election => ({
  ...ELECTION,
  candidatas: ELECTION.candidatas.filter((one) => one.id !== id),
})
const withIds = (ids: Record<string, string>): Election => ({
  ...ELECTION,
  candidatas: ELECTION.candidatas.map(({ id, nombre }) => ({ id: ids[id] ?? id, nombre })),
})
const HOLDS = 'Devuelve los ids como estaban: para corregir un nombre se cambia sólo «nombre».'

describe('a start', () => {
  const parting: [string, Election, string][] = [
    [
      'an id that is gone',
      without(VALERIA),
      `«Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», que ya no está`,
    ],
    [
      'an id that was changed',
      withIds({ [VALERIA]: 'valeria' }),
      `«Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «valeria»`,
    ],
    [
      'an id changed together with its name',
      { ...ELECTION, candidatas: [{ id: 'valeria', nombre: 'Valeria Olmos' }, ...without(VALERIA).candidatas] },
      `«Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», que ya no está`,
    ],
    [
      'two ids in each other’s place',
      withIds({ [VALERIA]: RENATA, [RENATA]: VALERIA }),
      `«Renata Cempasúchil Nava» tiene 1 voto con el id «${RENATA}», y ahora dice «${VALERIA}»; «Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «${RENATA}»`,
    ],
    [
      'two names in each other’s place',
      withNewNames({ [VALERIA]: 'Renata Cempasúchil Nava', [RENATA]: 'Valeria Bugambilia Olmos' }),
      `«Renata Cempasúchil Nava» tiene 1 voto con el id «${RENATA}», y ahora dice «${VALERIA}»; «Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «${RENATA}»`,
    ],
  ]
  test.each(parting)('is refused over %s, sealed or not, and changes nothing', async (_what, election, said) => {
    await begin(ELECTION, 4)
    await sealVotes(services, ELECTION)
    await begin(ELECTION, 3, 1)
    await expect(storeCandidateNames(services, election)).rejects.toThrow(
      new StartError(`content/2025/candidatas.yaml separa votos de su candidata: ${said}. ${HOLDS}`),
    )
    await storeCandidateNames(services, ELECTION)
    expect(await votesOf(ELECTION)).toEqual([7, 1, 0, 0, 0, 0])
  })

  test.each(parting)('takes %s before the first vote', async (_what, election) => {
    await storeCandidateNames(services, ELECTION)
    await begin(election, 2)
    expect((await votesOf(election))[0]).toBe(2)
    await sealVotes(services, election)
    expect((await recount(services, election)).faults).toEqual([])
  })

  test('is refused where the votes bear a name of before, and where the id is another candidate’s now', async () => {
    await begin(BEFORE, 7)
    await storeCandidateNames(services, ELECTION)
    const voted = `«Valeria Bugambillia Olmos» tiene 7 votos con el id «${VALERIA}»`
    const exchanged = withIds({ [VALERIA]: RENATA, [RENATA]: VALERIA })
    await expect(storeCandidateNames(services, exchanged)).rejects.toThrow(`${voted}, y ahora dice «${RENATA}»`)
    const taken = withNewNames({ [VALERIA]: 'Renata Cempasúchil Nava', [RENATA]: 'Renata Nava' })
    await expect(storeCandidateNames(services, taken)).rejects.toThrow(
      `${voted}, que ahora es el de «Renata Cempasúchil Nava»`,
    )
    await storeCandidateNames(services, ELECTION)
    expect(await votesOf(ELECTION)).toEqual([7, 0, 0, 0, 0, 0])
  })

  test('is refused over votes for a name of no candidate, from a version that kept no names, until the content assigns the name', async () => {
    await begin(BEFORE, 7, 1)
    await sql('truncate candidatas')
    await expect(storeCandidateNames(services, ELECTION)).rejects.toThrow(
      new StartError(
        'Hay votos que no son de ninguna candidata de content/2025/candidatas.yaml: «Valeria Bugambillia Olmos» tiene 7 votos. Si así se llamaba una de ellas, agrega ese nombre a su lista «antes»; si se quitó a una, devuélvela.',
      ),
    )
    const [valeria, ...others] = ELECTION.candidatas
    const said = { ...ELECTION, candidatas: [{ ...valeria!, antes: ['Valeria Bugambillia Olmos'] }, ...others] }
    await storeCandidateNames(services, said)
    expect(await votesOf(said)).toEqual([7, 1, 0, 0, 0, 0])
    // Once the name is stored, the content no longer has to state it.
    await storeCandidateNames(services, ELECTION)
    expect(await votesOf(ELECTION)).toEqual([7, 1, 0, 0, 0, 0])
  })

  test('is stopped by no row that was written by hand', async () => {
    await begin(ELECTION, 1)
    await sql(
      `insert into banda_digital_votes (user_id, candidata, firma) values ('a', 'Nadie', '\\x00'), ('b', null, null)`,
    )
    await storeCandidateNames(services, ELECTION)
    await sealVotes(services, ELECTION)
    await storeCandidateNames(services, ELECTION)
    expect(await votesOf(ELECTION)).toEqual([1, 0, 0, 0, 0, 2])
  })

  test('signs the names anew where the key of the site changed before the first vote', async () => {
    const before: Services = { ...services, keyed: createKeyDeriver('another secret of thirty-two characters or more') }
    await storeCandidateNames(before, BEFORE)
    await storeCandidateNames(before, ELECTION)
    await storeCandidateNames(services, ELECTION)
    expect((await recount(services, ELECTION)).faults).toEqual([])
    expect(await sql('select count(*)::int as n from candidatas')).toEqual([{ n: 6 }])
    await begin(ELECTION, 1)
    expect((await recount(services, ELECTION)).faults).toEqual([])
  })

  test('of two processes at once writes each name once', async () => {
    await Promise.all([1, 2, 3].map(() => storeCandidateNames(services, ELECTION)))
    expect(await sql('select count(*)::int as n from candidatas')).toEqual([{ n: 5 }])
  })
})

test.each([
  [
    'a name given to another candidate',
    `update candidatas set id = '${RENATA}' where nombre = 'Valeria Bugambillia Olmos'`,
    'De quién es el nombre «Valeria Bugambillia Olmos» se escribió en la base de datos sin pasar por el sitio.',
  ],
  [
    'a name taken away',
    `delete from candidatas where nombre = 'Valeria Bugambillia Olmos'`,
    '«Valeria Bugambillia Olmos» no es ninguna de las candidatas y tiene 7 votos.',
  ],
])('%s by hand is found by the recount; behind the closing act, too', async (_what, attack, found) => {
  await begin(BEFORE, 7, 1)
  await storeCandidateNames(services, ELECTION)
  await sealVotes(services, ELECTION)
  expect((await recount(services, ELECTION)).faults).toEqual([])
  await sql(attack)
  expect((await recount(services, ELECTION)).faults).toEqual([found])
  await sql('truncate candidatas')
  await storeCandidateNames(services, BEFORE)
  await storeCandidateNames(services, ELECTION)
  now = CLOSED
  expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
  await sql(attack)
  expect((await recount(services, ELECTION)).faults).toContain(
    'El acta de cierre cuenta los votos de «Valeria Bugambillia Olmos» para Valeria Bugambilia Olmos, de quien ya no es.',
  )
})

/** Rows that an earlier version wrote, and the file that it published: tests/samples/earlier-vote. */
test('a vote that the version before closed goes on verifying, and its winner and its votes follow a corrected name', async () => {
  const before = await databaseBefore('20260118')
  try {
    const tables = JSON.parse(await readFile('tests/samples/earlier-vote/filas.txt', 'utf8')) as object
    for (const [table, rows] of Object.entries(tables)) {
      if (table === 'votos_por_hora') await before.pool.query('delete from votos_por_hora')
      await before.pool.query(
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows)],
      )
    }
    const kept = async () => (await before.pool.query('select * from banda_digital_votes order by id')).rows
    const rows = await kept()
    await before.upgrade()

    const from: Services = { ...services, db: before.db, clock: { now: () => CLOSED } }
    const published = await readFile('tests/samples/earlier-vote/acta.txt', 'utf8')
    const check = async (election: Election) => {
      await storeCandidateNames(from, election)
      const { filas, otros, anulados } = await readResults(from, election)
      expect([...filas.map(({ votos }) => votos), otros, anulados]).toEqual([8, 3, 3, 1, 0, 0, 2])
      expect((await recount(from, election)).faults).toEqual([])
      // The file is the same to the letter: nothing that was sealed is written anew.
      expect(await fileOf(from)).toBe(published)
    }
    await check(ELECTION)
    await check(withNewNames({ [VALERIA]: 'Valeria Bugambilla Olmos' }))
    expect(await kept()).toEqual(rows.map((row) => ({ ...row, bloque: null })))
    const { faults, totals } = await verifyRecord(linesOf(published))
    expect([faults, [...totals.values()]]).toEqual([[], [8, 3, 3, 1, 0]])

    // The earlier version stored the proclamation by name.
    expect(await loadWinner(before.db)).toMatchObject({ id: VALERIA })
    const later = withNewNames({ [VALERIA]: 'Valeria Bugambilla Olmos' })
    expect(await resolveProclaimedId(before.db, 'Valeria Bugambilla Olmos')).toBe(VALERIA)
    expect(await resolveProclaimedId(before.db, 'Nadie')).toBeUndefined()
    expect(parseClosingRecord((await readRecord(before.db, 2025, 'cierre'))!.contenido).candidatas[0]).toEqual({
      nombre: 'Valeria Bugambilia Olmos',
      votos: 8,
    })
    const again = { winner: { candidata: VALERIA, mensaje: 'Gracias.' }, version: 1 }
    expect(await proclaimWinner(from, later, again, ACTOR)).toEqual({ ok: true })
    expect(await proclaimWinner(from, later, { winner: { candidata: RENATA }, version: 2 }, ACTOR)).toEqual({
      ok: false,
      reason: 'no-gano',
    })
    await expect(storeCandidateNames(from, without(VALERIA))).rejects.toThrow(
      '«Valeria Bugambilia Olmos» tiene 8 votos',
    )
  } finally {
    await before.drop()
  }
})
