import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { readReports } from './imap-reports.server.ts'

let server: ReturnType<typeof createServer>
const open = new Set<Socket>()
afterEach(() => {
  for (const socket of open) socket.destroy()
  server.close()
})

/** A server that signs in and opens the mailbox as it should, and answers the first FETCH by `onFetch`. */
async function address(onFetch: (socket: Socket, tag: string) => void): Promise<string> {
  server = createServer(async (socket) => {
    open.add(socket.on('error', () => {}))
    socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n')
    for await (const line of createInterface(socket)) {
      const [tag = '', command] = line.split(' ')
      if (command === 'UID') onFetch(socket, tag)
      else {
        if (command === 'LIST') socket.write('* LIST () "/" INBOX\r\n')
        if (command === 'EXAMINE') socket.write('* 9 EXISTS\r\n* OK [UIDVALIDITY 7] .\r\n* OK [UIDNEXT 10] .\r\n')
        socket.write(`${tag} OK done\r\n`)
      }
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `imap://avisos:secreta@127.0.0.1:${(server.address() as AddressInfo).port}/INBOX`
}

test.each<[string, string, (socket: Socket, tag: string) => void]>([
  ['a gigabyte at once', 'respuesta', (socket) => socket.write('* 1 FETCH (UID 1 BODY[HEADER]<0> {1000000000}\r\n')],
  ['a line without an end', 'respuesta', (socket) => socket.write(`* 1 FETCH (UID 1 ${'x'.repeat(2_000_000)}`)],
  ['lists within lists', 'respuesta', (socket) => socket.write(`* 1 FETCH (UID 1 ${'('.repeat(20_000)}\r\n`)],
  ['a refusal', 'respuesta', (socket, tag) => socket.write(`${tag} NO Ana López reads it\r\n`)],
  ['nothing, and hangs up', 'conexion', (socket) => socket.destroy()],
])('a server that answers with %s is left', async (_what, code, onFetch) => {
  const error = await readReports(await address(onFetch), undefined).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'MailboxError', code })
  expect(String(error)).not.toMatch(/Ana|secreta/)
})

test('a server that answers with messages beyond the asked ones adds no report', async () => {
  const url = await address((socket, tag) =>
    socket.write(`* 1 FETCH (UID 99 BODY[HEADER]<0> {31}\r\nContent-Type: multipart/report\n)\r\n${tag} OK\r\n`),
  )
  expect(await readReports(url, { uidvalidity: 7, uid: 3 })).toEqual({
    reading: { uidvalidity: 7, uid: 9 },
    reports: [],
    hasMore: false,
  })
})
