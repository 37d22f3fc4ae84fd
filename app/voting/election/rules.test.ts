import { describe, expect, it, test } from 'vitest'
import { readRecibo } from './receipt.ts'
import { faltan, focosDe, isNotClosed, ordenDe, ordenes, readVoto, trabajoFor } from './rules.ts'

const CIERRE = '2025-09-25T23:59:00-06:00'

test.each([
  ['2025-09-25T23:58:59-06:00', true],
  ['2025-09-26T05:59:00Z', true],
  ['2025-09-25T23:59:01-06:00', false],
  ['2026-01-01T00:00:00Z', false],
])('at %s the vote is open: %s', (ahora, abierta) => {
  expect(isNotClosed(CIERRE, new Date(ahora))).toBe(abierta)
  expect(faltan(CIERRE, new Date(ahora)).vencida).toBe(!abierta)
})

test('what is left is counted in whole minutes', () => {
  expect(faltan(CIERRE, new Date('2025-09-23T09:21:30-06:00'))).toEqual({
    dias: 2,
    horas: 14,
    minutos: 37,
    vencida: false,
  })
  expect(faltan(CIERRE, new Date('2025-09-25T23:58:30-06:00'))).toMatchObject({ dias: 0, horas: 0, minutos: 0 })
  expect(faltan(CIERRE, new Date('2026-09-25'))).toEqual({ dias: 0, horas: 0, minutos: 0, vencida: true })
})

describe('readVoto', () => {
  it.each([0, 1, 2, 3, 4])('takes %i', (place) => {
    expect(readVoto(new URLSearchParams(`vote=${place}`), 5)).toBe(place)
  })
  it.each([
    'vote=-1',
    'vote=5',
    'vote=01',
    'vote=1.5',
    'vote=1e0',
    'vote=%EF%BC%92',
    'vote=',
    'vote',
    'vote=+1',
    'vote=%201',
    'vote=1&vote=1',
    'vote=1&vote=2',
    'vote=1%0A',
    `vote=${'1'.repeat(10_000)}`,
  ])('finds %.30s wrong', (query) => {
    expect(readVoto(new URLSearchParams(query), 5)).toBe('invalido')
  })
  it.each([2, 4, 12])('knows as many places as there are candidates: %i', (cuantas) => {
    const read = (place: number) => readVoto(new URLSearchParams({ vote: String(place) }), cuantas)
    expect([read(0), read(cuantas - 1), read(cuantas)]).toEqual([0, cuantas - 1, 'invalido'])
  })
  it('finds nothing in a query without it', () => {
    expect(readVoto(new URLSearchParams('VOTE=1&votes=2'), 5)).toBeUndefined()
  })
})

test('each of the five stands in each place, and after each other, equally often', () => {
  const orders = Array.from({ length: 20 }, (_, suerte) => ordenDe(suerte, 5))
  expect(new Set(orders.map((orden) => orden.join(''))).size).toBe(20)
  const [places, pairs] = [new Map<string, number>(), new Map<string, number>()]
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const orden of orders) {
    expect([...orden].sort()).toEqual([0, 1, 2, 3, 4])
    for (const [place, who] of orden.entries()) {
      count(places, `${place} ${who}`)
      if (place > 0) count(pairs, `${orden[place - 1]} ${who}`)
    }
  }
  expect(new Set(places.values())).toEqual(new Set([4]))
  expect(new Set(pairs.values())).toEqual(new Set([4]))
  expect(ordenDe(20 * 7 + 13, 5)).toEqual(ordenDe(13, 5))
})

test.each([2, 3, 4, 6, 11, 12])('of %i candidates, too, each stands in each place equally often', (cuantas) => {
  const orders = Array.from({ length: ordenes(cuantas) }, (_, suerte) => ordenDe(suerte, cuantas))
  expect(new Set(orders.map((orden) => orden.join(' '))).size).toBe(orders.length)
  for (let place = 0; place < cuantas; place++) {
    const there = Map.groupBy(orders, (orden) => orden[place])
    expect([...there.values()].map(({ length }) => length)).toEqual(Array(cuantas).fill(orders.length / cuantas))
  }
})

test('work doubles with the excess, up to what a phone does in seconds', () => {
  expect([trabajoFor(1), trabajoFor(2), trabajoFor(4.5), trabajoFor(1e9)]).toEqual([64, 128, 256, 2_048])
})

test('a receipt is read however it is typed', () => {
  expect(readRecibo(' 7f2k-94qx m3tr ')).toBe('7F2K94QXM3TR')
  for (const wrong of ['7F2K-94QX-M3T', '7F2K-94QX-M3T0', '7F2K-94QX-M3TRR', '', null, 7, 'x'.repeat(5_000)])
    expect(readRecibo(wrong)).toBeUndefined()
})

test('every vote lights one bulb of the wheel, the rim first; a full wheel stays lit and begins again', () => {
  const lit = (votos: number) => focosDe(votos).focos.reduce((sum, one) => sum + one, 0)
  for (const votos of [0, 1, 96, 97, 419]) expect([lit(votos), focosDe(votos).llena]).toEqual([votos, false])
  expect(focosDe(97).focos).toEqual([96, 1, 0, 0, 0, 0, 0])
  expect([lit(420), lit(421), lit(10_000)]).toEqual([0, 1, 10_000 % 420])
  expect(focosDe(420).llena).toBe(true)
})
