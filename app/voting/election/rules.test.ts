import { describe, expect, it, test } from 'vitest'
import { parseReceipt } from './receipt.ts'
import { difficultyFor, isBeforeClosing, litBulbsOf, orderCount, orderOf, readVote, timeLeft } from './rules.ts'

const CLOSING = '2025-09-25T23:59:00-06:00'

test.each([
  ['2025-09-25T23:58:59-06:00', true],
  ['2025-09-26T05:59:00Z', true],
  ['2025-09-25T23:59:01-06:00', false],
  ['2026-01-01T00:00:00Z', false],
])('at %s the vote is open: %s', (now, opened) => {
  expect(isBeforeClosing(CLOSING, new Date(now))).toBe(opened)
  expect(timeLeft(CLOSING, new Date(now)).hasPassed).toBe(!opened)
})

test('the time left is counted in whole minutes', () => {
  expect(timeLeft(CLOSING, new Date('2025-09-23T09:21:30-06:00'))).toEqual({
    days: 2,
    hours: 14,
    minutes: 37,
    hasPassed: false,
  })
  expect(timeLeft(CLOSING, new Date('2025-09-25T23:58:30-06:00'))).toMatchObject({ days: 0, hours: 0, minutes: 0 })
  expect(timeLeft(CLOSING, new Date('2026-09-25'))).toEqual({ days: 0, hours: 0, minutes: 0, hasPassed: true })
})

describe('readVote', () => {
  it.each([0, 1, 2, 3, 4])('takes %i', (place) => {
    expect(readVote(new URLSearchParams(`vote=${place}`), 5)).toBe(place)
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
    expect(readVote(new URLSearchParams(query), 5)).toBe('invalid')
  })
  it.each([2, 4, 12])('knows as many places as there are candidates: %i', (howMany) => {
    const read = (place: number) => readVote(new URLSearchParams({ vote: String(place) }), howMany)
    expect([read(0), read(howMany - 1), read(howMany)]).toEqual([0, howMany - 1, 'invalid'])
  })
  it('finds nothing in a query without it', () => {
    expect(readVote(new URLSearchParams('VOTE=1&votes=2'), 5)).toBeUndefined()
  })
})

test('each of the five stands in each place, and after each other, equally often', () => {
  const orders = Array.from({ length: 20 }, (_, draw) => orderOf(draw, 5))
  expect(new Set(orders.map((order) => order.join(''))).size).toBe(20)
  const [places, pairs] = [new Map<string, number>(), new Map<string, number>()]
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const order of orders) {
    expect([...order].sort()).toEqual([0, 1, 2, 3, 4])
    for (const [place, who] of order.entries()) {
      count(places, `${place} ${who}`)
      if (place > 0) count(pairs, `${order[place - 1]} ${who}`)
    }
  }
  expect(new Set(places.values())).toEqual(new Set([4]))
  expect(new Set(pairs.values())).toEqual(new Set([4]))
  expect(orderOf(20 * 7 + 13, 5)).toEqual(orderOf(13, 5))
})

test.each([2, 3, 4, 6, 11, 12])('of %i candidates, too, each stands in each place equally often', (howMany) => {
  const orders = Array.from({ length: orderCount(howMany) }, (_, draw) => orderOf(draw, howMany))
  expect(new Set(orders.map((order) => order.join(' '))).size).toBe(orders.length)
  for (let place = 0; place < howMany; place++) {
    const there = Map.groupBy(orders, (order) => order[place])
    expect([...there.values()].map(({ length }) => length)).toEqual(Array(howMany).fill(orders.length / howMany))
  }
})

test('work doubles with the excess, up to some seconds on a phone', () => {
  expect([difficultyFor(1), difficultyFor(2), difficultyFor(4.5), difficultyFor(1e9)]).toEqual([64, 128, 256, 2_048])
})

test('a receipt is read however it is typed', () => {
  expect(parseReceipt(' 7f2k-94qx m3tr ')).toBe('7F2K94QXM3TR')
  for (const wrong of ['7F2K-94QX-M3T', '7F2K-94QX-M3T0', '7F2K-94QX-M3TRR', '', null, 7, 'x'.repeat(5_000)])
    expect(parseReceipt(wrong)).toBeUndefined()
})

test('every vote lights one bulb of the wheel, the rim first; a full wheel stays lit and begins again', () => {
  const lit = (votes: number) => litBulbsOf(votes).litBulbs.reduce((sum, one) => sum + one, 0)
  for (const votes of [0, 1, 96, 97, 419]) expect([lit(votes), litBulbsOf(votes).isFull]).toEqual([votes, false])
  expect(litBulbsOf(97).litBulbs).toEqual([96, 1, 0, 0, 0, 0, 0])
  expect([lit(420), lit(421), lit(10_000)]).toEqual([0, 1, 10_000 % 420])
  expect(litBulbsOf(420).isFull).toBe(true)
})
