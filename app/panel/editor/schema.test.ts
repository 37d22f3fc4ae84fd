import * as v from 'valibot'
import { expect, test } from 'vitest'
import { EditsSchema } from './schema.ts'

const set = (now: unknown) => ({ que: 'poner', documento: 'inicio.yaml', campo: ['noticias'], vistos: [], ahora: now })
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

test.each<[string, unknown, boolean]>([
  ['a list as long as any', Array(500).fill(''), true],
  ['a longer one', Array(501).fill(''), false],
  ['a group of more fields than any', Object.fromEntries(Array.from({ length: 501 }, (_, at) => [at, 1])), false],
  ['as deep as any', nested(12), true],
  ['deeper', nested(13), false],
  ['as deep as a form has room for', nested(120_000), false],
])('%s: is it taken?', (_, now, isTaken) => {
  expect(v.safeParse(EditsSchema, [set(now)]).success).toBe(isTaken)
})
