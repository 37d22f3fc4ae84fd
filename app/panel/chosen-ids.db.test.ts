import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { readChosenIds } from './chosen-ids.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('all of a list are all that its filter lets through, whichever rows of a page are ticked', async () => {
  const ids: number[] = []
  for (let at = 0; at < 3; at++) ids.push(await seedEntry(site.services, { titular: `Ana Nardo ${at}`, edicion: 2024 }))
  const costume = await seedEntry(site.services, { tipo: 'traje', titular: 'Ana Nardo', edicion: 2024 })
  const read = (query: string, max?: number) => readChosenIds(site.services.db, new URLSearchParams(query), 2024, max)
  const chosen = async (query: string) => (await read(query)).ids
  expect(await chosen(`id=${ids[0]}`)).toEqual([ids[0]])
  expect(await chosen('')).toEqual([])
  expect(await chosen(`todas=si&id=${ids[0]}&tipo=candidata&buscar=nardo`)).toEqual(ids.toReversed())
  expect(await chosen('todas=si')).toEqual([costume, ...ids.toReversed()])
  // Entries beyond the maximum of one action are counted, ticked or by the whole list.
  expect(await read('todas=si')).toMatchObject({ leftOutCount: 0 })
  expect(await read('todas=si', 3)).toEqual({ ids: [costume, ids[2], ids[1]], leftOutCount: 1 })
  const ticked = Array.from({ length: 503 }, (_, at) => `id=${at + 1}`).join('&')
  expect((await read(ticked)).leftOutCount).toBe(3)
})
