import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createVoting, type Voting } from '#app/voting/ballot/mutations.server.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, castVotes, ELECTION, OPEN } from '#tests/support/voting/votes.ts'
import { createTally, type Tally } from './create-tally.server.ts'
import { closeVote } from './mutations.server.ts'
import { recount } from './recount.server.ts'

let site: TestSite
let services: Services
let voting: Voting
let tally: Tally
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
  voting = createVoting(services)
})
afterAll(() => site.close())
beforeEach(async () => {
  now = OPEN
  tally = createTally(services)
  await sql('truncate banda_digital_votes, lotes, votos_por_hora, votos_por_origen, actas, recuentos, cajas')
})

const sql = async (text: string) => (await site.database.pool.query(text)).rows
const ask = (from: Tally, init?: RequestInit) =>
  from.recordFiles.answer(2025, new Request('https://feria.example/misspopularidad/acta.json', init))
const close = async () => {
  await castVotes(voting, 150, 40, 260)
  now = CLOSED
  const done = await closeVote(services, ELECTION, ACTOR)
  if (!done.ok) throw new Error(done.reason)
  await tally.recordFiles.publish(done.record)
  const { sello } = done.record
  return { sello, path: `2025/${sello}.json` }
}
async function objects() {
  const paths: string[] = []
  for await (const path of services.storage.list('actas', '2025/')) paths.push(path)
  return paths
}
let others = 0
/** The same site in another process, with a separate data folder. */
const another = async (): Promise<Tally & { dataDir: string }> => {
  const dataDir = join(site.dataDir, `otro-${++others}`)
  const storage = await openFolderStorage(site.dataDir)
  return { ...createTally({ ...services, settings: { ...services.settings, dataDir }, storage }), dataDir }
}
async function* linesOf(text: string) {
  yield* text.split('\n')
}

test('the act’s file is written at the sealing, and no later change of the database alters it', async () => {
  expect(await ask(tally)).toBeUndefined()
  const { sello, path } = await close()
  expect(await objects()).toContain(path)
  const first = (await ask(tally))!
  const text = await first.text()
  expect([first.status, first.headers.get('etag')]).toEqual([200, `"${sello}"`])
  expect(first.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect((await verifyRecord(linesOf(text))).faults).toEqual([])
  await sql(`update banda_digital_votes set candidata = 'Paola Colorín Vega'`)
  await sql('truncate lotes')
  for (const from of [tally, await another()]) expect(await (await ask(from))!.text()).toBe(text)
  const head = (await ask(tally, { method: 'HEAD' }))!
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
    200,
    first.headers.get('content-length'),
    '',
  ])
  for (const tag of [`"${sello}"`, `"otro", W/"${sello}"`]) {
    const again = (await ask(tally, { headers: { 'if-none-match': tag } }))!
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
  const part = (await ask(tally, { headers: { range: 'bytes=10-19', 'if-range': `"${sello}"` } }))!
  expect([part.status, await part.text()]).toEqual([206, text.slice(10, 20)])
})

test('a file that a crash kept from being written is made at the next request, by one process, from sealed votes alone', async () => {
  const { path } = await close()
  const text = await (await ask(tally))!.text()
  await services.storage.remove('actas', path)
  const processes = [await another(), await another(), await another()]
  const answers = await Promise.all([...processes, ...processes].map((from) => ask(from)))
  for (const answer of answers)
    if (answer!.status === 200) expect(await answer!.text()).toBe(text)
    else expect(answer!.status).toBe(503)
  expect(answers.map((answer) => answer!.status)).toContain(200)
  expect(await objects()).toContain(path)

  // Every process has a copy of the file, and fetches a lost copy again.
  await rm(join(processes[0]!.dataDir, 'actas', path), { force: true })
  expect([200, 503]).toContain((await ask(processes[0]!))!.status)
  expect(await (await ask(processes[0]!))!.text()).toBe(text)

  await services.storage.remove('actas', path)
  await sql(`update banda_digital_votes set candidata = 'Paola Colorín Vega' where lote = 1`)
  const late = await another()
  for (const _ of [1, 2]) {
    const refused = (await ask(late))!
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('ya no son los que el acta')])
  }
  expect(await objects()).not.toContain(path)
})

test.each([
  ['a changed vote', `update banda_digital_votes set candidata = 'Paola Colorín Vega' where lote = 1`],
  ['a missing last block', 'delete from cajas where numero = (select max(numero) from cajas)'],
])('a file that is refused for %s leaves nothing behind', async (_name, change) => {
  const { path } = await close()
  const folder = join(site.dataDir, 'actas/2025')
  const left = async () => (await readdir(folder)).filter((name) => name.startsWith(path.slice(5)))
  expect(await left()).toEqual([path.slice(5)])
  await services.storage.remove('actas', path)
  await rm(join(folder, path.slice(5)))
  await sql(change)
  tally = createTally(services)
  expect(await (await ask(tally))!.text()).toContain('ya no son los que el acta')
  expect(await left()).toEqual([])
})

test('a vote from the end of time is one that was changed, and stops no count', async () => {
  await close()
  await sql(
    `update banda_digital_votes set created_at = 'infinity' where id in (select id from banda_digital_votes limit 1)`,
  )
  expect((await recount(services, ELECTION)).faults).toContainEqual(
    expect.stringMatching(/^1 voto fue cambiado después de emitirse/),
  )
})

test('an act that was changed by hand is not published, even where it cannot be read', async () => {
  const { path } = await close()
  await services.storage.remove('actas', path)
  for (const changed of [`replace(contenido, '2025', '2026')`, `'{}'`]) {
    await sql(`update actas set contenido = ${changed} where clase = 'cierre'`)
    const refused = (await ask(await another()))!
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('ya no son los que el acta')])
  }
  expect(await objects()).not.toContain(path)
})
