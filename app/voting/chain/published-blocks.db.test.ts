import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting, type Voting } from '#app/voting/ballot/mutations.server.ts'
import { type Cover, type PublishedBlock, parseClosingRecord, type SealsFile } from '#app/voting/record/schema.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { readWitness } from '#app/voting/record/witness.ts'
import { closeVote } from '#app/voting/sealing/mutations.server.ts'
import { createPublishedSeals } from '#app/voting/sealing/published-seals.server.ts'
import { recordLines } from '#app/voting/sealing/record-file.server.ts'
import { publicKeyOf } from '#app/voting/sealing/record-signature.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'
import { mailReceipts } from '#app/voting/sealing/sealing-worker.server.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { databaseBefore } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, castVotes, ELECTION, OPEN, VOTE_TABLES, vote, voter } from '#tests/support/voting/votes.ts'

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
  await sql(`truncate ${VOTE_TABLES}, correos, profiles cascade`)
})

const sql = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  (await site.database.pool.query(text, values)).rows as Row[]
const seal = () => sealVotes(services, ELECTION)
const blocks = () =>
  sql<{ numero: number; papeletas: number; sello: string }>(
    'select numero, papeletas, sello from cajas order by numero',
  )
const counts = async () => (await blocks()).map(({ papeletas }) => papeletas)
const ask = (from = createPublishedSeals(services), init?: RequestInit) =>
  from.answer(new Request('https://feria.example/misspopularidad/sellos.json', init))
const close = async () => {
  now = CLOSED
  const done = await closeVote(services, ELECTION, ACTOR)
  if (!done.ok) throw new Error(done.reason)
  return parseClosingRecord(done.record.contenido)
}
async function fileOf() {
  let text = ''
  for await (const piece of (await recordLines(services, 2025))!) text += piece
  const { portada, cajas } = JSON.parse(text) as { portada: Cover; cajas: PublishedBlock[] }
  return { portada, cajas, lines: text.split('\n') }
}
async function* each(lines: string[]) {
  yield* lines
}
const kept = async (name: string, text: string) => {
  const read = await readWitness(name, Buffer.from(text))
  if (!read.ok) throw new Error(read.reason)
  return read.witness
}

describe('a link', () => {
  test('is closed with the batch that fills it, published at once, mailed, and sealed by the act just so', async () => {
    await castVotes(voting, 199)
    await seal()
    expect(await counts()).toEqual([])
    // A witness who asked before the key was there asks again.
    const early = await ask(createPublishedSeals(services))
    expect(early.headers.get('etag')).toBe(`"2025-0-${publicKeyOf(services).slice(0, 16)}"`)
    await castVotes(voting, 0, 1)
    await seal()
    expect(await counts()).toEqual([200])
    // The next batch exceeds a block's minimum, and stays in one piece.
    await castVotes(voting, 0, 0, 230)
    await Promise.all([seal(), seal(), seal()])
    await seal()
    expect(await counts()).toEqual([200, 230])

    const published = createPublishedSeals(services)
    const answer = await ask(published)
    const text = await answer.text()
    const key = publicKeyOf(services)
    expect(JSON.parse(text)).toEqual({
      edicion: 2025,
      minimo: 200,
      cajas: await blocks(),
      llave: key,
    } satisfies SealsFile)
    const again = await ask(published, { headers: { 'if-none-match': answer.headers.get('etag')! } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const newest = (await blocks())[1]!
    expect(await published.readNewest()).toEqual({ number: 2, seal: newest.sello, minBallots: 200, totalBallots: 430 })

    const who = voter('ana@correo.mx')
    await sql(`insert into profiles (id, name, email) values ($1, '', $2)`, [who.userId, who.email])
    await vote(voting, 4, who)
    await seal()
    while (await mailReceipts(services, 2025, new Set(), 2));
    const [mail] = await services.db.selectFrom('correos').selectAll().execute()
    const written = decryptMail(mail!)
    for (const body of [written.text, written.html]) {
      expect(body).toContain('Caja 2, con 230 votos. Sello:')
      expect(body).toContain(newest.sello)
      expect(body).toContain(key)
    }

    expect((await recount(services, ELECTION)).faults).toEqual([])
    const record = await close()
    expect(await counts()).toEqual([200, 230, 1])
    expect([record.minimo, record.cajas, record.ultimoSello, record.fallas]).toEqual([
      ...[200, 3, (await blocks())[2]!.sello],
      [],
    ])
    const file = await fileOf()
    expect(file.cajas.map(({ numero, papeletas, sello }) => ({ numero, papeletas: papeletas.length, sello }))).toEqual(
      await blocks(),
    )
    const witnesses = [await kept('sellos.json', text), await kept('ana.eml', `Subject: x\n\n${written.text}`)]
    const done = await verifyRecord(each(file.lines), { witnesses })
    expect(done.faults).toEqual([])
    expect(await verifyRecord(each(file.lines), { publicKeys: [key] })).toMatchObject({ faults: [], isPublished: true })
    expect(done.checkedWitnesses.map(({ faults }) => faults)).toEqual([[], []])
    expect(done.checkedWitnesses[1]!.confirmations.join()).toMatch(
      /La caja 2 está en el acta.*está en la caja 3, y su voto cuenta/,
    )
    expect((await recount(services, ELECTION)).faults).toEqual([])
    // No block is closed after the closing record.
    await seal()
    expect(await counts()).toHaveLength(3)
  })

  test('does not exist after a vote without ballots', async () => {
    expect(await close()).toMatchObject({ cajas: 0, papeletas: 0, fallas: [] })
    expect((await verifyRecord(each((await fileOf()).lines))).faults).toEqual([])
  })

  test('is made of the batches that a vote without any has, by the next turn or by the closing', async () => {
    for (let turn = 0; turn < 3; turn++) {
      await castVotes(voting, 200)
      await seal()
    }
    const live = await blocks()
    await sql('truncate cajas')
    expect(await seal()).toBe(0)
    expect(await blocks()).toEqual(live)
    await sql('truncate cajas')
    expect((await close()).cajas).toBe(3)
    expect(await blocks()).toEqual(live)
  })

  test('that the site did not close is not published, nor any link behind it', async () => {
    const published = createPublishedSeals(services)
    await castVotes(voting, 200)
    await seal()
    await sql(`insert into cajas (edicion, numero, anterior, sello, firma, papeletas, desde_lote, hasta_lote, cerrada_at)
      select edicion, 2, sello, repeat('a', 64), firma, 200, 2, 2, now() from cajas`)
    expect(((await (await ask(published)).json()) as SealsFile).cajas).toHaveLength(1)
    expect(await published.readNewest()).toMatchObject({ number: 1 })
  })
})

describe('the recount of the links', () => {
  const begin = async () => {
    for (const count of [200, 210, 205]) {
      await castVotes(voting, count)
      await seal()
    }
    await castVotes(voting, 3)
    await seal()
    expect((await recount(services, ELECTION)).faults).toEqual([])
  }

  test.each([
    ['a link taken out', 'delete from cajas where numero = 2', /La cadena de cajas se rompe en la caja 3/],
    ['the last link taken out', 'delete from cajas where numero = 3', /llegaba a la caja 3; ya no es la misma/],
    ['every link taken out', 'delete from cajas', /llegaba a la caja 3; ya no es la misma/],
    [
      'a seal replaced',
      `update cajas set sello = repeat('a', 64) where numero = 3`,
      /se rompe en la caja 3.*La caja 3 se publicó con otras/s,
    ],
    ['a count changed', 'update cajas set papeletas = 300 where numero = 1', /se rompe en la caja 1/],
    ['other batches', 'update cajas set hasta_lote = 2 where numero = 1', /se rompe en la caja 1/],
    ['batches that are not there', 'update cajas set hasta_lote = 99 where numero = 3', /dice tener lotes que no hay/],
    ['a link in another place', 'update cajas set numero = 9 where numero = 1', /se rompe en la caja 2/],
    [
      'a changed vote',
      `update banda_digital_votes set candidata = 'Paola Colorín Vega' where id = (select max(id) from banda_digital_votes where lote = 2)`,
      /La caja 2 se publicó con otras papeletas/,
    ],
    [
      'a link that a vote’s owner of the database alone wrote',
      `insert into cajas (edicion, numero, anterior, sello, firma, papeletas, desde_lote, hasta_lote, cerrada_at)
        select edicion, 4, sello, repeat('a', 64), firma, 3, 4, 4, now() from cajas where numero = 3`,
      /se rompe en la caja 4.*La caja 4 se cerró con menos de 200/s,
    ],
  ])('names %s', async (_what, attack, found) => {
    await begin()
    await sql(attack)
    expect((await recount(services, ELECTION)).faults.join('\n')).toMatch(found)
  })

  test('keeps its own hour and numbers where a link is gone', async () => {
    await begin()
    await castVotes(voting, 2)
    await seal()
    await sql('delete from cajas where numero = 3')
    now = new Date(OPEN.getTime() + 60_000)
    await recount(services, ELECTION)
    expect(await sql('select at, papeletas, lotes, cajas from recuentos')).toEqual([
      { at: now, papeletas: 620, lotes: 5, cajas: 3 },
    ])
  })

  test.each([
    ['the last link taken out', 'delete from cajas where numero = 4'],
    ['every link taken out', 'delete from cajas'],
  ])('names %s behind the closing act', async (_what, attack) => {
    await begin()
    expect((await close()).fallas).toEqual([])
    expect((await recount(services, ELECTION)).faults).toEqual([])
    await sql(attack)
    expect((await recount(services, ELECTION)).faults).toContain('Las cajas no son las que el acta de cierre sella.')
  })

  test('leaves a vote that was changed before the closing visible in its published link', async () => {
    await begin()
    const saved = await (await ask()).text()
    await sql(
      `update banda_digital_votes set candidata = 'Paola Colorín Vega' where id = (select max(id) from banda_digital_votes where lote = 2)`,
    )
    const record = await close()
    expect(record.fallas.join()).toContain('La caja 2 se publicó con otras papeletas que las que hay.')
    const { lines } = await fileOf()
    const { faults, checkedWitnesses } = await verifyRecord(each(lines), {
      witnesses: [await kept('sellos.json', saved)],
    })
    expect(faults).toEqual(['El sello de la caja 2 no corresponde a sus papeletas.'])
    expect(checkedWitnesses[0]!.faults).toEqual([])
  })
})

describe('the outcome of a recount', () => {
  const ALTERED = 'Un recuento anterior se cambió o se borró en la base de datos sin pasar por el sitio.'
  const faults = async () => (await recount(services, ELECTION)).faults

  test.each([
    ['with fewer batches', `update recuentos set lotes = 1, ultimo = (select sello from lotes where numero = 1)`],
    ['with faults left out', `update recuentos set fallas = '[]'`],
    ['of a later hour', `update recuentos set at = at + interval '1 hour'`],
    ['without its signature', 'update recuentos set firma = null'],
    ['with less annulled', 'update recuentos set anulados = anulados - 1'],
    ['as nobody had found it changed', 'update recuentos set alterado = not alterado'],
  ])('written anew %s is named, and no later count forgets it', async (_what, attack) => {
    await castVotes(voting, 3)
    await seal()
    await castVotes(voting, 3)
    await seal()
    await sql(
      `update banda_digital_votes set candidata = 'Paola Colorín Vega' where id = (select min(id) from banda_digital_votes)`,
    )
    expect((await faults()).join()).not.toContain(ALTERED)
    await sql(attack)
    expect(await faults()).toContain(ALTERED)
    expect(await faults()).toContain(ALTERED)
  })

  test('that is gone although the act says that there was one is named', async () => {
    await castVotes(voting, 3)
    await close()
    expect(await faults()).toEqual([])
    await sql('delete from recuentos')
    expect(await faults()).toEqual([ALTERED])
    expect(await faults()).toEqual([ALTERED])
  })

  test('and the links of a vote that the version before opened go on with this one', async () => {
    const before = await databaseBefore('20260123')
    try {
      const tables = JSON.parse(await readFile('tests/samples/earlier-vote/filas.txt', 'utf8')) as Record<
        string,
        Record<string, unknown>[]
      >
      for (const [table, rows] of Object.entries(tables)) {
        // The same vote, still open and without an annulment.
        if (['ajustes', 'anulaciones', 'votos_anulados', 'recuentos'].includes(table)) continue
        if (table === 'votos_por_hora') await before.pool.query('delete from votos_por_hora')
        await before.pool.query(
          `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(table === 'actas' ? rows.filter(({ clase }) => clase === 'apertura') : rows)],
        )
      }
      const { rows } = await before.pool.query('select max(numero) as lotes, count(*) as n from lotes')
      await before.pool.query(
        `insert into recuentos (edicion, at, papeletas, lotes, ultimo, fallas)
         select 2025, now(), 17, numero, sello, '[]' from lotes where numero = $1`,
        [rows[0].lotes],
      )
      await before.pool.query(`select setval(pg_get_serial_sequence('banda_digital_votes', 'id'), 1000)`)
      await before.upgrade()
      const from: Services = { ...services, db: before.db }
      const again = async () => (await recount(from, ELECTION)).faults
      await castVotes(createVoting(from), 200)
      await sealVotes(from, ELECTION)
      expect((await before.pool.query('select papeletas from cajas')).rows).toEqual([{ papeletas: 217 }])
      // The earlier version did not sign its recount.
      expect(await again()).toEqual([])
      expect((await before.pool.query('select firma from recuentos')).rows[0].firma).toHaveLength(32)
      expect(await again()).toEqual([])
    } finally {
      await before.drop()
    }
  })
})
