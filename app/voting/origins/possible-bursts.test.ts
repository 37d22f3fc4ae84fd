import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPossibleBursts } from './possible-bursts.ts'

const MINUTE_MS = 60_000
const at = (minute: number) => new Date(Date.UTC(2025, 8, 20, 12) + minute * MINUTE_MS)
const cast = (red: string | null, minute: number, networkBlock: string | null = null) => ({
  red,
  bloque: networkBlock,
  created_at: at(minute),
})

it('names an origin with too many votes in ten minutes, and not one with as many over two hours', () => {
  const possibleBursts = createPossibleBursts({ red: 3, bloque: 5 })
  for (let vote = 0; vote < 4; vote++) possibleBursts.see(cast('prisa', 2, 'compañía'))
  for (let vote = 0; vote < 3; vote++) possibleBursts.see(cast('justa', 2, 'compañía'))
  for (let vote = 0; vote < 12; vote++) possibleBursts.see(cast('despacio', vote * 10))
  possibleBursts.see(cast(null, 2))
  expect(possibleBursts.named()).toEqual({ red: ['prisa'], bloque: ['compañía'] })
})

it('misses no burst among a hundred thousand votes', () => {
  const thresholds = { red: 40, bloque: 40 }
  const bursts = Array.from({ length: 20 }, (_, which) => hash('sha256', `ráfaga ${which}`, 'base64url').slice(0, 16))
  const votes = [
    ...Array.from({ length: 100_000 }, (_, which) =>
      cast(hash('sha256', `red ${which}`, 'base64url').slice(0, 16), which % 7_200),
    ),
    ...bursts.flatMap((red) => Array.from({ length: 41 }, () => cast(red, 30))),
  ].sort(() => Math.random() - 0.5)
  const possibleBursts = createPossibleBursts(thresholds)
  for (const vote of votes) possibleBursts.see(vote)
  const { red } = possibleBursts.named()
  for (const burst of bursts) expect(red).toContain(burst)
  // Few other networks are named by chance.
  expect(red.length).toBeLessThan(1_000)
})

it('a threshold above the maximum of a counter misses no burst', () => {
  const possibleBursts = createPossibleBursts({ red: 70_000, bloque: 70_000 })
  for (let vote = 0; vote < 70_001; vote++) possibleBursts.see(cast('prisa', 2))
  expect(possibleBursts.named().red).toEqual(['prisa'])
})

it('the end of time is a moment like any other', () => {
  const possibleBursts = createPossibleBursts({ red: 0, bloque: 0 })
  possibleBursts.see({ red: 'siempre', bloque: null, created_at: Number.POSITIVE_INFINITY as unknown as Date })
  expect(possibleBursts.named().red).toEqual(['siempre'])
})
