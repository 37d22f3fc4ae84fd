// Longer than 350 lines: one vote from its opening to its closing record, and every way of tampering with the vote.

import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { sql as kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { listSettings } from '#app/cms/edition-settings/data.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { createVoting, type Voting } from '#app/voting/ballot/mutations.server.ts'
import { type EligibleCandidate, loadWinner } from '#app/voting/election/data.server.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import { type Cover, type PublishedBlock, parseClosingRecord } from '#app/voting/record/schema.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { dumpOf } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import {
  ACTOR,
  CLOSED,
  castVotes,
  castVoteWithWork,
  ELECTION,
  OPEN,
  VOTE_TABLES,
  vote,
  voter,
} from '#tests/support/voting/votes.ts'
import { findVoteByReceipt, listBursts, listFlaggedOrigins, readHourlyVotes, readResults } from './data.server.ts'
import { annulVotes, closeVote, drawUpOpeningRecord, proclaimWinner } from './mutations.server.ts'
import { maySealWithOwnKey } from './opening-record.server.ts'
import { recordLines } from './record-file.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'
import { mailReceipts, startSealing } from './sealing-worker.server.ts'

let site: TestSite
let services: Services
let voting: Voting
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
  voting = createVoting(services)
})
afterAll(() => site.close())
beforeEach(async () => {
  now = OPEN
  await sql(`truncate ${VOTE_TABLES}, ajustes, correos, profiles, candidatas cascade`)
  for await (const path of services.storage.list('sellos', '')) await services.storage.remove('sellos', path)
})

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const seal = () => sealVotes(services, ELECTION)
const results = () => readResults(services, ELECTION)

/** The specification's way (§7): every row read, in ranges of 1000, counted by name. */
async function byReading() {
  const found: (string | null)[] = []
  for (let from = 0; ; from += 1000) {
    const page = await sql('select candidata from banda_digital_votes order by id offset $1 limit 1000', [from])
    found.push(...page.map((row) => (row as { candidata: string | null }).candidata))
    if (page.length < 1000) break
  }
  return {
    votos: ELECTION.candidatas.map(({ nombre }) => found.filter((one) => one === nombre).length),
    total: found.length,
  }
}

describe('results', () => {
  /** Expects the results to equal a count of every row. @returns the total */
  const same = async (what = '') => {
    const { filas, total, otros } = await results()
    const read = await byReading()
    expect([...filas.map(({ votos }) => votos), total, otros], what).toEqual([
      ...read.votos,
      read.total,
      read.total - read.votos.reduce((sum, votes) => sum + votes, 0),
    ])
    return total
  }

  test('are 0.0 with no votes', async () => {
    const { filas, total, otros } = await results()
    expect([total, otros]).toEqual([0, 0])
    expect(filas.map(({ porcentaje }) => porcentaje)).toEqual(['0.0', '0.0', '0.0', '0.0', '0.0'])
  })

  test('equal a count of every row, before a seal, after it and in between', async () => {
    await castVotes(voting, 7, 3, 12, 0, 2)
    await same()
    expect(await seal()).toBe(24)
    await same()
    await castVotes(voting, 1, 0, 4, 0, 0)
    await sql(
      `insert into banda_digital_votes (user_id, candidata) values ('x', 'Nadie Conocida'), ('y', null), ('z', '')`,
    )
    await same()
    await seal()
    await same()
    const { filas, otros, ajenos } = await results()
    expect([otros, ajenos]).toEqual([3, 3])
    // 16 of 32: votes for others are part of the whole.
    expect(filas[2]).toEqual({
      id: 'ximena-agave-montano',
      nombre: 'Ximena Agave Montaño',
      votos: 16,
      porcentaje: '50.0',
    })
  })

  test('follow every change of sealed votes by hand, hour by hour; the recount names it', async () => {
    await castVotes(voting, 4, 3, 2)
    await seal()
    now = new Date(OPEN.getTime() + 3_600_000)
    await castVotes(voting, 1, 1)
    await seal()
    await castVotes(voting, 1)
    const [one, two, three, four] = (await sql('select id from banda_digital_votes order by id')).map(
      (row) => (row as { id: number }).id,
    )
    const changes: [string, number][] = [
      [`update banda_digital_votes set candidata = 'Otra' where id = ${one}`, 12],
      [`update banda_digital_votes set candidata = null where id = ${two}`, 12],
      [`update banda_digital_votes set created_at = created_at + interval '1 hour' where id = ${three}`, 12],
      [`delete from banda_digital_votes where id = ${two}`, 11],
      [`update banda_digital_votes set lote = null where id = ${three}`, 11],
      [`update banda_digital_votes set lote = 0 where id = ${four}`, 11],
      [`update banda_digital_votes set lote = 1 where lote is null and id > ${four}`, 11],
      [`insert into banda_digital_votes (user_id, candidata, lote) values ('a', 'Valeria Bugambilia Olmos', 1)`, 12],
      [`insert into banda_digital_votes (user_id, candidata, lote) values ('b', null, 77)`, 13],
      [`update banda_digital_votes set candidata = 'Valeria Bugambilia Olmos', user_id = 'c' where user_id = 'b'`, 13],
      [`delete from banda_digital_votes where id > ${four}`, 3],
    ]
    for (const [change, total] of changes) {
      await sql(change)
      expect(await same(change), change).toBe(total)
      expect((await recount(services, ELECTION)).faults, change).not.toEqual([])
      const hours = await sql(
        `select date_trunc('hour', created_at) as hora, coalesce(candidata, '') as candidata, count(*) as votos
         from banda_digital_votes where lote <> 0 group by 1, 2 order by 1, 2`,
      )
      expect(
        await sql('select hora, candidata, votos from votos_por_hora where votos <> 0 order by 1, 2'),
        change,
      ).toEqual(hours)
    }
    await seal()
    await same('sealed again')
    expect((await readHourlyVotes(services.db, ELECTION)).every(({ votos }) => votos.some((count) => count > 0))).toBe(
      true,
    )
    await sql('truncate banda_digital_votes')
    expect(await same('truncated')).toBe(0)
  })

  test('count a candidate who has left the edition among the others', async () => {
    await castVotes(voting, 2, 1)
    await seal()
    const without = { ...ELECTION, candidatas: ELECTION.candidatas.slice(1) }
    const { filas, otros, total } = await readResults(services, without)
    expect([filas[0]!.votos, otros, total]).toEqual([1, 2, 3])
    const [hour] = await readHourlyVotes(services.db, without)
    expect(hour!.votos).toEqual([1, 0, 0, 0, 2])
  })

  test('tell hours, and bursts from one network or domain', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => vote(voting, 0, voter(`e${at}@escuela.mx`, `198.51.100.${at}`))),
    )
    now = new Date(OPEN.getTime() + 3_600_000)
    await castVotes(voting, 0, 2)
    await seal()
    expect(await readHourlyVotes(services.db, ELECTION)).toEqual([
      { hour: '2025-09-20T18:00:00.000Z', votos: [12, 0, 0, 0, 0, 0] },
      { hour: '2025-09-20T19:00:00.000Z', votos: [0, 2, 0, 0, 0, 0] },
    ])
    const bursts = await listBursts(services.db, 2025)
    expect(bursts).toEqual([
      expect.objectContaining({ clase: 'red', tope: 12, votos: 12 }),
      expect.objectContaining({ clase: 'dominio', origen: 'escuela.mx', tope: 12 }),
    ])
    expect(JSON.stringify(bursts)).not.toContain('198.51')
  })
})

describe('the chain', () => {
  test('seals in batches, two processes at once as one, and mails each receipt once', async () => {
    const who = voter('ana@correo.mx')
    await sql(`insert into profiles (id, name, email) values ($1, '', $2)`, [who.userId, who.email])
    const answer = await vote(voting, 1, who)
    await castVotes(voting, 40, 30, 20, 10, 5)
    const sealed = await Promise.all([seal(), seal()])
    await seal()
    expect(sealed.some((count) => count === undefined) || sealed.includes(0)).toBe(true)
    expect(await sql('select sum(papeletas)::int as n from lotes')).toEqual([{ n: 106 }])
    expect((await recount(services, ELECTION)).faults).toEqual([])
    while (await mailReceipts(services, 2025, new Set(), 0));
    const mails = await services.db.selectFrom('correos').selectAll().execute()
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ recipient: 'ana@correo.mx' })
    const receipt = answer.ok ? answer.recibo : ''
    expect(decryptMail(mails[0]!).text).toContain(withHyphens(receipt))
    // Beside its vote, no receipt stands anywhere in the database.
    const dump = await dumpOf(site.database.pool, ['banda_digital_votes'])
    expect([receipt, withHyphens(receipt)].filter((one) => dump.includes(one))).toEqual([])
    expect(decryptMail(mails[0]!).text).not.toContain('Renata')
  })

  test('mails the receipts of every batch but the one that fails, passes rows without one by, and is recounted all the same', async () => {
    const people = ['una', 'mala', 'otra', 'mano'].map((name) => voter(`${name}@correo.mx`))
    for (const { userId, email } of people)
      await sql(`insert into profiles (id, name, email) values ($1, '', $2)`, [userId, email])
    for (const who of people.slice(0, 3)) {
      await vote(voting, 0, who)
      await seal()
    }
    await sql(`insert into banda_digital_votes (user_id, candidata, lote) values ($1, 'Nadie', 1)`, [people[3]!.userId])
    await sql(`alter table correos add constraint falla check (recipient <> 'mala@correo.mx')`)
    const mailed = async () =>
      (await sql('select recipient from correos order by id')).map((row) => (row as { recipient: string }).recipient)
    const stop = startSealing(services, async () => ELECTION)
    try {
      await vi.waitFor(async () => expect(await mailed()).toEqual(['una@correo.mx', 'otra@correo.mx']), {
        timeout: 15_000,
      })
      expect(await sql('select papeletas from recuentos')).toEqual([{ papeletas: 4 }])
      await sql('alter table correos drop constraint falla')
      await vi.waitFor(async () => expect(await mailed()).toHaveLength(3), { timeout: 15_000 })
    } finally {
      await stop()
      await sql('alter table correos drop constraint if exists falla')
    }
  })

  test.each([
    ['a changed vote', `update banda_digital_votes set candidata = 'Paola Colorín Vega' where id = $1`, /cambiado/],
    ['a swapped voter', `update banda_digital_votes set user_id = 'otra' where id = $1`, /cambiado/],
    ['a removed vote', 'delete from banda_digital_votes where id = $1', /se selló con 6 votos y ahora tiene 5/],
    [
      'an inserted vote',
      `insert into banda_digital_votes (user_id, candidata, lote) select 'nueva', candidata, 1 from banda_digital_votes where id = $1`,
      /ahora tiene 7/,
    ],
    [
      'a vote inserted outside every batch',
      `insert into banda_digital_votes (user_id, candidata, lote) select 'nueva', candidata, 99 from banda_digital_votes where id = $1`,
      /^Un voto dice ser de un lote que no lo tiene\.$/m,
    ],
    [
      'a vote written with another edition',
      `insert into banda_digital_votes (user_id, candidata, edicion) select 'nueva', candidata, 2024 from banda_digital_votes where id = $1`,
      /^Un voto se escribió en la base de datos con otra edición\.$/m,
    ],
    [
      'a vote moved to another edition',
      'update banda_digital_votes set edicion = 2024 where id = $1',
      /se selló con 6 votos y ahora tiene 5/,
    ],
    [
      'a sealed vote taken out of its batch',
      'update banda_digital_votes set lote = null where id = $1',
      /se selló con 6 votos y ahora tiene 5/,
    ],
    ['every vote removed', 'delete from banda_digital_votes where id >= $1', /se selló con 6 votos y ahora tiene 0/],
    [
      'a vote copied before the seal',
      `insert into banda_digital_votes (user_id, candidata, recibo, firma) select 'nueva', candidata, 'AAAABBBBCCCC', firma from banda_digital_votes where id = $1`,
      /sin pasar por el sitio/,
    ],
    [
      'a sum made up',
      'update votos_por_hora set votos = votos + 5 where $1::bigint is not null and candidata = (select candidata from votos_por_hora limit 1)',
      /La suma de/,
    ],
    ['a batch cut off', 'delete from lotes where numero = 2 and $1::bigint is not null', /ya no es la misma/],
    [
      'a seal replaced',
      `update lotes set sello = repeat('a', 64) where numero = 1 and $1::bigint is not null`,
      /se rompe/,
    ],
    [
      'an act rewritten',
      `update actas set contenido = replace(contenido, '2025', '2026') where $1::bigint > 0`,
      /apertura/,
    ],
  ])('%s is found by the recount, at once and after the next seal', async (_what, attack, found) => {
    await castVotes(voting, 1, 1, 2, 1, 1)
    await seal()
    await castVotes(voting, 1, 1)
    await seal()
    expect((await recount(services, ELECTION)).faults).toEqual([])
    const [{ id }] = (await sql('select min(id) as id from banda_digital_votes')) as [{ id: number }]
    await sql(attack, [id])
    for (const passed of ['at once', 'sealed']) {
      const { faults } = await recount(services, ELECTION)
      expect(faults.join('\n'), passed).toMatch(found)
      expect(await sql('select fallas from recuentos')).toEqual([{ fallas: faults }])
      await seal()
    }
  })

  test('of a single vote is one vote in words, too', async () => {
    await castVotes(voting, 1)
    await seal()
    await sql('delete from banda_digital_votes')
    expect((await recount(services, ELECTION)).faults).toEqual(['El lote 1 se selló con 1 voto y ahora tiene 0.'])
  })

  test('has no batch before the first, and the recount names a row that says so all the same', async () => {
    const byHand = `insert into banda_digital_votes (user_id, candidata, lote) values ('a mano', 'Nadie', -1)`
    await expect(sql(byHand)).rejects.toThrow('banda_digital_votes_lote')
    await sql('alter table banda_digital_votes drop constraint banda_digital_votes_lote')
    try {
      await sql(byHand)
      await castVotes(voting, 1)
      await seal()
      const { faults, foreignRows } = await recount(services, ELECTION)
      expect([faults, foreignRows]).toEqual([['Un voto dice ser de un lote que no lo tiene.'], 1])
    } finally {
      await sql('alter table banda_digital_votes add constraint banda_digital_votes_lote check (lote >= 0) not valid')
    }
  })

  test('of a closed edition declares its foreign rows: the next edition’s recount does not name them again', async () => {
    await castVotes(voting, 1)
    await sql(`insert into banda_digital_votes (user_id, candidata) values ('a mano', 'Nadie')`)
    expect((await recount(services, { ...ELECTION, edicion: 2026 })).faults).toEqual([
      '2 votos se escribieron en la base de datos con otra edición.',
    ])
    now = CLOSED
    expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
    expect((await recount(services, { ...ELECTION, edicion: 2026 })).faults).toEqual([])
    await sql(`insert into banda_digital_votes (user_id, candidata) values ('otra a mano', 'Nadie')`)
    expect((await recount(services, { ...ELECTION, edicion: 2026 })).faults).toEqual([
      'Un voto se escribió en la base de datos con otra edición.',
    ])
  })

  test('made anew as a whole by an attacker with the database alone is found, too', async () => {
    await castVotes(voting, 3)
    await seal()
    const [{ id }] = (await sql('select min(id) as id from banda_digital_votes')) as [{ id: number }]
    await sql(`update banda_digital_votes set candidata = 'Paola Colorín Vega' where id = $1`, [id])
    const rows = (await sql('select recibo, candidata from banda_digital_votes')) as {
      recibo: string
      candidata: string
    }[]
    const { sealOf, sortBallots, hashReceipt } = await import('#app/voting/chain/seal-hash.server.ts')
    const forged = sealOf(
      1,
      GENESIS_SEAL,
      sortBallots(rows.map((row) => ({ ...row, recibo: hashReceipt(row.recibo) }))),
    )
    await sql('update lotes set sello = $1', [forged])
    const { faults } = await recount(services, ELECTION)
    expect(faults.join('\n')).toMatch(/se rompe.*\n.*cambiado/)
  })
})

/** The lines of the published file. */
async function fileOf(): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of (await recordLines(services, 2025))!) pieces.push(String(piece))
  return pieces.join('').split('\n')
}
async function* each(lines: string[]) {
  yield* lines
}

test('a process with another key is found out before it touches a vote', async () => {
  const other = { ...services, keyed: createKeyDeriver('y'.repeat(40)) }
  expect(await maySealWithOwnKey(other, 2025)).toBe(true)
  await castVotes(voting, 1)
  await seal()
  expect([await maySealWithOwnKey(services, 2025), await maySealWithOwnKey(other, 2025)]).toEqual([true, false])
  now = CLOSED
  expect(await closeVote(other, ELECTION, ACTOR)).toEqual({ ok: false, reason: 'otra-firma' })
  expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
  // A vote that is over keeps no process from starting.
  expect(await maySealWithOwnKey(other, 2025)).toBe(true)
})

describe('the acts', () => {
  test('are of zero at first, and closed once, a minute after the deadline', async () => {
    expect(await drawUpOpeningRecord(services, ELECTION, ACTOR)).toEqual({ ok: true })
    expect(await drawUpOpeningRecord(services, ELECTION, ACTOR)).toEqual({ ok: false, reason: 'empezada' })
    await castVotes(voting, 1)
    expect(await closeVote(services, ELECTION, ACTOR)).toEqual({ ok: false, reason: 'abierta' })
    now = new Date('2025-09-25T23:59:30-06:00')
    expect(await closeVote(services, ELECTION, ACTOR)).toEqual({ ok: false, reason: 'abierta' })
    expect(await recordLines(services, 2025)).toBeUndefined()
    now = CLOSED
    const both = await Promise.all([1, 2].map(() => closeVote(services, ELECTION, ACTOR)))
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
    expect(await annulVotes(services, ELECTION, { flagId: 1, statedReason: 'Ya no se puede' }, ACTOR)).toEqual({
      ok: false,
      reason: 'sellada',
    })
  })

  test('end the vote: no vote comes in behind the closing one, and none is sealed, even by a process with a late clock', async () => {
    const who = voter()
    const attempt = randomUUID()
    const mine = await vote(voting, 1, who, attempt)
    await castVotes(voting, 2)
    now = CLOSED
    expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
    const behind: Services = { ...services, clock: { now: () => OPEN } }
    const lagging = createVoting(behind)
    expect(await vote(lagging, 0)).toEqual({ ok: false, reason: 'cerrada' })
    // A voter who asks again gets the outcome of the vote.
    expect(await vote(lagging, 1, who, attempt)).toEqual(mine)
    expect(await vote(lagging, 1, who)).toEqual({ ok: false, reason: 'ya-votaste' })
    // Not even a vote that was taken out of the chain by hand is sealed again.
    await sql('update banda_digital_votes set lote = null where user_id = $1', [who.userId])
    await sql(`insert into banda_digital_votes (user_id, candidata) values ('a mano', 'Nadie')`)
    expect(await sealVotes(behind, ELECTION)).toBe(1)
    expect(await sealVotes(behind, ELECTION)).toBe(0)
    expect(await sql('select numero from lotes')).toEqual([{ numero: 1 }])
    expect(await results()).toMatchObject({ total: 4, ajenos: 1 })
  })

  test('count the vote that is being written at that moment, and turn away later votes', async () => {
    const behind: Services = { ...services, clock: { now: () => OPEN } }
    const lagging = createVoting(behind)
    now = CLOSED
    let closing: ReturnType<typeof closeVote> | undefined
    await services.db.transaction().execute(async (tx) => {
      expect(await vote(createVoting({ ...behind, db: tx }), 2)).toMatchObject({ ok: true })
      closing = closeVote(services, ELECTION, ACTOR)
      await vi.waitFor(
        async () =>
          expect(
            await sql(`select from pg_locks join pg_database on pg_database.oid = database and datname = current_database()
              where locktype = 'advisory' and not granted`),
          ).toHaveLength(1),
        { timeout: 15_000 },
      )
      expect(await vote(lagging, 0)).toEqual({ ok: false, reason: 'cerrada' })
    })
    expect(await closing).toMatchObject({ ok: true })
    const [{ contenido }] = (await sql(`select contenido from actas where clase = 'cierre'`)) as [{ contenido: string }]
    expect(parseClosingRecord(contenido).papeletas).toBe(1)
    expect((await results()).total).toBe(1)
    expect((await recount(services, ELECTION)).faults).toEqual([])
  })

  test('wait for a process that seals, and not without end', async () => {
    await castVotes(voting, 1)
    now = CLOSED
    await services.db.transaction().execute(async (tx) => {
      await kysely`select pg_advisory_xact_lock(${ADVISORY_LOCKS.seal}::int, 2025)`.execute(tx)
      expect(await closeVote(services, ELECTION, ACTOR, { maxWaitMs: 50 })).toEqual({ ok: false, reason: 'ocupada' })
    })
    expect(await sql(`select from actas where clase = 'cierre'`)).toEqual([])
    expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
  })

  test('are not closed by a clock that is ahead of the machine’s', async () => {
    now = CLOSED
    expect(await closeVote(services, ELECTION, ACTOR, { machineNow: OPEN })).toEqual({ ok: false, reason: 'reloj' })
  })

  test('publish a file that every reader can count again, and that identifies no voter', async () => {
    const crowd = Array.from({ length: 20 }, (_, at) => voter(`r${at}@yopmail.com`, '203.0.113.7'))
    await castVotes(voting, 150, 40, 260, 30, 20)
    await seal()
    await Promise.all(crowd.map((who) => castVoteWithWork(voting, 4, who)))
    const suspicious = async () => {
      const [flagged] = await listFlaggedOrigins(services.db, ELECTION)
      return [(await results()).sospechosos, flagged!.votos - flagged!.anulados]
    }
    const mine = await vote(voting, 2)
    await seal()
    const { id: mark } = (await listFlaggedOrigins(services.db, ELECTION))[0]!
    expect(await annulVotes(services, ELECTION, { flagId: mark, statedReason: 'corto' }, ACTOR)).toEqual({
      ok: false,
      reason: 'motivo',
    })
    const why = { flagId: mark, statedReason: 'Veinte cuentas creadas en un minuto.' }
    expect(await suspicious()).toEqual([20, 20])
    expect(await annulVotes(services, ELECTION, why, ACTOR)).toEqual({ ok: true })
    expect(await suspicious()).toEqual([0, 0])
    expect(await annulVotes(services, ELECTION, why, ACTOR)).toEqual({ ok: false, reason: 'nada' })
    expect(await results()).toMatchObject({ total: 501, anulados: 20 })
    now = CLOSED
    expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })

    const lines = await fileOf()
    const all = JSON.parse(lines.join('\n')) as { portada: Cover; cajas: PublishedBlock[] }
    for (const { papeletas } of all.cajas.slice(0, -1))
      expect(papeletas.length).toBeGreaterThanOrEqual(MIN_BLOCK_BALLOTS)
    // The ballots are counted in the way that the file itself describes.
    expect(all.portada.lectura).toContain('en mayúsculas y con guiones')
    const [first] = all.cajas
    const ballotLines = first!.papeletas.map((text) => {
      const [fingerprint, place] = text.split(' ')
      return `${fingerprint} ${all.portada.nombres[Number(place)]}`
    })
    const sealed = `${[first!.numero, first!.anterior, ...ballotLines].join('\n')}\n`
    expect(createHash('sha256').update(sealed).digest('hex')).toBe(first!.sello)
    const published = lines.join('')
    for (const secret of [mine.ok ? mine.recibo : '', 'cuenta-', 'yopmail', '203.0'])
      expect(published.includes(secret), secret).toBe(false)
    // The hash is of the receipt as the voter was shown and mailed it.
    const shown = withHyphens(mine.ok ? mine.recibo : '')
    expect(shown).toMatch(/^([2-9A-HJ-NP-Z]{4}-){2}[2-9A-HJ-NP-Z]{4}$/)
    const hashed = createHash('sha256').update(shown).digest('hex')
    expect(published.includes(`${hashed} 2`)).toBe(true)
    expect(await findVoteByReceipt(services.db, ELECTION, mine.ok ? mine.recibo : '')).toEqual({
      candidateName: 'Ximena Agave Montaño',
      annulmentReason: null,
      isWithdrawn: false,
    })

    // The database's chain ends in one seal, the file's chain in another; the record states both.
    const { acta } = all.portada
    expect([acta.ultimoLote, acta.ultimoSello]).toEqual([
      (await recount(services, ELECTION)).lastSeal,
      all.cajas.at(-1)!.sello,
    ])
    const { faults, ballotCount, totals } = await verifyRecord(each(lines))
    expect(faults).toEqual([])
    expect(ballotCount).toBe(521)
    expect([...totals.values()]).toEqual([150, 40, 261, 30, 20])

    const ballot = lines.findIndex((line) => line.includes(hashed))
    const tampered: [string, string[]][] = [
      ['a ballot changed', lines.with(ballot, lines[ballot]!.replace(`${hashed} 2`, `${hashed} 0`))],
      [
        'a ballot left out',
        lines.with(ballot, lines[ballot]!.replace(new RegExp(`"${hashed} 2",|,"${hashed} 2"`), '')),
      ],
      ['a link left out', lines.toSpliced(lines.indexOf('"cajas":[') + 1, 1)],
      ['a total changed', lines.with(0, lines[0]!.replace('"votos":261', '"votos":262'))],
      ['an annulment hidden', lines.toSpliced(lines.indexOf('"anuladas":[') + 1, 1)],
      ['another act of zero', lines.with(0, lines[0]!.replace('"papeletas":0', '"papeletas":9'))],
    ]
    for (const [what, changed] of tampered) expect((await verifyRecord(each(changed))).faults, what).not.toEqual([])
    await expect(verifyRecord(each(['{"otra": "cosa"}']))).rejects.toThrow()
  })
})

describe('the winner', () => {
  const proclaim = ({ id }: EligibleCandidate, version = 0) =>
    proclaimWinner(services, ELECTION, { winner: { candidata: id }, version }, ACTOR)
  const close = async (...counts: number[]) => {
    await castVotes(voting, ...counts)
    await seal()
    now = CLOSED
    expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
  }
  const [VALERIA, RENATA, XIMENA] = ELECTION.candidatas as [EligibleCandidate, EligibleCandidate, EligibleCandidate]
  const shown = async () => (await loadWinner(services.db))?.nombre

  test('is the candidate whom the sealed act names, and none before; without a proclamation the content’s winner holds', async () => {
    expect(await proclaim(RENATA)).toEqual({ ok: false, reason: 'sin-acta' })
    await close(1, 3, 2)
    expect(await proclaim(XIMENA)).toEqual({ ok: false, reason: 'no-gano' })
    expect(await shown()).toBe(XIMENA.nombre)
    expect(await proclaim(RENATA)).toEqual({ ok: true })
    // `at` comes from the site's clock, not from the machine's.
    expect((await listSettings(services.db, 2025))['votacion.ganadora']?.at).toEqual(CLOSED)
    const card = await loadWinner(services.db)
    expect(card).toMatchObject({
      nombre: RENATA.nombre,
      nombreCorto: 'Renata Cempasúchil',
      felicitacion: '¡Felicidades!',
    })
    // The card has none of the texts for the content's winner.
    expect(card!.mensaje).not.toContain('doña Chuy')
    expect(JSON.stringify(card)).not.toMatch(/ximena/i)
    expect(await proclaim(RENATA)).toMatchObject({ ok: false, reason: 'version' })
    const displayed = { candidata: RENATA.id, mensaje: 'Gracias, Azahares.', facebook: 'https://otro.example/' }
    expect(await proclaimWinner(services, ELECTION, { winner: displayed, version: 1 }, ACTOR)).toMatchObject({
      reason: 'valor',
    })
    displayed.facebook = 'https://www.facebook.com/renata'
    expect(await proclaimWinner(services, ELECTION, { winner: displayed, version: 1 }, ACTOR)).toEqual({ ok: true })
    expect(await loadWinner(services.db)).toMatchObject({
      mensaje: 'Gracias, Azahares.',
      redes: { facebook: 'https://www.facebook.com/renata', instagram: expect.stringContaining('instagram.com') },
    })
    expect(await proclaimWinner(services, ELECTION, { winner: undefined, version: 2 }, ACTOR)).toEqual({ ok: true })
    expect(await shown()).toBe(XIMENA.nombre)
    const log = await sql(
      `select datos->>'sobre' as sobre, quien from bitacora where que = 'ajuste.votacion.ganadora' order by id`,
    )
    expect(log).toEqual([
      { sobre: RENATA.nombre, quien: 'organiza' },
      { sobre: RENATA.nombre, quien: 'organiza' },
      { sobre: 'nadie desde el panel: lo que dice el contenido', quien: 'organiza' },
    ])
  })

  test('of a tie is the leader whom the organisers choose; the log says so', async () => {
    await close(3, 1, 3)
    expect(await proclaim(RENATA)).toEqual({ ok: false, reason: 'no-gano' })
    expect(await proclaim(VALERIA)).toEqual({ ok: true })
    expect(
      await sql(
        `select datos->>'sobre' as sobre from bitacora where que = 'ajuste.votacion.ganadora' order by id desc limit 1`,
      ),
    ).toEqual([{ sobre: `${VALERIA.nombre}, entre empatadas: ${VALERIA.nombre}, ${XIMENA.nombre}` }])
  })

  test.each([
    [
      'a vote changed after the act',
      `update banda_digital_votes set candidata = 'Paola Colorín Vega' where candidata = $1`,
    ],
    [
      'an act rewritten',
      `update actas set contenido = replace(contenido, $1, 'Paola Colorín Vega') where clase = 'cierre'`,
    ],
  ])('cannot be proclaimed after %s', async (_what, attack) => {
    await close(1, 3)
    await sql(attack, [RENATA.nombre])
    expect(await proclaim(ELECTION.candidatas[4]!)).toEqual({ ok: false, reason: 'diferencias' })
    expect(await shown()).toBe(XIMENA.nombre)
  })

  test('cannot be proclaimed by an act that declares a fault, also once the fault is gone', async () => {
    await castVotes(voting, 1, 3)
    await seal()
    await sql('update votos_por_hora set votos = votos + 5 where candidata = $1', [RENATA.nombre])
    await close()
    await sql('update votos_por_hora set votos = votos - 5 where candidata = $1', [RENATA.nombre])
    expect((await recount(services, ELECTION)).faults).toEqual([])
    expect(await proclaim(RENATA)).toEqual({ ok: false, reason: 'diferencias' })
  })

  test('cannot be proclaimed without any votes', async () => {
    await close()
    expect(await proclaim(RENATA)).toEqual({ ok: false, reason: 'no-gano' })
  })
})

test('two processes in a rush, one killed, all connections cut: every confirmed vote is there, and the chain is whole', async () => {
  const connection = JSON.stringify({ ...site.database.pool.options, max: 5, application_name: 'prisa' })
  const said = new Map<string, string>()
  const processes = ['uno', 'dos'].map((name) => {
    const args = [
      '--disable-warning=ExperimentalWarning',
      'tests/support/voting/vote-rush.process.ts',
      connection,
      name,
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [who = '', receipt = ''] = line.split(' ')
      said.set(who, receipt)
    })
    return child
  })
  const heard = (name: string, count: number) =>
    vi.waitFor(() => expect([...said.keys()].filter((who) => who.startsWith(name)).length).toBeGreaterThan(count), {
      timeout: 15_000,
    })
  await Promise.all([heard('uno', 200), heard('dos', 200)])
  processes[0]!.kill('SIGKILL')
  await sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'prisa'`)
  await heard('dos', [...said.keys()].filter((who) => who.startsWith('dos')).length + 200)
  processes[1]!.kill('SIGKILL')
  await Promise.all(
    processes.map((child) => child.exitCode === null && child.signalCode === null && once(child, 'exit')),
  )
  // The database rolls back within moments the transaction of the killed process.
  await vi.waitFor(
    async () => expect(await sql(`select 1 from pg_stat_activity where application_name = 'prisa'`)).toEqual([]),
    { timeout: 10_000 },
  )
  await vi.waitFor(async () => expect(await seal()).toBe(0), { timeout: 10_000 })
  const rows = (await sql('select user_id, recibo from banda_digital_votes')) as { user_id: string; recibo: string }[]
  const stored = new Map(rows.map(({ user_id, recibo }) => [user_id, recibo]))
  for (const [who, receipt] of said) expect(stored.get(who), who).toBe(receipt)
  const { faults, ballotCount } = await recount(services, ELECTION)
  expect(faults).toEqual([])
  expect(ballotCount).toBe(rows.length)
  expect((await results()).total).toBe(rows.length)
})
