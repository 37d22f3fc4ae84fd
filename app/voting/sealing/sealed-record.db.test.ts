import { cp, mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { hashReceipt } from '#app/voting/chain/seal-hash.server.ts'
import {
  loadElection,
  loadWinner,
  readSampleRecord,
  readUnsealedYears,
  readWinnerVersion,
} from '#app/voting/election/data.server.ts'
import { parseClosingRecord } from '#app/voting/record/schema.ts'
import { verifyRecordFile } from '#app/voting/record/verification.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, VOTE_TABLES, vote } from '#tests/support/voting/votes.ts'
import { closeVote } from './mutations.server.ts'
import { findVoteInSample, readSealedRecord } from './sealed-record.server.ts'
import { sealVotes } from './sealing.server.ts'

const RECORD_FILE = 'content/2025/acta.json'
const WINNER = 'ximena-agave-montano'

let site: TestSite
let services: Services
let now = CLOSED

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = CLOSED
  await site.database.pool.query(`truncate ${VOTE_TABLES}, ajustes, correos, profiles, candidatas cascade`)
})

test('the act that comes with the sample is whole, and its winner is the content’s', async () => {
  const { faults, cover } = await verifyRecordFile(RECORD_FILE)
  expect(faults).toEqual([])
  const [first] = cover.acta.candidatas.toSorted((a, b) => b.votos - a.votos)
  expect(first?.id).toBe(WINNER)
})

test('the sample’s act is shown from the closing on while there are no votes, and proclaims its winner', async () => {
  const election = await loadElection()
  const sealed = await readSealedRecord(services, election)
  const file = JSON.parse(await readFile(RECORD_FILE, 'utf8'))
  expect(sealed).toMatchObject({ sello: file.portada.sello, sample: { file: RECORD_FILE } })
  expect(parseClosingRecord(sealed!.contenido).papeletas).toBe(1_284)
  expect((await loadWinner(services.db))?.id).toBe(WINNER)
  expect(await findVoteInSample(sealed!.sample!, '7F2K94QXM3TR')).toBeUndefined()
  // The file has hashes of receipts alone, so one receipt is put in: its candidate takes part, and nothing is annulled.
  file.cajas[0].papeletas[0] = `${hashReceipt('7F2K94QXM3TR')} 0`
  const found = await findVoteInSample({ file: RECORD_FILE, text: JSON.stringify(file) }, '7F2K94QXM3TR')
  expect(found).toEqual({ candidateName: file.portada.nombres[0], annulmentReason: null, isWithdrawn: false })
  now = OPEN
  expect(await readSealedRecord(services, election)).toBeUndefined()
})

test('the sample’s act belongs to its candidates: with another candidate there is no winner', async () => {
  const election = await loadElection()
  const other = { ...election, candidatas: [...election.candidatas.slice(1), { id: 'otra', nombre: 'Otra' }] }
  expect(await readSealedRecord(services, other)).toBeUndefined()
  expect(await readSealedRecord(services, { ...election, edicion: 2031 })).toBeUndefined()
})

test('a sample’s act that broke off while it was copied is none, and keeps no publication from being shown', async () => {
  const root = await mkdtemp(join(tmpdir(), 'acta-'))
  await cp(RECORD_FILE, join(root, RECORD_FILE))
  const election = await loadElection()
  expect(await readSampleRecord(services.db, election, root)).toBeDefined()
  await truncate(join(root, RECORD_FILE), 1_000)
  expect(await readSampleRecord(services.db, election, root)).toBeUndefined()
  await rm(root, { recursive: true })
})

test('one vote ends the sample’s act: there is no winner until this site’s act is sealed, even if the content names one', async () => {
  const election = await loadElection()
  const voting = createVoting(services)
  await services.db.insertInto('ediciones').values({ anio: election.edicion }).execute()
  expect(await readUnsealedYears(services.db)).toEqual(new Set())
  now = OPEN
  await vote(voting, 0)
  now = CLOSED
  expect(await readUnsealedYears(services.db)).toEqual(new Set([election.edicion]))
  expect(await readSealedRecord(services, election)).toBeUndefined()
  expect(await loadWinner(services.db)).toBeUndefined()
  const before = await readWinnerVersion(services.db)
  await sealVotes(services, ELECTION)
  expect(await closeVote(services, ELECTION, ACTOR)).toMatchObject({ ok: true })
  expect(await readUnsealedYears(services.db)).toEqual(new Set())
  expect((await readSealedRecord(services, election))?.sample).toBeUndefined()
  expect((await loadWinner(services.db))?.id).toBe(WINNER)
  // The page that visitors share changes from then on.
  expect(await readWinnerVersion(services.db)).not.toBe(before)
})
