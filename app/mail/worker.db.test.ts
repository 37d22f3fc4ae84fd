import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { openOutbox } from '#app/core/mail-transport/outbox-folder.server.ts'
import { openSmtp } from '#app/core/mail-transport/smtp.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { KEYED, SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { createReadableLog, FAST_RETRIES, FROM, queueMails, waitForMailQueue } from '#tests/support/mail/queued-mail.ts'
import { listenSmtp, type SmtpBehavior, type SmtpListener } from '#tests/support/mail/smtp-listener.ts'
import { emptyTables, freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { claimMails, recordFailed, recordSent, wipeMails } from './queue.server.ts'
import { type MailWorker, startMailWorker } from './worker.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

vi.setConfig({ testTimeout: 90_000 })
const SOON = { timeout: 30_000, interval: 20 }
const open: (() => unknown)[] = []
beforeEach(() => emptyTables(database.pool, 'correos'))
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function listening(manners: SmtpBehavior = {}): Promise<SmtpListener> {
  const smtp = await listenSmtp(manners)
  open.push(() => smtp.close())
  return smtp
}
function carrying(url: string, change: Parameters<typeof startMailWorker>[2] = {}, db = database.db) {
  const { log, lines } = createReadableLog()
  const mailWorker: MailWorker = startMailWorker({ db, log, keyed: KEYED }, openSmtp(url, FROM), {
    ...FAST_RETRIES,
    ...change,
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= mailWorker.stop()
    return stopped
  }
  open.push(stop)
  return { stop, lines }
}
const rows = () => database.db.selectFrom('correos').selectAll().orderBy('id').execute()
const addressees = (smtp: SmtpListener) => smtp.accepted.flatMap(({ to }) => to).sort()

describe('one message', () => {
  test('that is refused for now comes again, and arrives once', async () => {
    const smtp = await listening({ onRecipient: (_address, nth) => (nth < 3 ? 451 : 250) })
    await queueMails(database.db, 1)
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(smtp.accepted).toHaveLength(1)
    expect(await rows()).toMatchObject([{ attempts: 3, last_error: null, failed_at: null }])
  })

  test('that is refused for good is given up, with a log line without its address', async () => {
    const smtp = await listening({ onRecipient: (address) => (address.startsWith('a1') ? 550 : 250) })
    await queueMails(database.db, 3)
    const { lines } = carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(addressees(smtp)).toEqual(['a0@ejemplo.mx', 'a2@ejemplo.mx'])
    const failed = (await rows()).filter(({ failed_at }) => failed_at)
    expect(failed).toMatchObject([
      { recipient: 'a1@ejemplo.mx', attempts: 1, last_error: '550 RCPT TO', sent_at: null },
    ])
    await vi.waitFor(() => expect(lines.join('')).toContain(`"correo":${failed[0]!.id}`), SOON)
    expect(lines.join('')).not.toMatch(/@|ejemplo/)
  })

  test('that is cut off in the middle goes again under the same name', async () => {
    const smtp = await listening({ onData: (_to, nth) => (nth < 3 ? 'hangUp' : undefined) })
    await queueMails(database.db, 1)
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    const [row] = await rows()
    expect(smtp.accepted.map(({ messageId }) => messageId)).toEqual([`${row!.message_id}@azahares.example`])
    expect(row!.attempts).toBe(3)
  })

  test('whose acceptance was lost goes again, under the same Message-ID', async () => {
    const smtp = await listening({ onData: (_to, nth) => (nth === 1 ? 'hangUpAfter' : undefined) })
    await queueMails(database.db, 1)
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(smtp.accepted).toHaveLength(2)
    expect(new Set(smtp.accepted.map(({ messageId }) => messageId)).size).toBe(1)
  })

  test('that is too old is not sent', async () => {
    const smtp = await listening()
    await queueMails(database.db, 1, { isExpired: true })
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(smtp.recipients).toEqual([])
    expect(await rows()).toMatchObject([{ last_error: 'expired', sent_at: null }])
  })

  test('that would be too old at its next attempt is given up at once', async () => {
    const smtp = await listening({ onRecipient: () => 451 })
    await queueMails(database.db, 1)
    carrying(smtp.url, { mailBackoffMsAfter: () => 2 * 60 * 60_000 })
    await waitForMailQueue(database.db)
    expect(await rows()).toMatchObject([{ last_error: '451 RCPT TO', attempts: 1, sent_at: null }])
  })
})

describe('many messages', () => {
  test('two processes on one queue send each once', async () => {
    const smtp = await listening()
    const to = await queueMails(database.db, 400)
    carrying(smtp.url)
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(addressees(smtp)).toEqual([...to].sort())
    expect((await rows()).every(({ attempts }) => attempts === 1)).toBe(true)
  })

  test('urgent messages go first', async () => {
    const smtp = await listening()
    await queueMails(database.db, 60)
    await queueMails(database.db, 2, { isUrgent: true })
    carrying(`${smtp.url}?maxConnections=1`)
    await waitForMailQueue(database.db)
    expect(smtp.accepted.slice(0, 2).flatMap(({ to }) => to)).toEqual(['a0.urge@ejemplo.mx', 'a1.urge@ejemplo.mx'])
  })

  test('an unreachable mail server costs a few messages an attempt, and no message its delivery', async () => {
    const first = await listenSmtp()
    await first.close()
    const to = await queueMails(database.db, 100)
    const { lines } = carrying(first.url, { serverBackoffMsAfter: () => 1_000 })
    await vi.waitFor(() => expect(lines.join('')).toContain('does not take mail'), SOON)
    const smtp = await listening({ port: first.port })
    await waitForMailQueue(database.db)
    expect(addressees(smtp)).toEqual([...to].sort())
    expect(lines.join('')).toContain('answers again')
    // Few of the hundred messages were under way when the server failed: five at a time, at each of a few attempts.
    expect((await rows()).filter(({ attempts }) => attempts === 1).length).toBeGreaterThan(50)
  })

  test('a stop finishes the messages under way, and gives back the rest at once', async () => {
    const smtp = await listening({ delayMs: 100 })
    const to = await queueMails(database.db, 80)
    const { stop } = carrying(smtp.url, { drainMs: 30_000 })
    await vi.waitFor(() => expect(smtp.accepted.length).toBeGreaterThan(5), SOON)
    await stop()
    const stopped = await rows()
    expect(stopped.filter(({ sent_at }) => sent_at)).toHaveLength(smtp.accepted.length)
    const open = stopped.filter(({ sent_at }) => !sent_at)
    expect(open.length).toBeGreaterThan(0)
    expect(open.every(({ attempts }) => attempts === 0)).toBe(true)
    carrying(smtp.url)
    await waitForMailQueue(database.db)
    expect(addressees(smtp)).toEqual([...to].sort())
  })

  test('a stop waits for no server that keeps silent', async () => {
    const smtp = await listening({ delayMs: 60_000 })
    await queueMails(database.db, 1)
    const { stop } = carrying(smtp.url, { drainMs: 100 })
    await vi.waitFor(() => expect(smtp.recipients).toHaveLength(1), SOON)
    await stop()
    expect(await rows()).toMatchObject([{ sent_at: null, failed_at: null, last_error: 'too slow' }])
  })

  test('a killed process loses no message, and repeats only the few that it had not recorded', async () => {
    const smtp = await listening({ delayMs: 10 })
    const to = await queueMails(database.db, 300)
    const { host, port, user, database: name } = database.pool.options
    const connection = JSON.stringify({ host, port, user, database: name })
    const args = [
      '--disable-warning=ExperimentalWarning',
      'tests/support/mail/mail-worker.process.ts',
      connection,
      smtp.url,
      '2000',
    ]
    const child = spawn(process.execPath, args, { stdio: 'inherit' })
    const exit = once(child, 'exit')
    await vi.waitFor(() => expect(smtp.accepted.length).toBeGreaterThan(60), SOON)
    child.kill('SIGKILL')
    await exit
    const before = smtp.accepted.length
    expect(before).toBeLessThan(300)
    carrying(smtp.url, { leaseMs: 2_000 })
    await waitForMailQueue(database.db)
    expect([...new Set(addressees(smtp))]).toEqual([...to].sort())
    const repeated = smtp.accepted.length - to.length
    expect(repeated).toBeLessThanOrEqual(20)
    expect(new Set(smtp.accepted.map(({ messageId }) => messageId)).size).toBe(to.length)
  })
})

test('while the database restarts, each message goes once, and none is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'correo-db-'))
  let server = await startPostgres(join(folder, 'postgres'), () => {})
  const pool = openPool(server.connection)
  pool.on('error', () => {})
  try {
    await migrate(pool, 'db/migrations')
    const db = openDatabase(pool)
    const smtp = await listening({ delayMs: 20 })
    const to = await queueMails(db, 200)
    const { lines, stop } = carrying(smtp.url, {}, db)
    await vi.waitFor(() => expect(smtp.accepted.length).toBeGreaterThan(30), SOON)
    await server.stop()
    await vi.waitFor(() => expect(lines.join('')).toContain('does not answer'), SOON)
    server = await startPostgres(join(folder, 'postgres'), () => {})
    await waitForMailQueue(db)
    expect(addressees(smtp)).toEqual([...to].sort())
    await stop()
  } finally {
    await pool.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the queue', () => {
  test('urgent messages come back sooner from a process that vanished', async () => {
    const { db } = database
    await queueMails(db, 1)
    await queueMails(db, 1, { isUrgent: true })
    expect(await claimMails(db, SENDER.key, 10, 60_000, 0)).toHaveLength(2)
    expect(await claimMails(db, SENDER.key, 10, 60_000, 0)).toMatchObject([{ to: 'a0.urge@ejemplo.mx' }])
  })

  test('a message that another process has taken since is settled by a late acceptance, but not by a late refusal', async () => {
    const { db } = database
    await queueMails(db, 1)
    const [late] = await claimMails(db, SENDER.key, 10, 0)
    const [current] = await claimMails(db, SENDER.key, 10, 60_000)
    expect(current).toMatchObject({ id: late!.id, attempts: 2 })
    const refusal = { mail: late!, code: '550 RCPT TO', isFinal: true, waitMs: 0 }
    expect(await recordFailed(db, [refusal])).toEqual(new Set())
    expect(await rows()).toMatchObject([{ failed_at: null, last_error: null }])
    await recordSent(db, [late!], false)
    expect((await rows())[0]!.sent_at).toBeInstanceOf(Date)
    expect(await claimMails(db, SENDER.key, 10, 0)).toEqual([])
  })

  test('words are wiped a day after they went out, not before, and not while they wait', async () => {
    const { db } = database
    await queueMails(db, 4)
    const [old, fresh, refused] = await rows()
    await sql`update correos set sent_at = now() - interval '25 hours' where id = ${old!.id}`.execute(db)
    await sql`update correos set sent_at = now() - interval '23 hours' where id = ${fresh!.id}`.execute(db)
    await sql`update correos set failed_at = now() - interval '25 hours' where id = ${refused!.id}`.execute(db)
    expect(await wipeMails(db)).toBe(2)
    expect((await rows()).map(({ cifrado }) => cifrado !== null)).toEqual([false, true, false, true])
  })

  test('of passing messages not even the row stays', async () => {
    const { db } = database
    await queueMails(db, 6)
    await sql`update correos set pasajero = true where recipient ~ '^a[0-3]@'`.execute(db)
    await sql`update correos set sent_at = now() - interval '25 hours' where recipient not like all(array['a1@%', 'a2@%'])`.execute(
      db,
    )
    await sql`update correos set failed_at = now() - interval '23 hours' where recipient like 'a1@%'`.execute(db)
    expect(await wipeMails(db)).toBe(4)
    expect((await rows()).map(({ recipient, cifrado }) => [recipient, cifrado !== null])).toEqual([
      ['a1@ejemplo.mx', true],
      ['a2@ejemplo.mx', true],
      ['a4@ejemplo.mx', false],
      ['a5@ejemplo.mx', false],
    ])
  })
})

test('a message encrypted with another key waits', async () => {
  const smtp = await listening()
  const { db } = database
  await queueMails(db, 1)
  await sql`update correos set idempotency_key = 'otra' where recipient = 'a0@ejemplo.mx'`.execute(db)
  await queueMails(db, 2)
  carrying(smtp.url)
  await expect.poll(async () => (await rows()).filter(({ sent_at }) => sent_at !== null).length, SOON).toBe(2)
  const [waiting] = (await rows()).filter(({ idempotency_key }) => idempotency_key === 'otra')
  expect(waiting).toMatchObject({ sent_at: null, failed_at: null, last_error: 'unreadable' })
})

test('without a mail server each message is one whole file, whose name begins with its time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'))
  await mkdir(join(folder, 'outbox'))
  const seen = new Set<string | null>()
  const watcher = watch(join(folder, 'outbox'), (_event, name) => seen.add(name))
  try {
    await queueMails(database.db, 3)
    const { log } = createReadableLog()
    const mailWorker = startMailWorker(
      { db: database.db, log, keyed: KEYED },
      openOutbox(join(folder, 'outbox'), FROM),
      FAST_RETRIES,
    )
    await waitForMailQueue(database.db)
    await mailWorker.stop()
    const [row] = await rows()
    const names = await readdir(join(folder, 'outbox'))
    expect(names).toHaveLength(3)
    await expect.poll(() => [...seen].sort()).toEqual(names.sort())
    const name = names.find((one) => one.includes(row!.message_id))!
    expect(name).toMatch(/^\d{8}T\d{6}\.\d{3}Z-clave-[0-9a-f-]{36}\.eml$/)
    const eml = await readFile(join(folder, 'outbox', name), 'utf8')
    expect(eml).toContain('To: a0@ejemplo.mx')
    expect(eml).toContain(`Message-ID: <${row!.message_id}@azahares.example>`)
  } finally {
    watcher.close()
    await rm(folder, { recursive: true, force: true })
  }
})
