import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type ConnectionLimits, limitConnections } from './connections.ts'

const opened: Socket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})

async function capped(cap: ConnectionLimits) {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/largo') waiting.push(response)
    else response.end('hola')
  })
  limitConnections(server, cap)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    opened.push(socket)
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }
  const asked = async () => {
    const socket = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [said] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    return String(said)
  }
  return { open, asked, waiting }
}

test.each<[string, ConnectionLimits]>([
  ['one network', { total: 100, perNetwork: 5 }],
  ['everybody', { total: 5, perNetwork: undefined }],
])('requests that are begun and never ended keep no new connection out (limit of %s)', async (_, cap) => {
  const { open, asked } = await capped(cap)
  const slow: Socket[] = []
  for (let n = 0; n < 40; n++) slow.push(await open('GET / HTTP/1.1\r\nX-'))
  for (let n = 0; n < 8; n++) expect(await asked()).toContain('hola')
  await expect.poll(() => slow.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(5)
})

test('a connection with an open request is not closed for a new one, and counts until its answer is sent', async () => {
  const { open, asked, waiting } = await capped({ total: 2, perNetwork: 2 })
  await open('GET /largo HTTP/1.1\r\nHost: a\r\n\r\n')
  await open('GET /largo HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(() => waiting.length).toBe(2)
  expect(await asked()).toBe('')
  waiting[0]!.end('ya')
  await expect.poll(asked).toContain('hola')
})
