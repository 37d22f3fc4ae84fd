import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { keptSecret, keysOf } from '#app/core/process/session-secret.server.ts'
import { createMailCipher, mailKeyOf } from '#app/mail/cipher.server.ts'
import { startSite } from '../../tests/running-site.ts'
import { root } from '../prepare.mjs'
import { type Figure, median } from './figure.ts'

const QUEUED = 50_000
const CONNECTIONS = 5
/** About the size of a real message's HTML. */
const HTML_BYTES = 6_000
const SOLO = 10_000
const ROUNDS = 3

/** Queues 50,000 messages at once for an SMTP listener that accepts all, beside nodemailer alone with the same listener. */
export async function mailFigures(): Promise<Figure[]> {
  const seen = new Map<string, number>()
  let took = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, callback) {
      stream.resume()
      stream.on('end', () => {
        took++
        const to = session.envelope.rcptTo[0]?.address ?? ''
        seen.set(to, (seen.get(to) ?? 0) + 1)
        callback(null)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}?maxConnections=${CONNECTIONS}`
  const site = await startSite({ SMTP_URL: url })
  try {
    const alone = async () => {
      const before = took
      const script = join(root, 'scripts/bench/solo-nodemailer.ts')
      const args = [script, url, String(CONNECTIONS), String(SOLO), String(HTML_BYTES / 2)]
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { stdio: 'inherit' })
      const exit = once(child, 'exit')
      // The start of nodemailer's process does not count.
      while (took === before) await sleep(5)
      const began = performance.now()
      await exit
      return (took - before) / ((performance.now() - began) / 1_000)
    }
    const rates: number[] = []
    for (let round = 0; round < ROUNDS; round++) rates.push(await alone())

    seen.clear()
    const host = join(site.dataDir, 'postgres.sockets')
    const client = new pg.Client({ host, port: 5432, user: 'certamen', database: 'certamen' })
    await client.connect()
    const began = performance.now()
    const encrypt = createMailCipher(mailKeyOf({ keyed: keysOf(await keptSecret(site.dataDir)) }), {
      subject: 'Tu contraseña de Señorita Azahares cambió',
      text: 'Tu contraseña cambió.',
      html: `<p>${'á'.repeat(HTML_BYTES / 2)}</p>`,
    })
    const rows = Array.from({ length: QUEUED }, (_, n) => ({ idempotencyKey: `medida:${n}`, to: `a${n}@ejemplo.mx` }))
    await client.query(
      `insert into correos (idempotency_key, kind, priority, recipient, cifrado, expires_at)
       select key, 'clave', 1, recipient, cifrado, now() + interval '1 day'
       from unnest($1::text[], $2::text[], $3::bytea[]) as r (key, recipient, cifrado)`,
      [rows.map(({ idempotencyKey }) => idempotencyKey), rows.map(({ to }) => to), rows.map((fila) => encrypt(fila))],
    )
    const queuedMs = performance.now() - began
    for (let open = QUEUED; open > 0; ) {
      await sleep(500)
      const { rows } = await client.query<{ n: string }>(
        'select count(*) as n from correos where sent_at is null and failed_at is null',
      )
      open = Number(rows[0]!.n)
    }
    const seconds = (performance.now() - began - queuedMs) / 1_000
    await client.end()
    const repeated = [...seen.values()].filter((times) => times !== 1).length + (QUEUED - seen.size)
    const rate = QUEUED / seconds
    const base = median(rates)
    return [
      {
        name: `${QUEUED} correos en cola, por segundo`,
        value: rate,
        unit: '/s',
        baseline: { name: 'nodemailer solo, desde la memoria', value: base },
      },
      { name: 'los mismos, en proporción', value: rate / base, unit: '×', target: { atLeast: 0.5 } },
      { name: 'los mismos: perdidos o repetidos', value: repeated, unit: '', target: { atMost: 0 } },
    ]
  } finally {
    await site.stop()
    await new Promise<void>((resolve) => server.close(resolve))
  }
}
