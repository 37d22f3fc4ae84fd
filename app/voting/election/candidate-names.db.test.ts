import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { createVotacion, keepNombres } from '#app/voting/ballot/mutations.server.ts'
import { readCierre } from '#app/voting/record/schema.ts'
import { verifyActa } from '#app/voting/record/verification.ts'
import { findRecibo, readActa, readHoras, readResultados } from '#app/voting/tally/data.server.ts'
import { closeVote, proclaimGanadora } from '#app/voting/tally/mutations.server.ts'
import { actaLines } from '#app/voting/tally/record-file.server.ts'
import { recount } from '#app/voting/tally/recount.server.ts'
import { sealVotes } from '#app/voting/tally/sealing.server.ts'
import { databaseBefore } from '../../../tests/database.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { AUTOR, CLOSED, ELECCION, OPEN, renamed, TABLAS, votante } from '../../../tests/votos.ts'
import { type Eleccion, loadGanadora, proclaimedId } from './data.server.ts'

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
  await sql(`truncate ${TABLAS}, ajustes, candidatas`)
})

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const VALERIA = 'valeria-bugambilia-olmos'
const RENATA = 'renata-cempasuchil-nava'
/** The candidates with one name misspelled, as at first. */
const BEFORE = renamed({ [VALERIA]: 'Valeria Bugambillia Olmos' })
const votesOf = async (eleccion: Eleccion) => {
  const { filas, otros } = await readResultados(services, eleccion)
  return [...filas.map(({ votos }) => votos), otros]
}
/** Starts a process with this content and casts so many votes of new people for each candidate. */
async function begin(eleccion: Eleccion, ...counts: number[]) {
  await keepNombres(services, eleccion)
  const votacion = createVotacion(services)
  await Promise.all(
    counts.flatMap((count, place) =>
      Array.from({ length: count }, () => votacion.cast(eleccion, votante(), { vote: place, intento: randomUUID() })),
    ),
  )
  return votacion
}
const fileOf = async (from: Services) => {
  let text = ''
  for await (const piece of (await actaLines(from, 2025))!) text += piece
  return text
}
async function* linesOf(text: string) {
  yield* text.split('\n')
}

describe('a corrected name', () => {
  test('keeps its votes in results, hours, recount, act, file, receipt and proclamation', async () => {
    const first = await begin(BEFORE, 4, 2)
    const answer = await first.cast(BEFORE, votante(), { vote: 0 })
    await sealVotes(services, BEFORE)
    await begin(BEFORE, 2)
    expect(await votesOf(BEFORE)).toEqual([7, 2, 0, 0, 0, 0])

    await begin(ELECCION, 1)
    expect(await votesOf(ELECCION)).toEqual([8, 2, 0, 0, 0, 0])
    // A process that still has the old content counts the same.
    expect(await votesOf(BEFORE)).toEqual([8, 2, 0, 0, 0, 0])
    await sealVotes(services, ELECCION)
    expect((await readHoras(services.db, ELECCION))[0]?.votos).toEqual([8, 2, 0, 0, 0, 0])
    expect((await recount(services, ELECCION)).fallas).toEqual([])
    // Each row keeps the name as it stood when the vote was cast.
    expect(await sql('select candidata, count(*)::int as n from banda_digital_votes group by 1 order by 1')).toEqual([
      { candidata: 'Renata Cempasúchil Nava', n: 2 },
      { candidata: 'Valeria Bugambilia Olmos', n: 1 },
      { candidata: 'Valeria Bugambillia Olmos', n: 7 },
    ])

    now = CLOSED
    const done = await closeVote(services, ELECCION, AUTOR)
    const acta = readCierre(done.ok ? done.acta.contenido : '')
    expect([acta.otros, acta.candidatas[0]]).toEqual([
      0,
      { id: VALERIA, nombre: 'Valeria Bugambilia Olmos', antes: ['Valeria Bugambillia Olmos'], votos: 8 },
    ])
    const text = await fileOf(services)
    const { fallas, totales } = await verifyActa(linesOf(text))
    expect([fallas, [...totales.values()]]).toEqual([[], [8, 2, 0, 0, 0]])
    expect(text).toContain('sus votos son también los de los nombres de «antes»')
    const stolen = text.replace('"nombre":"Renata Cempasúchil Nava",', '$&"antes":["Valeria Bugambillia Olmos"],')
    expect((await verifyActa(linesOf(stolen))).fallas).toContain(
      'El acta da el nombre «Valeria Bugambillia Olmos» a dos candidatas.',
    )
    expect(await findRecibo(services.db, ELECCION, answer.ok ? answer.recibo : '')).toMatchObject({
      candidata: 'Valeria Bugambilia Olmos',
    })

    // Her name is corrected once more after the act.
    const later = renamed({ [VALERIA]: 'Valeria de la Bugambilia Olmos' })
    await keepNombres(services, later)
    expect(await votesOf(later)).toEqual([8, 2, 0, 0, 0, 0])
    expect((await recount(services, later)).fallas).toEqual([])
    expect(await proclaimGanadora(services, later, { puesta: { candidata: VALERIA }, version: 0 }, AUTOR)).toEqual({
      ok: true,
    })
    expect(await loadGanadora(services.db)).toMatchObject({ id: VALERIA, edad: 22 })
  })

  test('of a vote whose answer was lost is the same vote still', async () => {
    const before = await begin(BEFORE)
    const [who, intento] = [votante(), randomUUID()]
    const first = await before.cast(BEFORE, who, { vote: 0, intento })
    expect(first.ok).toBe(true)
    const after = await begin(ELECCION)
    expect(await after.cast(ELECCION, who, { vote: 0, intento })).toEqual(first)
    expect(await after.cast(ELECCION, who, { vote: 1, intento })).toEqual({ ok: false, reason: 'ya-votaste' })
  })
})

const without = (id: string): Eleccion => ({
  ...ELECCION,
  candidatas: ELECCION.candidatas.filter((una) => una.id !== id),
})
const withIds = (ids: Record<string, string>): Eleccion => ({
  ...ELECCION,
  candidatas: ELECCION.candidatas.map(({ id, nombre }) => ({ id: ids[id] ?? id, nombre })),
})
const HOLDS = 'Devuelve los ids como estaban: para corregir un nombre se cambia sólo «nombre».'

describe('a start', () => {
  const parting: [string, Eleccion, string][] = [
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
      { ...ELECCION, candidatas: [{ id: 'valeria', nombre: 'Valeria Olmos' }, ...without(VALERIA).candidatas] },
      `«Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», que ya no está`,
    ],
    [
      'two ids in each other’s place',
      withIds({ [VALERIA]: RENATA, [RENATA]: VALERIA }),
      `«Renata Cempasúchil Nava» tiene 1 voto con el id «${RENATA}», y ahora dice «${VALERIA}»; «Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «${RENATA}»`,
    ],
    [
      'two names in each other’s place',
      renamed({ [VALERIA]: 'Renata Cempasúchil Nava', [RENATA]: 'Valeria Bugambilia Olmos' }),
      `«Renata Cempasúchil Nava» tiene 1 voto con el id «${RENATA}», y ahora dice «${VALERIA}»; «Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «${RENATA}»`,
    ],
  ]
  test.each(parting)('is refused over %s, sealed or not, and changes nothing', async (_what, eleccion, said) => {
    await begin(ELECCION, 4)
    await sealVotes(services, ELECCION)
    await begin(ELECCION, 3, 1)
    await expect(keepNombres(services, eleccion)).rejects.toThrow(
      new StartError(`content/2025/candidatas.yaml separa votos de su candidata: ${said}. ${HOLDS}`),
    )
    await keepNombres(services, ELECCION)
    expect(await votesOf(ELECCION)).toEqual([7, 1, 0, 0, 0, 0])
  })

  test.each(parting)('takes %s while nobody has voted', async (_what, eleccion) => {
    await keepNombres(services, ELECCION)
    await begin(eleccion, 2)
    expect((await votesOf(eleccion))[0]).toBe(2)
    await sealVotes(services, eleccion)
    expect((await recount(services, eleccion)).fallas).toEqual([])
  })

  test('is refused where the votes bear a name of before, and where the id is another candidate’s now', async () => {
    await begin(BEFORE, 7)
    await keepNombres(services, ELECCION)
    const voted = `«Valeria Bugambillia Olmos» tiene 7 votos con el id «${VALERIA}»`
    const exchanged = withIds({ [VALERIA]: RENATA, [RENATA]: VALERIA })
    await expect(keepNombres(services, exchanged)).rejects.toThrow(`${voted}, y ahora dice «${RENATA}»`)
    const taken = renamed({ [VALERIA]: 'Renata Cempasúchil Nava', [RENATA]: 'Renata Nava' })
    await expect(keepNombres(services, taken)).rejects.toThrow(`${voted}, que ahora es el de «Renata Cempasúchil Nava»`)
    await keepNombres(services, ELECCION)
    expect(await votesOf(ELECCION)).toEqual([7, 0, 0, 0, 0, 0])
  })

  test('with votes of a version that kept no names asks whose a name is that nobody has; the content may say it', async () => {
    await begin(BEFORE, 7, 1)
    await sql('truncate candidatas')
    await expect(keepNombres(services, ELECCION)).rejects.toThrow(
      new StartError(
        'Hay votos que no son de ninguna candidata de content/2025/candidatas.yaml: «Valeria Bugambillia Olmos» tiene 7 votos. Si así se llamaba una de ellas, agrega ese nombre a su lista «antes»; si se quitó a una, devuélvela.',
      ),
    )
    const [valeria, ...others] = ELECCION.candidatas
    const said = { ...ELECCION, candidatas: [{ ...valeria!, antes: ['Valeria Bugambillia Olmos'] }, ...others] }
    await keepNombres(services, said)
    expect(await votesOf(said)).toEqual([7, 1, 0, 0, 0, 0])
    // Once the name is kept, the content need not say it any more.
    await keepNombres(services, ELECCION)
    expect(await votesOf(ELECCION)).toEqual([7, 1, 0, 0, 0, 0])
  })

  test('is stopped by no row that was written by hand', async () => {
    await begin(ELECCION, 1)
    await sql(
      `insert into banda_digital_votes (user_id, candidata, firma) values ('a', 'Nadie', '\\x00'), ('b', null, null)`,
    )
    await keepNombres(services, ELECCION)
    await sealVotes(services, ELECCION)
    await keepNombres(services, ELECCION)
    expect(await votesOf(ELECCION)).toEqual([1, 0, 0, 0, 0, 2])
  })

  test('signs the names anew where the key of the site changed before the first vote', async () => {
    const before: Services = { ...services, keyed: keysOf('another secret of thirty-two characters or more') }
    await keepNombres(before, BEFORE)
    await keepNombres(before, ELECCION)
    await keepNombres(services, ELECCION)
    expect((await recount(services, ELECCION)).fallas).toEqual([])
    expect(await sql('select count(*)::int as n from candidatas')).toEqual([{ n: 6 }])
    await begin(ELECCION, 1)
    expect((await recount(services, ELECCION)).fallas).toEqual([])
  })

  test('of two processes at once writes each name once', async () => {
    await Promise.all([1, 2, 3].map(() => keepNombres(services, ELECCION)))
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
  await keepNombres(services, ELECCION)
  await sealVotes(services, ELECCION)
  expect((await recount(services, ELECCION)).fallas).toEqual([])
  await sql(attack)
  expect((await recount(services, ELECCION)).fallas).toEqual([found])
  await sql('truncate candidatas')
  await keepNombres(services, BEFORE)
  await keepNombres(services, ELECCION)
  now = CLOSED
  expect(await closeVote(services, ELECCION, AUTOR)).toMatchObject({ ok: true })
  await sql(attack)
  expect((await recount(services, ELECCION)).fallas).toContain(
    'El acta de cierre cuenta los votos de «Valeria Bugambillia Olmos» para Valeria Bugambilia Olmos, de quien ya no es.',
  )
})

/** Rows that the version before wrote, and the file that it published: tests/muestras/votacion-anterior. */
test('a vote that the version before closed goes on verifying, and its winner and its votes follow a corrected name', async () => {
  const before = await databaseBefore('20260118')
  try {
    const tables = JSON.parse(await readFile('tests/muestras/votacion-anterior/filas.txt', 'utf8')) as object
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
    const published = await readFile('tests/muestras/votacion-anterior/acta.txt', 'utf8')
    const check = async (eleccion: Eleccion) => {
      await keepNombres(from, eleccion)
      const { filas, otros, anulados } = await readResultados(from, eleccion)
      expect([...filas.map(({ votos }) => votos), otros, anulados]).toEqual([8, 3, 3, 1, 0, 0, 2])
      expect((await recount(from, eleccion)).fallas).toEqual([])
      // The file is the same to the letter: nothing that was sealed is written anew.
      expect(await fileOf(from)).toBe(published)
    }
    await check(ELECCION)
    await check(renamed({ [VALERIA]: 'Valeria Bugambilla Olmos' }))
    expect(await kept()).toEqual(rows.map((row) => ({ ...row, bloque: null })))
    const { fallas, totales } = await verifyActa(linesOf(published))
    expect([fallas, [...totales.values()]]).toEqual([[], [8, 3, 3, 1, 0]])

    // The version before proclaimed her by name.
    expect(await loadGanadora(before.db)).toMatchObject({ id: VALERIA })
    const later = renamed({ [VALERIA]: 'Valeria Bugambilla Olmos' })
    expect(await proclaimedId(before.db, 'Valeria Bugambilla Olmos')).toBe(VALERIA)
    expect(await proclaimedId(before.db, 'Nadie')).toBeUndefined()
    expect(readCierre((await readActa(before.db, 2025, 'cierre'))!.contenido).candidatas[0]).toEqual({
      nombre: 'Valeria Bugambilia Olmos',
      votos: 8,
    })
    const again = { puesta: { candidata: VALERIA, mensaje: 'Gracias.' }, version: 1 }
    expect(await proclaimGanadora(from, later, again, AUTOR)).toEqual({ ok: true })
    expect(await proclaimGanadora(from, later, { puesta: { candidata: RENATA }, version: 2 }, AUTOR)).toEqual({
      ok: false,
      reason: 'no-gano',
    })
    await expect(keepNombres(from, without(VALERIA))).rejects.toThrow('«Valeria Bugambilia Olmos» tiene 8 votos')
  } finally {
    await before.drop()
  }
})
