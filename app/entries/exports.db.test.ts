import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { requestDocument } from '#app/entries/states/mutations.server.ts'
import { candidateFiles, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { readEntry } from './data.server.ts'
import { exportCsv, exportXlsx } from './exports.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('a workbook has a sheet for each form with each column once, the missing documents and who decided', async () => {
  const actor = { quien: null, desde: 'prueba' }
  await createAccount(site.services.db, { email: 'decide@comite.example', role: 'admin' }, actor)
  const { id: quien } = await site.services.db
    .selectFrom('profiles')
    .select('id')
    .where('email', '=', 'decide@comite.example')
    .executeTakeFirstOrThrow()
  const id = await seedEntry(site.services, { edicion: 2020, titular: 'Ana Nardo', files: candidateFiles() })
  await seedEntry(site.services, { edicion: 2020, tipo: 'traje', titular: 'Iris Lirio' })
  const request = await requestDocument(
    site.services.db,
    { id, version: 1 },
    {
      documentId: (await readEntry(site.services.db, id))!.documents[0]!.id,
      note: 'No se lee',
      notify: async () => {},
    },
    { quien, desde: 'prueba' },
  )
  expect(request).toMatchObject({ ok: true })
  const csv = (await buffer(exportCsv(site.services, { edition: 2020 }))).toString().slice(1)
  const titles = csv.split('\r\n')[0]!.split(',')
  expect(titles).toEqual([...new Set(titles)])
  const xlsx = (await buffer(exportXlsx(site.services, { edition: 2020 }))).toString()
  const [candidates, costumes] = xlsx.split('<worksheet').slice(1)
  const headingOf = (sheet: string) =>
    [...sheet.slice(0, sheet.indexOf('</row>')).matchAll(/preserve">([^<]*)</g)].map(([, title]) => title)
  for (const sheet of [candidates!, costumes!]) expect(headingOf(sheet)).toEqual([...new Set(headingOf(sheet))])
  expect(headingOf(candidates!)).not.toContain('Traje')
  expect(headingOf(costumes!)).toContain('Traje')
  expect(headingOf(costumes!)).not.toContain('Edad')
  expect(candidates).toContain('Ana Nardo')
  expect(candidates).not.toContain('Iris Lirio')
  expect(candidates).toContain('decide@comite.example')
  expect(candidates).toMatch(/>Acta de nacimiento|>Credencial|>Comprobante|>Foto|>CURP/)
})
