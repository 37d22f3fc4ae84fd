// Longer than 350 lines: what a mark goes through from the first vote to the recount, over one town of voters.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#app/platform/services.server.ts'
import { createVotacion, type Votacion } from '#app/popularidad/mutations.server.ts'
import { startDns, type Zona } from '../../tests/dns.ts'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { AUTOR, CLOSED, cast, ELECCION, OPEN, REGLAS, TABLAS, votante, voteWorking } from '../../tests/votos.ts'
import { readCierre } from './actas.ts'
import { findRecibo, listMarcados, readResultados } from './data.server.ts'
import { annulVotes, closeVote } from './mutations.server.ts'
import { createReceptores, findReceptor } from './receptores.server.ts'
import { recount } from './recuento.server.ts'
import { sealVotes } from './sellador.server.ts'
import { startSealing } from './turno.server.ts'

let site: TestSite
let services: Services
let votacion: Votacion
let now = OPEN
let dns: Awaited<ReturnType<typeof startDns>>
let zonas: (name: string) => Zona | undefined

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
  dns = await startDns((name) => zonas(name))
})
afterAll(async () => {
  await dns.close()
  await site.close()
})
beforeEach(async () => {
  now = OPEN
  zonas = () => undefined
  votacion = createVotacion(services)
  await sql(`truncate ${TABLAS}, correos, candidatas cascade`)
})

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const seal = () => sealVotes(services, ELECCION)
const marcados = () => listMarcados(services.db, 2025)
const counted = async () => (await readResultados(services, ELECCION)).filas.map(({ votos }) => votos)
const fallas = async () => (await recount(services, ELECCION)).fallas
const annul = async (at = 0) =>
  annulVotes(services, ELECCION, { marca: (await marcados())[at]!.id, motivo: 'Cuentas de un programa.' }, AUTOR)

let people = 0
/** Votes for one place from addresses and networks that the caller makes; each does the work that it is asked for. */
async function crowd(
  count: number,
  place: number,
  correoOf: (at: number) => string,
  clientOf: (at: number) => string = anywhere,
) {
  const recibos: string[] = []
  for (let at = 0; at < count; at++) {
    const answer = await voteWorking(votacion, place, votante(correoOf(at), clientOf(at)))
    if (answer.ok) recibos.push(answer.recibo)
  }
  return recibos
}
/** A network that nobody else has. */
const anywhere = () => `10.${(++people >> 8) & 255}.${people & 255}.7`

describe('an origin that passes its threshold', () => {
  test('is the domain that was registered: 130 votes of s0…s129 stand no longer than its organiser wants', async () => {
    const honest = await crowd(3, 0, (at) => `vecina${at}@empresa.mx`)
    await crowd(REGLAS.dominio, 4, (at) => `voto@s${at}.primo.com.mx`)
    await seal()
    expect(await marcados()).toEqual([])
    expect(await readResultados(services, ELECCION)).toMatchObject({ sospechosos: 0 })
    await crowd(130 - REGLAS.dominio, 4, (at) => `voto@s${at + REGLAS.dominio}.primo.com.mx`)
    await seal()
    // Those before the threshold are marked as well.
    expect(await marcados()).toEqual([
      expect.objectContaining({ clase: 'dominio', origen: 'primo.com.mx', umbral: REGLAS.dominio, votos: 130 }),
    ])
    expect(await readResultados(services, ELECCION)).toMatchObject({ total: 133, sospechosos: 130 })
    expect(JSON.stringify(await marcados())).not.toContain('Paola')
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([3, 0, 0, 0, 0])
    expect(await readResultados(services, ELECCION)).toMatchObject({ sospechosos: 0, anulados: 130 })
    expect(await annul()).toEqual({ ok: false, reason: 'nada' })
    // What comes later from there is marked when it comes, and can be annulled as well.
    await crowd(2, 4, (at) => `voto@t${at}.primo.com.mx`)
    await seal()
    expect(await readResultados(services, ELECCION)).toMatchObject({ sospechosos: 2 })
    expect(await annul()).toEqual({ ok: true })
    expect(await fallas()).toEqual([])

    now = CLOSED
    const closed = await closeVote(services, ELECCION, AUTOR)
    expect(closed.ok && readCierre(closed.acta.contenido)).toMatchObject({
      reglas: REGLAS,
      marcas: [{ clase: 'dominio', origen: 'primo.com.mx', umbral: REGLAS.dominio, votos: 132, anulados: 132 }],
      anulaciones: [
        { marca: 0, votos: 130 },
        { marca: 0, votos: 2 },
      ],
      fallas: [],
    })
    expect(await findRecibo(services.db, ELECCION, honest[0]!)).toMatchObject({ anulado: null })
    expect(await fallas()).toEqual([])
  })

  test('is counted over the whole edition: a slow drip of four an hour over twelve days is marked, too', async () => {
    for (let hour = 0; hour < 12; hour++) {
      now = new Date(Date.parse('2025-09-13T12:00:00-06:00') + hour * 24 * 3_600_000)
      await crowd(4, 1, (at) => `gota${hour}-${at}@goteo.mx`)
      await seal()
    }
    const [marcado] = await marcados()
    expect(marcado).toMatchObject({ clase: 'dominio', origen: 'goteo.mx', votos: 48 })
    expect(marcado!.horas).toHaveLength(12)
  })

  test('is the server that receives its mail, whatever its domains and their servers are called', async () => {
    zonas = (name) => {
      const at = /^(?:mx\.)?d(\d+)\.mx$/.exec(name)?.[1]
      if (at !== undefined)
        return name.startsWith('mx.')
          ? { a: ['198.51.100.25'] }
          : {
              mx: [
                [10, `mx.d${at}.mx`],
                [20, 'otro.example'],
              ],
            }
      if (name === 'vecina.mx') return { mx: [[5, 'aspmx.l.google.com']] }
      if (name === 'sola.mx') return { a: ['203.0.113.9'] }
      return undefined
    }
    expect(await findReceptor(dns.resolver, 'd7.mx', [])).toEqual({ receptor: '198.51.100.0/24', alojamiento: false })
    expect(await findReceptor(dns.resolver, 'sola.mx', [])).toEqual({ receptor: '203.0.113.0/24', alojamiento: false })
    expect(await findReceptor(dns.resolver, 'nadie.mx', [])).toBeUndefined()
    expect(await findReceptor(dns.resolver, 'vecina.mx', REGLAS.alojamientos)).toEqual({
      receptor: 'google.com',
      alojamiento: true,
    })

    const receptores = createReceptores(services, dns.resolver)
    const learn = async () => {
      for (let turn = 0; turn < 12; turn++) await receptores.turn(ELECCION)
    }
    await crowd(60, 4, (at) => `voto@d${at}.mx`)
    await crowd(30, 0, (at) => `yo${at}@vecina.mx`)
    await seal()
    expect(await marcados()).toEqual([])
    await learn()
    expect(await marcados()).toEqual([
      expect.objectContaining({ clase: 'receptor', origen: '198.51.100.0/24', votos: 60 }),
    ])
    expect((await marcados())[0]!.dominios).toContain('d0.mx')
    // Once a server is known, votes for it are counted with the batch.
    await crowd(5, 4, (at) => `otro@d${at}.mx`)
    await crowd(60, 4, (at) => `voto@d${at + 60}.mx`)
    await seal()
    await learn()
    expect((await marcados())[0]).toMatchObject({ votos: 125 })
    expect(await fallas()).toEqual([])
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([30, 0, 0, 0, 0])
  })

  test('is many domains at one great mail host, only where they vote from one network', async () => {
    zonas = (name) => (/^(h|v)\d+\.mx$/.test(name) ? { mx: [[1, 'aspmx.l.google.com']] } : undefined)
    const receptores = createReceptores(services, dns.resolver)
    await crowd(60, 0, (at) => `yo@v${at}.mx`)
    await crowd(
      45,
      4,
      (at) => `voto@h${at}.mx`,
      () => '203.0.113.50',
    )
    await seal()
    for (let turn = 0; turn < 8; turn++) await receptores.turn(ELECCION)
    const [marcado, ...others] = await marcados()
    expect(others).toEqual([])
    expect(marcado).toMatchObject({ clase: 'alojamiento', votos: 45 })
    expect(marcado!.origen).toMatch(/ google\.com$/)
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([60, 0, 0, 0, 0])
    expect(await fallas()).toEqual([])
  })

  test('costs nobody a vote while the name server is silent, and is asked for again', async () => {
    let silent = true
    zonas = (name) => (silent ? { calla: true } : { mx: [[1, name]], a: ['198.51.100.77'] })
    const receptores = createReceptores(services, dns.resolver)
    expect(await crowd(3, 0, (at) => `yo@callado${at}.mx`)).toHaveLength(3)
    await seal()
    await receptores.turn(ELECCION)
    expect(await sql('select * from receptores')).toEqual([])
    silent = false
    // Another process has not waited for an answer yet.
    await createReceptores(services, dns.resolver).turn(ELECCION)
    expect(await sql('select distinct receptor from receptores')).toEqual([{ receptor: '198.51.100.0/24' }])
  })

  test('is every throw-away domain together, from the first vote', async () => {
    await crowd(2, 1, (at) => `x${at}@yopmail.com`)
    await crowd(1, 2, () => 'x@mail.maildrop.cc')
    await seal()
    expect(await marcados()).toEqual([expect.objectContaining({ clase: 'desechable', votos: 3 })])
  })

  test('is a burst from one network: that one and nothing else of the network', async () => {
    const school = (at: number) => `198.51.100.${at % 250}`
    await crowd(20, 0, (at) => `antes${at}@gmail.com`, school)
    await seal()
    now = new Date(OPEN.getTime() + 30 * 60_000)
    await crowd(REGLAS.rafagaPorRed + 1, 4, (at) => `prisa${at}@gmail.com`, school)
    await seal()
    expect(await marcados()).toEqual([
      expect.objectContaining({ clase: 'rafaga-red', tramo: '2025-09-20T18:50:00.000Z', votos: 301 }),
    ])
    expect(await annul()).toEqual({ ok: true })
    expect(await counted()).toEqual([20, 0, 0, 0, 0])
    expect(await fallas()).toEqual([])
  })
})

describe('a rule', () => {
  test('that the content changes behind the act of zero marks nothing', async () => {
    await crowd(30, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    const severe = { ...ELECCION, reglas: { ...REGLAS, dominio: 5 } }
    await crowd(5, 0, (at) => `tu${at}@empresa.mx`)
    await sealVotes(services, severe)
    expect(await marcados()).toEqual([])
    // Nor does a domain that is let off then.
    const friendly = { ...ELECCION, reglas: { ...REGLAS, proveedores: [...REGLAS.proveedores, 'empresa.mx'] } }
    for (let at = 0; at < 6; at++)
      expect(
        await createVotacion(services).cast(friendly, votante(`el${at}@empresa.mx`, anywhere()), { vote: 0 }),
      ).toMatchObject({ ok: true })
    await sealVotes(services, friendly)
    expect(await marcados()).toEqual([expect.objectContaining({ origen: 'empresa.mx', votos: 41 })])
  })

  test('that comes with this version marks nothing that was cast before, but keeps what was marked then', async () => {
    await crowd(45, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    // As the version before left it: no rules, no origins, and a mark on the vote itself.
    await sql(`truncate origenes, marcas, votos_marcados cascade`)
    await sql(`update actas set contenido = (contenido::jsonb - 'reglas')::text`)
    await sql(`update banda_digital_votes set sospecha = 'dominio', firma = null where id in
      (select id from banda_digital_votes order by id limit 7)`)
    now = new Date(OPEN.getTime() + 3_600_000)
    await cast(votacion, 1)
    const sellador = startSealing(services, async () => ELECCION)
    try {
      await expect.poll(async () => (await marcados()).length).toBe(1)
    } finally {
      await sellador.stop()
    }
    expect(await marcados()).toEqual([
      expect.objectContaining({ clase: 'antes-dominio', origen: 'empresa.mx', votos: 7 }),
    ])
    expect(await sql(`select clase from actas order by clase`)).toEqual([{ clase: 'apertura' }, { clase: 'reglas' }])
    await crowd(40, 1, (at) => `otra${at}@empresa.mx`)
    await seal()
    expect(await marcados()).toHaveLength(1)
    await crowd(1, 1, () => `ultima@empresa.mx`)
    await seal()
    expect((await marcados()).map(({ clase, votos }) => [clase, votos])).toEqual([
      ['dominio', 41],
      ['antes-dominio', 7],
    ])
  })
})

describe('whoever writes into the database', () => {
  /** Marked votes of one domain beside honest ones. */
  async function begin() {
    await crowd(41, 4, (at) => `voto${at}@primo.mx`)
    await crowd(12, 0, (at) => `yo${at}@empresa.mx`)
    await seal()
    expect(await fallas()).toEqual([])
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
    [
      'says who receives mail',
      `insert into receptores values (2025, 'empresa.mx', '192.0.2.0/24', false, '\\x00', now())`,
    ],
  ])('and %s is found out by the recount', async (_, attack) => {
    await begin()
    await sql(attack)
    expect(await fallas()).not.toEqual([])
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
      await sql(`truncate ${TABLAS} cascade`)
      votacion = createVotacion(services)
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
    expect(await marcados()).toEqual([])
    expect(await fallas()).toContain('Falta la marca «correos de primo.mx»: pasó de su umbral.')
  })

  test.each([
    ['red', (at: number) => `198.51.100.${at % 250}`, REGLAS.rafagaPorRed],
    ['bloque', (at: number) => `2001:db8:${(at % 1_000).toString(16)}:1::1`, REGLAS.rafagaPorBloque],
  ])('cannot take the mark off a burst of a %s without its showing', async (clase, client, umbral) => {
    await crowd(umbral + 1, 4, (at) => `prisa${at}@gmail.com`, client)
    await seal()
    expect(await marcados()).toEqual([expect.objectContaining({ clase: `rafaga-${clase}` })])
    await sql('delete from votos_marcados; delete from marcas')
    expect(await fallas()).toEqual([expect.stringMatching(/^Falta la marca «.*»: pasó de su umbral\.$/)])
  })
})
