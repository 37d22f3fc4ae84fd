import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { ensureOpeningRecord } from '#app/voting/sealing/opening-record.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ELECTION, OPEN, VOTE_TABLES } from '#tests/support/voting/votes.ts'
import { publishAtStart } from './content-folder.ts'

let site: TestSite
let services: Services

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => OPEN } }
})
afterAll(() => site.close())
beforeEach(() => site.database.pool.query(`truncate ${VOTE_TABLES}, candidatas, publicaciones, ediciones cascade`))

/** Starts with a content/ that has these dates. @returns what the start says, and the dates that are shown then */
async function start(fechas: { aperturaVotacion?: string; cierreVotacion: string }) {
  const said: string[] = []
  const folder = {
    ok: true,
    edition: 2025,
    values: { 'edicion.yaml': { fechas } },
    documents: { 'candidatas.yaml': { candidatas: ELECTION.candidatas } },
    files: {},
    fingerprint: JSON.stringify(fechas),
    manifest: { photos: {}, files: { 'a.txt': { sha256: 'a'.repeat(64), bytes: 1 } } },
  } as unknown as Parameters<typeof publishAtStart>[1]
  await publishAtStart(services, folder, (line) => said.push(line))
  const shown = (await readCurrentPublication(services.db))!.valores['edicion.yaml']
  return { said: said.join('\n'), shown: (shown as { fechas: object }).fechas }
}

test('a start moves opening and closing until the vote has begun, and then shows the last publication and says why', async () => {
  const first = { aperturaVotacion: '2025-09-15T10:00:00-06:00', cierreVotacion: ELECTION.cierre }
  const second = { ...first, aperturaVotacion: '2025-09-16T10:00:00-06:00' }
  expect(await start(first)).toEqual({ said: '', shown: first })
  expect(await start(second)).toEqual({ said: '', shown: second })
  await ensureOpeningRecord(services, ELECTION, OPEN, null)
  expect(await start(first)).toEqual({
    said: expect.stringContaining('regresa «Abre la votación» al martes 16 de septiembre, 10:00'),
    shown: second,
  })
  expect(await start({ ...second, cierreVotacion: '2025-09-27T20:00:00-06:00' })).toEqual({
    said: expect.stringContaining('mueve su cierre'),
    shown: second,
  })
})
