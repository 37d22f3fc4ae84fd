import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eraseDueVoters, eraseVoters } from '#app/accounts/people/voter-erasure.server.ts'
import { announceErasures, listPlannedErasures } from '#app/accounts/people/voter-erasure-schedule.server.ts'
import { listAuditLog } from '#app/audit/data.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, VOTE_TABLES, vote, voter } from '#tests/support/voting/votes.ts'
import { createTally } from './create-tally.server.ts'
import { closeVote } from './mutations.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await sql(`truncate ${VOTE_TABLES}, profiles, olvidos_anunciados cascade`)
})

type Voter = ReturnType<typeof voter>

/** The final of the sample edition is on 27 September; personal data is kept for 90 days after it. */
const LAST_DAY = new Date('2025-12-26T12:00:00-06:00')
const OVER = new Date('2025-12-27T12:00:00-06:00')
const A_YEAR_ON = new Date('2026-12-27T12:00:00-06:00')

const sql = async (text: string, values: unknown[] = []) => (await site.database.pool.query(text, values)).rows
const accounts = async () => (await sql('select email from profiles order by email')).map(({ email }) => email)

test('an account whose vote is not sealed yet stays, however long its time is over', async () => {
  const services: Services = { ...site.services, clock: { now: () => OPEN } }
  const then: Services = { ...services, clock: { now: () => OVER } }
  const ana = voter('ana@correo.mx')
  await sql(`insert into profiles (id, name, email, created_at) values ($1, '', $2, $3)`, [ana.userId, ana.email, OPEN])
  expect(await vote(createVoting(services), 1, ana)).toMatchObject({ ok: true })
  await announceErasures(then, new Date(OVER.getTime() - 72 * 3_600_000))
  await sql('update olvidos_anunciados set corrido_ms = corrido_ms - $1', [72 * 3_600_000])
  expect(await eraseVoters(then, OVER)).toBe(0)
  await sealVotes(services, ELECTION)
  expect(await eraseVoters(then, OVER)).toBe(1)
})

test('voters’ accounts go on the day that the notice says, and the count is as certain as before', async () => {
  let now = OPEN
  const services: Services = { ...site.services, clock: { now: () => now } }
  const at = async (moment: Date) => {
    const then = { ...services, clock: { now: () => moment } }
    await announceErasures(then, new Date(moment.getTime() - 72 * 3_600_000))
    return eraseVoters(then, moment)
  }
  const account = (id: string, email: string, role: string | null, made = OPEN) =>
    sql('insert into profiles (id, name, email, role, created_at) values ($1, $2, $2, $3, $4)', [id, email, role, made])
  const [ana, eva, organiza] = ['ana', 'eva', 'organiza'].map((name, at) => ({
    ...voter(`${name}@correo.mx`),
    userId: `cuenta-${at}`,
  })) as [Voter, Voter, Voter]
  await account(ana.userId, ana.email, null)
  await account(eva.userId, eva.email, null)
  await account(organiza.userId, organiza.email, 'admin')
  await account('mirona', 'mirona@correo.mx', null)
  await account('reciente', 'reciente@correo.mx', null, new Date('2025-12-24T12:00:00-06:00'))
  await sql(
    `insert into sessions (id, token, user_id, expires_at, vence_at) values ('s', 't', $1, now() + '1 day', now() + '1 day')`,
    [ana.userId],
  )
  const voting = createVoting(services)
  for (const who of [ana, eva, organiza]) expect(await vote(voting, 1, who)).toMatchObject({ ok: true })
  await writeAuditLog(site.services.db, { quien: ana.userId, desde: 'huella-de-una-red' }, { que: 'acceso.codigo' })
  await writeAuditLog(site.services.db, { quien: ana.userId, desde: 'huella-de-una-red' }, { que: 'salida' })
  now = CLOSED
  const done = await closeVote(services, ELECTION, ACTOR)
  if (!done.ok) throw new Error(done.reason)

  const tally = createTally(services)
  await tally.recordFiles.publish(done.record)
  const before = await recount(services, ELECTION)

  expect(await at(CLOSED)).toBe(0)
  // Accounts without a vote go the same number of days after their creation.
  expect(await at(LAST_DAY)).toBe(1)
  expect(await accounts()).toEqual(['ana@correo.mx', 'eva@correo.mx', 'organiza@correo.mx', 'reciente@correo.mx'])
  // A trial run's clock alone deletes nothing.
  expect(await eraseVoters({ ...services, clock: { now: () => OVER } }, LAST_DAY)).toBe(0)
  expect(await eraseVoters({ ...services, clock: { now: () => A_YEAR_ON } }, LAST_DAY)).toBe(0)
  // A machine a year ahead of the database's clock record, or one that has just started, erases no account.
  const hour = 3_600_000
  expect(
    await eraseDueVoters({ ...services, clock: { now: () => OVER } }, new Date(Date.now() + 365 * 24 * hour), hour),
  ).toBe(0)
  await sql('update reloj_visto set visto_at = $1', [OVER])
  expect(await eraseDueVoters({ ...services, clock: { now: () => OVER } }, OVER, hour - 1)).toBe(0)
  expect(await listPlannedErasures(site.services.db)).toMatchObject([
    { edition: 2025, accountCount: 2, heldAt: undefined },
  ])
  // An erasure does not happen right after its announcement, nor while an organiser holds it.
  expect(await eraseDueVoters({ ...services, clock: { now: () => OVER } }, OVER, hour)).toBe(0)
  await sql('update olvidos_anunciados set anunciado_at = $1', [new Date(OVER.getTime() - 72 * hour)])
  // The notice has passed by the clock, but the site has not run for as long.
  expect(await at(OVER)).toBe(0)
  await sql('update olvidos_anunciados set corrido_ms = corrido_ms - $1', [72 * hour])
  await sql('insert into plazos_detenidos (edicion) values (2025)')
  expect(await at(OVER)).toBe(0)
  await sql('delete from plazos_detenidos')
  expect(await at(OVER)).toBe(2)
  expect(await accounts()).toEqual(['organiza@correo.mx', 'reciente@correo.mx'])
  expect(await sql('select id from sessions')).toEqual([])
  // No row of the database contains the erased addresses.
  expect(JSON.stringify(await everything())).not.toMatch(/ana@|eva@/)

  expect((await recount(services, ELECTION)).faults).toEqual(before.faults)
  expect(before.faults).toEqual([])
  const answer = await tally.recordFiles.answer(2025, new Request('https://feria.example/misspopularidad/acta.json'))
  const lines = (await answer!.text()).split('\n')
  const verified = await verifyRecord(
    (async function* () {
      yield* lines
    })(),
  )
  expect(verified.faults).toEqual([])

  const { lines: logLines } = await listAuditLog(site.services.db, { que: undefined })
  const hers = logLines.filter(({ que }) => que === 'acceso.codigo' || que === 'salida')
  expect(hers.map(({ quien, desde }) => [quien, desde])).toEqual([
    ['Votante', null],
    ['Votante', null],
  ])
})

/** Every row of every table, as text. */
async function everything() {
  const tables = await sql(`select tablename from pg_tables where schemaname = 'public'`)
  const rows = []
  for (const { tablename } of tables) rows.push(await sql(`select t::text from "${tablename}" t`))
  return rows
}
