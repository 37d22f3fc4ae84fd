import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { listenSmtp, type SmtpBehavior, type SmtpListener } from '#tests/support/mail/smtp-listener.ts'
import type { Mailer, MailMessage } from './mailer.server.ts'
import { openSmtp } from './smtp.server.ts'

const FROM = { name: 'Señorita Azahares', address: 'avisos@azahares.example' }
const message = (to = 'ana@ejemplo.mx', change: Partial<MailMessage> = {}): MailMessage => ({
  messageId: randomUUID(),
  kind: 'codigo',
  to,
  subject: '482 913 es tu código',
  text: 'Tu código: 482 913',
  html: '<p>Tu código: 482 913</p>',
  date: new Date('2026-01-02T03:04:05Z'),
  ...change,
})
const never = new AbortController().signal

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
async function listening(manners: SmtpBehavior = {}): Promise<SmtpListener> {
  const smtp = await listenSmtp(manners)
  open.push(() => smtp.close())
  return smtp
}
function mailer(url: string): Mailer {
  const opened = openSmtp(url, FROM)
  open.push(() => opened.close())
  return opened
}

test('a message arrives whole: sender, recipient, content, date and message id', async () => {
  const smtp = await listening()
  const sent = message()
  expect(await mailer(smtp.url).send(sent, never)).toEqual({ ok: true })
  const [{ to, from, raw, messageId }] = smtp.accepted as [(typeof smtp.accepted)[0]]
  expect({ to, from, messageId }).toEqual({
    to: ['ana@ejemplo.mx'],
    from: 'avisos@azahares.example',
    messageId: `${sent.messageId}@azahares.example`,
  })
  expect(raw).toContain('Date: Fri, 02 Jan 2026 03:04:05 +0000')
  expect(raw).toContain('Auto-Submitted: auto-generated')
  expect(raw).toMatch(/^From: =\?UTF-8\?Q\?Se=C3=B1orita_Azahares\?= <avisos@azahares\.example>/m)
})

test.each([
  ['a recipient that does not exist', { onRecipient: () => 550 }, { reason: 'refused', code: '550 RCPT TO' }],
  ['greylisting', { onRecipient: () => 451 }, { reason: 'later', code: '451 RCPT TO' }],
  ['a full mailbox', { onData: () => 452 }, { reason: 'later', code: '452 DATA' }],
  ['a message taken for spam', { onData: () => 554 }, { reason: 'refused', code: '554 DATA' }],
  ['a server that goes away for a while', { onRecipient: () => 421 }, { reason: 'unreachable', code: '421 CONN' }],
  ['hanging up in the middle of the message', { onData: () => 'hangUp' }, { reason: 'unreachable' }],
  ['hanging up instead of an answer', { onData: () => 'hangUpAfter' }, { reason: 'unreachable' }],
  [
    'a greeting that turns every client away',
    { server: { onConnect: (_session, callback) => callback(Object.assign(new Error('no'), { responseCode: 554 })) } },
    { reason: 'unreachable' },
  ],
  [
    'a sender that the server does not know: no reason to throw mail away',
    {
      server: {
        onMailFrom: (_from, _session, callback) => callback(Object.assign(new Error('no'), { responseCode: 550 })),
      },
    },
    { reason: 'unreachable', code: '550 MAIL FROM' },
  ],
] satisfies [string, SmtpBehavior, object][])('%s', async (_name, manners, outcome) => {
  const smtp = await listening(manners)
  expect(await mailer(smtp.url).send(message(), never)).toMatchObject({ ok: false, ...outcome })
})

test('a refused recipient does not cost the next one its connection', async () => {
  const smtp = await listening({ onRecipient: (address) => (address.startsWith('nadie') ? 550 : 250) })
  const one = mailer(`${smtp.url}?maxConnections=1`)
  expect(one.maxConcurrent).toBe(1)
  const outcomes = await Promise.all(['a', 'nadie', 'b'].map((name) => one.send(message(`${name}@ejemplo.mx`), never)))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
})

test('where no mail server listens, a message is unreachable', async () => {
  const smtp = await listenSmtp()
  await smtp.close()
  expect(await mailer(smtp.url).send(message(), never)).toMatchObject({ ok: false, reason: 'unreachable' })
})

test('a connection that breaks in the middle of a message is not tried again behind the queue’s back', async () => {
  const smtp = await listening({ onData: () => 'hangUpAfter' })
  const one = mailer(smtp.url)
  expect(await one.send(message(), never)).toMatchObject({ ok: false })
  expect(smtp.accepted).toHaveLength(1)
})

test('a server that takes too long is cut off', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  open.push(() => silent.close())
  const control = new AbortController()
  const sending = mailer(`smtp://127.0.0.1:${port}`).send(message(), control.signal)
  await once(silent, 'connection')
  control.abort()
  expect(await sending).toEqual({ ok: false, reason: 'later', code: 'too slow' })
})

test('the mailer signs in with a password, over TLS; a wrong password throws no message away', async () => {
  const smtp = await listening({
    server: {
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, callback) =>
        callback(password === 'secreta' ? null : new Error('no'), { user: username }),
    },
  })
  const url = (password: string) =>
    `smtp://sitio:${password}@127.0.0.1:${smtp.port}?requireTLS=true&tls.rejectUnauthorized=false`
  expect(await mailer(url('secreta')).send(message(), never)).toEqual({ ok: true })
  expect(await mailer(url('otra')).send(message(), never)).toMatchObject({
    reason: 'unreachable',
    code: '535 AUTH PLAIN',
  })
  // The listener's certificate is not trusted, so it is refused unless the address says to accept it.
  const strict = mailer(`smtp://sitio:secreta@127.0.0.1:${smtp.port}`)
  expect(await strict.send(message(), never)).toMatchObject({ reason: 'unreachable' })
})

test('no message goes to another machine unencrypted', async () => {
  // Another loopback address stands in for another machine.
  const smtp = await listening({ host: '127.0.0.2' })
  expect(await mailer(smtp.url).send(message(), never)).toMatchObject({ reason: 'unreachable', code: '500 STARTTLS' })
  expect(smtp.recipients).toEqual([])
  expect(await mailer(`${smtp.url}?requireTLS=false`).send(message(), never)).toEqual({ ok: true })
})

test('line breaks in subject or address add neither header nor recipient', async () => {
  const smtp = await listening()
  const one = mailer(smtp.url)
  await one.send(message('ana@ejemplo.mx', { subject: 'Hola\r\nBcc: otra@ejemplo.mx\r\n\r\ncuerpo' }), never)
  for (const to of [
    'ana@ejemplo.mx>\r\nRCPT TO:<otra@ejemplo.mx',
    'ana@ejemplo.mx, otra@ejemplo.mx',
    '"otra@ejemplo.mx" x@y.mx',
  ])
    expect(await one.send(message(to), never)).toEqual({ ok: false, reason: 'refused', code: 'address' })
  expect(smtp.recipients).toEqual(['ana@ejemplo.mx'])
  for (const { raw } of smtp.accepted) expect(raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im)
})
