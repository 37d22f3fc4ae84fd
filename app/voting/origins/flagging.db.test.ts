// Longer than 350 lines: the life of a flag from the first vote to the recount, over one town of voters.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FlagKind } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting, type Voting } from '#app/voting/ballot/mutations.server.ts'
import { hashText } from '#app/voting/chain/seal-hash.server.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { parseClosingRecord } from '#app/voting/record/schema.ts'
import { findVoteByReceipt, listFlaggedOrigins, listLeaps, readResults } from '#app/voting/sealing/data.server.ts'
import { annulVotes, closeVote } from '#app/voting/sealing/mutations.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import {
  ACTOR,
  CLOSED,
  castVotes,
  castVoteWithWork,
  ELECTION,
  OPEN,
  RULES,
  VOTE_TABLES,
  voter,
} from '#tests/support/voting/votes.ts'
import { signedFlagText } from './flagging.server.ts'

let site: TestSite
let services: Services
let voting: Voting
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(async () => {
  await site.close()
})
beforeEach(async () => {
  now = OPEN
  voting = createVoting(services)
  await sql(`truncate ${VOTE_TABLES}, correos, candidatas cascade`)
})

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const seal = () => sealVotes(services, ELECTION)
const flaggedOrigins = () => listFlaggedOrigins(services.db, ELECTION)
const counted = async () => (await readResults(services, ELECTION)).filas.map(({ votos }) => votos)
const faults = async () => (await recount(services, ELECTION)).faults
const annul = async (at = 0) =>
  annulVotes(
    services,
    ELECTION,
    { flagId: (await flaggedOrigins())[at]!.id, statedReason: 'Cuentas de un programa.' },
    ACTOR,
  )

let people = 0
/** Casts votes for one place from the caller's addresses and networks, with the proof of work asked for. @returns receipts */
async function crowd(
  count: number,
  place: number,
  emailOf: (at: number) => string,
  clientOf: (at: number) => string = anywhere,
) {
  const receipts: string[] = []
  for (let at = 0; at < count; at++) {
    const answer = await castVoteWithWork(voting, place, voter(emailOf(at), clientOf(at)))
    if (answer.ok) receipts.push(answer.recibo)
  }
  return receipts
}
/** A network that no other voter has. */
const anywhere = () => `10.${(++people >> 8) & 255}.${people & 255}.7`

/** Writes a signed flag of an earlier version on the votes of a query. */
async function flagOfBefore(clase: FlagKind, origen: string, query: string) {
  const votes = await sql(query)
  const row = { edicion: 2025, clase, origen, tramo: null, umbral: 0, al_marcar: votes.length, at: now }
  await services.db
    .insertInto('marcas')
    .values({ ...row, votos: votes.length, nuevos: votes.length, firma: signSeal(services, signedFlagText(row)) })
    .execute()
  await sql(`insert into votos_marcados select id, (select id from marcas) from (${query}) v`)
}

describe('an origin that passes its threshold', () => {
  test('is a registered domain with its subdomains: 130 votes of s0…s129 are marked and annulled together', async () => {
    const honest = await crowd(3, 0, (at) => `vecina${at}@empresa.mx`)
    await crowd(RULES.dominio, 4, (at) => `voto@s${at}.primo.com.mx`)
    await seal()
    expect(await flaggedOrigins()).toEqual([])
    expect(await readResults(services, ELECTION)).toMatchObject({ sospechosos: 0 })
    await crowd(130 - RULES.dominio, 4, (at) => `voto@s${at + RULES.dominio}.primo.com.mx`)
    await seal()
    // Votes from before the threshold are flagged as well.
    expect(await flaggedOrigins()).toEqual([
      expect.objectContaining({ clase: 'dominio', origen: 'primo.com.mx', umbral: RULES.dominio, votos: 130 }),
    ])
    expect(await readResults(services, ELECTION)).toMatchObject({ total: 133, sospechosos: 130 })
    expect(JSON.stringify(await flaggedOrigins())).not.toContain('Paola')
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([3, 0, 0, 0, 0])
    expect(await readResults(services, ELECTION)).toMatchObject({ sospechosos: 0, anulados: 130 })
    expect(await annul()).toEqual({ ok: false, reason: 'nada' })
    // Later votes of the domain are flagged on arrival, and can be annulled as well.
    await crowd(2, 4, (at) => `voto@t${at}.primo.com.mx`)
    await seal()
    expect(await readResults(services, ELECTION)).toMatchObject({ sospechosos: 2 })
    expect(await annul()).toEqual({ ok: true })
    expect(await faults()).toEqual([])

    now = CLOSED
    const closed = await closeVote(services, ELECTION, ACTOR)
    expect(closed.ok && parseClosingRecord(closed.record.contenido)).toMatchObject({
      reglas: RULES,
      marcas: [{ clase: 'dominio', origen: 'primo.com.mx', umbral: RULES.dominio, votos: 132, anulados: 132 }],
      anulaciones: [
        { marca: 0, votos: 130 },
        { marca: 0, votos: 2 },
      ],
      fallas: [],
    })
    expect(await findVoteByReceipt(services.db, ELECTION, honest[0]!)).toMatchObject({ annulmentReason: null })
    expect(await faults()).toEqual([])
  })

  test('is counted over the whole edition: a slow drip of four an hour over twelve days is marked, too', async () => {
    for (let hour = 0; hour < 12; hour++) {
      now = new Date(Date.parse('2025-09-13T12:00:00-06:00') + hour * 24 * 3_600_000)
      await crowd(4, 1, (at) => `gota${hour}-${at}@goteo.mx`)
      await seal()
    }
    const [flagged] = await flaggedOrigins()
    expect(flagged).toMatchObject({ clase: 'dominio', origen: 'goteo.mx', votos: 48 })
    expect(flagged!.hours).toHaveLength(12)
  })

  test('is every throw-away domain together, from the first vote', async () => {
    await crowd(2, 1, (at) => `x${at}@yopmail.com`)
    await crowd(1, 2, () => 'x@mail.maildrop.cc')
    await seal()
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ clase: 'desechable', votos: 3 })])
  })

  test('is every service together at which one account has many addresses', async () => {
    const aliasServices = ['duck.com', 'mozmail.com', 'passmail.net', 'primo.anonaddy.me', 'privaterelay.appleid.com']
    await crowd(4, 1, (at) => `alias${at}@${aliasServices[at]}`)
    await crowd(2, 0, (at) => `ana.lopez${at}@icloud.com`)
    await seal()
    expect(await flaggedOrigins()).toEqual([])
    await crowd(3, 1, (at) => `vortex_tuna.0${'xyz'[at]}@icloud.com`)
    await seal()
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ clase: 'servicio', umbral: 4, votos: 7 })])
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([2, 0, 0, 0, 0])
    expect(await faults()).toEqual([])
  })

  test('is a burst from one network: that one and nothing else of the network', async () => {
    const school = (at: number) => `198.51.100.${at % 250}`
    await crowd(20, 0, (at) => `antes${at}@gmail.com`, school)
    await seal()
    now = new Date(OPEN.getTime() + 30 * 60_000)
    await crowd(RULES.rafagaPorRed + 1, 4, (at) => `prisa${at}@gmail.com`, school)
    await seal()
    expect(await flaggedOrigins()).toEqual([
      expect.objectContaining({ clase: 'rafaga-red', tramo: '2025-09-20T18:50:00.000Z', votos: 301 }),
    ])
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([20, 0, 0, 0, 0])
    expect(await faults()).toEqual([])
  })
})

describe('a vote', () => {
  const school = (at: number) => `198.51.100.${at % 250}`

  test('that is worth nothing never makes a burst of honest ones', async () => {
    await crowd(250, 0, (at) => `alumna${at}@gmail.com`, school)
    await crowd(51, 4, (at) => `relleno${at}@primo.mx`, school)
    await crowd(20, 4, (at) => `alias${at}@duck.com`, school)
    await crowd(20, 4, (at) => `ya${at}@yopmail.com`, school)
    await seal()
    expect((await flaggedOrigins()).map(({ clase, votos }) => [clase, votos])).toEqual([
      ['dominio', 51],
      ['desechable', 20],
      ['servicio', 20],
    ])
    expect(await faults()).toEqual([])
  })

  test('that stands under no other suspicion can be left when its burst is annulled, and is told apart', async () => {
    await crowd(RULES.rafagaPorRed + 1, 0, (at) => `alumna${at}@gmail.com`, school)
    await crowd(6, 4, (at) => `alias${at}@duck.com`, school)
    await seal()
    const all = await flaggedOrigins()
    const at = all.findIndex(({ clase }) => clase === 'rafaga-red')
    expect(all[at]).toMatchObject({ votos: 307, exclusiveVotes: 301 })
    expect(all.find(({ clase }) => clase === 'servicio')).toMatchObject({ votos: 6, exclusiveVotes: 0 })
    const of = { flagId: all[at]!.id, statedReason: 'Cuentas de un programa.', onlyWithOtherFlag: true }
    expect(await annulVotes(services, ELECTION, of, ACTOR)).toEqual({ ok: true })
    expect(await counted()).toEqual([301, 0, 0, 0, 0])
    expect(await annulVotes(services, ELECTION, of, ACTOR)).toEqual({ ok: false, reason: 'nada' })
    expect(await annulVotes(services, ELECTION, { ...of, onlyWithOtherFlag: false }, ACTOR)).toEqual({ ok: true })
    expect(await counted()).toEqual([0, 0, 0, 0, 0])
    expect(await faults()).toEqual([])
  })

  test('of a network’s own burst is none of its block’s', async () => {
    const rules = { ...ELECTION, reglas: { ...RULES, rafagaPorRed: 20, rafagaPorBloque: 50 } }
    const inBlock = (network: number) => () => `2001:db8:${network.toString(16)}:1::1`
    await crowd(
      45,
      0,
      (at) => `vecina${at}@gmail.com`,
      (at = 0) => inBlock(at + 100)(),
    )
    await crowd(25, 4, (at) => `prisa${at}@gmail.com`, inBlock(7))
    await sealVotes(services, rules)
    expect((await flaggedOrigins()).map(({ clase, votos }) => [clase, votos])).toEqual([['rafaga-red', 25]])
    await crowd(6, 1, (at) => `otra${at}@gmail.com`, inBlock(8))
    await sealVotes(services, rules)
    expect((await flaggedOrigins()).map(({ clase }) => clase)).toEqual(['rafaga-bloque', 'rafaga-red'])
    expect(await faults()).toEqual([])
    // Evidence for the block's burst becomes a network's burst: the block's flag exists already, and takes the votes as well.
    await crowd(
      16,
      4,
      (at) => `luego${at}@gmail.com`,
      (at = 0) => inBlock(at < 15 ? 8 : 9)(),
    )
    await sealVotes(services, rules)
    expect((await flaggedOrigins()).map(({ clase, votos }) => [clase, votos])).toEqual([
      ['rafaga-bloque', 92],
      ['rafaga-red', 25],
      ['rafaga-red', 21],
    ])
    expect(await faults()).toEqual([])
  })
})

test('a mark of before, by the mail server that domains named, goes on taking its votes, and no other is made', async () => {
  await crowd(3, 4, (at) => `voto${at}@d${at}.mx`)
  await seal()
  await sql(`insert into receptores select 2025, 'd' || n || '.mx', '198.51.100.0/24', false, '\\x00', now()
    from generate_series(0, 4) n`)
  await flagOfBefore('receptor', '198.51.100.0/24', 'select id from banda_digital_votes')
  await crowd(2, 4, (at) => `otro${at}@d${at + 3}.mx`)
  await seal()
  expect(await flaggedOrigins()).toEqual([expect.objectContaining({ clase: 'receptor', votos: 5 })])
  expect(await faults()).toEqual([])
})

test('votes of a version that stored no network are no burst', async () => {
  await castVotes(voting, RULES.rafagaPorRed + 1)
  await seal()
  await sql('update banda_digital_votes set red = null, bloque = null')
  expect((await faults()).join()).not.toContain('Falta la marca')
})

test('an hour in which one provider brings far more than its part is shown, and marks nothing', async () => {
  const people = async (count: number, emailOf: (at: number) => string) => {
    const mails = Array.from({ length: count }, (_, at) => emailOf(at))
    await sql(`insert into profiles (id, email, name) select 'cuenta-' || c, c, '' from unnest($1::text[]) c`, [mails])
    await crowd(count, 0, (at) => mails[at]!)
    await seal()
  }
  for (let hour = 0; hour < 6; hour++) {
    now = new Date(OPEN.getTime() + hour * 3_600_000)
    await people(38, (at) => `vecina${hour}-${at}@gmail.com`)
    await people(2, (at) => `vecina${hour}-${at}@proton.me`)
  }
  expect(await listLeaps(services.db, 2025)).toEqual([])
  await people(60, (at) => `prisa${at}@proton.me`)
  expect(await flaggedOrigins()).toEqual([])
  expect(await listLeaps(services.db, 2025)).toEqual([
    { correo: 'proton.me', hour: '2025-09-20T23:00:00.000Z', votos: 62, total: 100, usual: 5 },
  ])
})

describe('a limit that grows with the vote', () => {
  const growing = { ...ELECTION, reglas: { ...RULES, dominio: 4, unoDeCada: 10 } }

  test('takes the suspicion off origins that it has overtaken, whose votes can no longer be annulled', async () => {
    await crowd(5, 0, (at) => `yo${at}@empresa.mx`)
    await sealVotes(services, growing)
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ umbral: 4, votos: 5, isBeyondThreshold: true })])
    expect(await readResults(services, growing)).toMatchObject({ sospechosos: 5 })
    await crowd(60, 1, (at) => `vecina${at}@gmail.com`)
    await sealVotes(services, growing)
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ votos: 5, isBeyondThreshold: false })])
    expect(await readResults(services, growing)).toMatchObject({ sospechosos: 0 })
    expect(await annul()).toEqual({ ok: false, reason: 'alcanzada' })
    // The flag goes on taking the origin's votes, so that a recount finds all of them there.
    await crowd(1, 0, () => 'una@empresa.mx')
    await sealVotes(services, growing)
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ votos: 6, isBeyondThreshold: false })])
    expect(await faults()).toEqual([])
    await crowd(2, 0, (at) => `mas${at}@empresa.mx`)
    await crowd(5, 4, (at) => `voto${at}@primo.mx`)
    await sealVotes(services, growing)
    expect(await flaggedOrigins()).toEqual([
      expect.objectContaining({ origen: 'empresa.mx', votos: 8, isBeyondThreshold: true }),
    ])
    expect(await faults()).toEqual([])

    now = CLOSED
    const closed = await closeVote(services, growing, ACTOR)
    expect(closed.ok && parseClosingRecord(closed.record.contenido)).toMatchObject({
      marcas: [{ origen: 'empresa.mx', umbral: 4, votos: 8 }],
      fallas: [],
    })
  })
})

describe('a rule', () => {
  test('that the content changes behind the act of zero marks nothing', async () => {
    await crowd(30, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    const severe = { ...ELECTION, reglas: { ...RULES, dominio: 5 } }
    await crowd(5, 0, (at) => `tu${at}@empresa.mx`)
    await sealVotes(services, severe)
    expect(await flaggedOrigins()).toEqual([])
    // A domain that the content exempts afterwards is flagged all the same.
    const friendly = { ...ELECTION, reglas: { ...RULES, proveedores: [...RULES.proveedores, 'empresa.mx'] } }
    for (let at = 0; at < 6; at++)
      expect(
        await createVoting(services).cast(friendly, voter(`el${at}@empresa.mx`, anywhere()), { vote: 0 }),
      ).toMatchObject({ ok: true })
    await sealVotes(services, friendly)
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ origen: 'empresa.mx', votos: 41 })])
  })

  test('that an earlier version published in an act of its own marks no earlier votes, and marks of before stay', async () => {
    const act = (clase: string, content: object) => {
      const contenido = JSON.stringify({ ...content, clase })
      const seal = hashText(contenido)
      return [clase, contenido, seal, signSeal(services, `${clase} 2025 ${seal}`)]
    }
    await crowd(45, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    // The state that an earlier version left: no rules in the act of zero, no origins, and a flag that was on the votes.
    await sql('truncate origenes, marcas, votos_marcados cascade')
    const [{ opening }] = await sql(`select contenido::jsonb - 'reglas' as opening from actas`)
    await sql('update actas set contenido = $2, sello = $3, firma = $4 where clase = $1', act('apertura', opening))
    now = new Date(OPEN.getTime() + 3_600_000)
    await castVotes(voting, 1)
    await seal()
    expect(await flaggedOrigins()).toEqual([])
    await sql(
      'insert into actas (edicion, clase, contenido, sello, firma, at) values (2025, $1, $2, $3, $4, now())',
      act('reglas', { edicion: 2025, reglas: RULES, levantada: now.toISOString() }),
    )
    await sql(`update banda_digital_votes set sospecha = 'dominio' where id in
      (select id from banda_digital_votes order by id limit 7)`)
    await flagOfBefore('antes-dominio', 'empresa.mx', `select id from banda_digital_votes where sospecha = 'dominio'`)

    await crowd(40, 1, (at) => `otra${at}@empresa.mx`)
    await seal()
    expect(await flaggedOrigins()).toHaveLength(1)
    await crowd(1, 1, () => `ultima@empresa.mx`)
    await seal()
    expect((await flaggedOrigins()).map(({ clase, votos }) => [clase, votos])).toEqual([
      ['dominio', 41],
      ['antes-dominio', 7],
    ])
    expect((await faults()).filter((fault) => fault.includes('marca'))).toEqual([])
  })
})

describe('an attacker with the database alone', () => {
  /** Casts flagged votes of one domain beside honest ones. */
  async function begin() {
    await crowd(41, 4, (at) => `voto${at}@primo.mx`)
    await crowd(12, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    expect(await faults()).toEqual([])
  }
  const HONEST = `select id from banda_digital_votes where dominio = 'empresa.mx'`

  test.each([
    ['marks honest votes', `update banda_digital_votes set sospecha = 'desechable' where dominio = 'empresa.mx'`],
    [
      'moves votes to another origin',
      `update banda_digital_votes set dominio = 'primo.mx' where dominio = 'empresa.mx'`,
    ],
    ['takes votes out of their origin', `update banda_digital_votes set dominio = null where dominio = 'primo.mx'`],
    ['gives votes another network', `update banda_digital_votes set red = 'otra' where dominio = 'empresa.mx'`],
    [
      'changes an address’s hash',
      `update banda_digital_votes set correo = sha256('x') where dominio = 'primo.mx' and id = (select min(id) from banda_digital_votes)`,
    ],
    [
      'moves a vote in time',
      `update banda_digital_votes set created_at = created_at - interval '1 day' where dominio = 'empresa.mx'`,
    ],
    [
      'hangs honest votes on a mark',
      `insert into votos_marcados select id, (select id from marcas) from (${HONEST}) h`,
    ],
    ['takes votes off a mark', `delete from votos_marcados where voto_id = (select min(voto_id) from votos_marcados)`],
    ['takes a mark away', `delete from votos_marcados; delete from marcas`],
    ['lowers a threshold', `update marcas set umbral = 2`],
    ['moves a mark', `update marcas set origen = 'empresa.mx'`],
    [
      'writes a mark',
      `insert into marcas (edicion, clase, origen, umbral, al_marcar, firma, at) values (2025, 'dominio', 'empresa.mx', 40, 12, '\\x00', now())`,
    ],
  ])('%s, and the recount finds it out', async (_, attack) => {
    await begin()
    await sql(attack)
    expect(await faults()).not.toEqual([])
  })

  test('cannot have honest votes annulled by an organiser’s own hand', async () => {
    await begin()
    for (const attack of [
      `insert into votos_marcados select id, (select id from marcas) from (${HONEST}) h`,
      `update banda_digital_votes set dominio = 'primo.mx' where dominio = 'empresa.mx'`,
      `update marcas set origen = 'empresa.mx', votos = 12; delete from votos_marcados;
       insert into votos_marcados select id, (select id from marcas) from (${HONEST}) h`,
    ]) {
      await sql(attack)
      expect(await annul()).toEqual({ ok: false, reason: 'marca' })
      await sql(`truncate ${VOTE_TABLES} cascade`)
      voting = createVoting(services)
      await begin()
    }
    expect(await counted()).toEqual([12, 0, 0, 0, 41])
  })

  test('cannot keep a mark from being made by lowering the totals without its showing', async () => {
    await crowd(39, 4, (at) => `voto${at}@primo.mx`)
    await seal()
    await sql(`update origenes set votos = 0`)
    await crowd(39, 4, (at) => `mas${at}@primo.mx`)
    await seal()
    expect(await flaggedOrigins()).toEqual([])
    expect(await faults()).toContain('Falta la marca «correos de primo.mx»: pasó de su umbral.')
  })

  test.each([
    ['red', (at: number) => `198.51.100.${at % 250}`, RULES.rafagaPorRed],
    ['bloque', (at: number) => `2001:db8:${(at % 1_000).toString(16)}:1::1`, RULES.rafagaPorBloque],
  ])('cannot take the mark off a burst of a %s without its showing', async (kind, client, threshold) => {
    await crowd(threshold + 1, 4, (at) => `prisa${at}@gmail.com`, client)
    await seal()
    expect(await flaggedOrigins()).toEqual([expect.objectContaining({ clase: `rafaga-${kind}` })])
    await sql('delete from votos_marcados; delete from marcas')
    expect(await faults()).toEqual([expect.stringMatching(/^Falta la marca «.*»: pasó de su umbral\.$/)])
  })
})
