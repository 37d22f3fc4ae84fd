import { randomUUID } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readReports } from '#app/core/mail-transport/imap-reports.server.ts'
import { POSTFIX } from '#tests/support/mail/bounces.ts'
import { parseBounce } from './delivery-report.server.ts'

/** Set by scripts/rigs/imap.ts: addresses of a real server, with TLS and without, and the folder that it serves. */
const { TEST_IMAP_URL: url = '', TEST_IMAPS_URL: secure = '', TEST_IMAP_MAIL: mail = '' } = process.env

let arrivals = 0
async function arrives(text: string): Promise<void> {
  await writeFile(join(mail, 'new', `${Date.now()}.${++arrivals}.aqui`), text)
}
afterEach(async () => {
  for (const box of ['new', 'cur']) for (const name of await readdir(join(mail, box))) await rm(join(mail, box, name))
})

const PERSONAL =
  'From: ana@ejemplo.mx\nTo: avisos@azahares.example\nSubject: Hola\nContent-Type: text/plain\n\nGracias\n'

test.each([
  ['over TLS', secure],
  ['without, on this machine', url],
])('reports are read %s, once, and nothing in the mailbox is touched', async (_how, address) => {
  const begun = await readReports(address, undefined)
  const [one, other] = [randomUUID(), randomUUID()]
  await arrives(PERSONAL)
  await arrives(POSTFIX(one))
  const first = await readReports(address, begun.reading)
  expect(await Promise.all(first.reports.map(parseBounce))).toEqual([{ messageId: one, status: '5.1.1' }])
  expect((await readReports(address, first.reading)).reports).toEqual([])
  await arrives(POSTFIX(other))
  const second = await readReports(address, first.reading)
  expect(await Promise.all(second.reports.map(parseBounce))).toEqual([{ messageId: other, status: '5.1.1' }])
  const flags = (await readdir(join(mail, 'cur'))).filter((name) => /:2,.+$/.test(name))
  expect(flags).toEqual([])
})

test('a mailbox with another UIDVALIDITY is read again', async () => {
  await arrives(POSTFIX(randomUUID()))
  const { reading } = await readReports(url, undefined)
  const again = await readReports(url, { uidvalidity: reading.uidvalidity + 1, uid: reading.uid + 1_000 })
  expect([again.reading, again.reports.length]).toEqual([reading, 1])
})

test('many reports come in several turns, and a huge report is cut off', async () => {
  const { reading } = await readReports(url, undefined)
  const ids = Array.from({ length: 60 }, () => randomUUID())
  for (const id of ids) await arrives(id === ids[0] ? POSTFIX(id) + 'x'.repeat(2_000_000) : POSTFIX(id))
  const first = await readReports(url, reading)
  expect([first.reports.length, first.hasMore]).toEqual([50, true])
  const second = await readReports(url, first.reading)
  expect([second.reports.length, second.hasMore]).toEqual([10, false])
  const all = await Promise.all([...first.reports, ...second.reports].map(parseBounce))
  expect(all.map((bounce) => bounce?.messageId).sort()).toEqual(ids.toSorted())
  expect(Math.max(...first.reports.map((raw) => raw.length))).toBe(256 * 1024)
})

test.each([
  ['a wrong password', () => url.replace(/:[^:@]+@/, ':otra@'), 'entrada'],
  ['a folder that is not there', () => url.replace(/INBOX$/, 'Rebotes'), 'carpeta'],
  ['nobody there', () => 'imap://a:b@127.0.0.1:9/INBOX', 'conexion'],
  ['plain words where TLS is spoken', () => secure.replace('imaps:', 'imap:'), 'conexion'],
])('%s: it says so', async (_what, address, code) => {
  await expect(readReports(address(), undefined)).rejects.toMatchObject({ name: 'MailboxError', code })
})

test('a server whose certificate is not trusted is not read', async () => {
  const address = secure.replace('127.0.0.1', '127.0.0.2')
  await expect(readReports(address, undefined)).rejects.toMatchObject({ code: 'conexion' })
})
