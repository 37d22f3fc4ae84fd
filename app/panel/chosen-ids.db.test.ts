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
  const chosen = (query: string) => readChosenIds(site.services.db, new URLSearchParams(query), 2024)
  expect(await chosen(`id=${ids[0]}`)).toEqual([ids[0]])
  expect(await chosen('')).toEqual([])
  expect(await chosen(`todas=si&id=${ids[0]}&tipo=candidata&buscar=nardo`)).toEqual(ids.toReversed())
  expect(await chosen('todas=si')).toEqual([costume, ...ids.toReversed()])
})
