import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { markBounced, processBounces } from './bounces.server.ts'
import { readBounceMailbox } from './data.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

async function queued(change: string): Promise<string> {
  const id = randomUUID()
  await site.database.pool.query(
    `insert into correos (idempotency_key, message_id, kind, priority, recipient, body_text, expires_at)
     values ($1, $2, 'aceptada', 1, 'ana@ejemplo.mx', 'x', now())`,
    [id, id],
  )
  await site.database.pool.query(`update correos set ${change} where message_id = $1`, [id])
  return id
}
const mark = (messageId: string, status = '5.1.1') => markBounced(site.services.db, { messageId, status })

test('a sent message is marked as bounced once, and a second report changes nothing', async () => {
  const id = await queued('sent_at = now()')
  expect(await mark(id)).toBe(true)
  expect(await mark(id, '5.2.2')).toBe(false)
  const row = await site.services.db
    .selectFrom('correos')
    .selectAll()
    .where('message_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ rebote: '5.1.1', rebotado_at: expect.any(Date), failed_at: null })
})

test.each([
  ['one that nobody sent', async () => randomUUID()],
  ['one that still waits', () => queued('attempts = 1')],
  ['one that was refused', () => queued('failed_at = now()')],
  ['one that lies in a folder', () => queued('sent_at = now(), en_carpeta = true')],
])('a report about %s changes nothing', async (_what, id) => {
  expect(await mark(await id())).toBe(false)
})

test('an unreadable mailbox is reported, and two processes do not read it at once', async () => {
  const { settings } = site.services
  const services = { ...site.services, settings: { ...settings, bouncesUrl: 'imap://a:b@127.0.0.1:9/INBOX' } }
  expect(await readBounceMailbox(services)).toBeUndefined()
  const both = await Promise.all([processBounces(services), processBounces(services)])
  expect(both).toContain(0)
  expect(await readBounceMailbox(services)).toEqual({ readAt: null, fault: 'conexion' })
  expect(await processBounces({ ...services, settings })).toBe(0)
})
