import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { limitBody, limitOpenBodies } from './slow-bodies.ts'

test.each([
  ['half a body', 'Content-Length: 10\r\n\r\nabcde', false],
  ['half a body in pieces', 'Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n', false],
  ['a whole body', 'Content-Length: 5\r\n\r\nabcde', true],
  ['no body', '\r\n', true],
])('%s: is the request refused when its time is over?', async (_, rest, isTaken) => {
  const outcomes: string[] = []
  const server = createServer(async (request, response) => {
    const late = new Promise<void>((resolve) => {
      limitBody(request, { wholeMs: isTaken ? 60_000 : 50 }, () => {
        outcomes.push('refused')
        request.socket.destroy()
        resolve()
      })
    })
    const whole = text(request).then(
      () => {
        outcomes.push('taken')
        response.end()
      },
      () => {},
    )
    await Promise.race([late, whole])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}`)
  await once(socket, 'close')
  expect(outcomes).toEqual([isTaken ? 'taken' : 'refused'])
  // The server can close, since no request is left.
  server.close()
  await once(server, 'close')
})

test.each([
  ['a drop now and then', 1, false],
  ['a weak line that goes on', 200, true],
])('%s: is a body that takes longer than the stall time accepted?', async (_, piece, isTaken) => {
  const pieces = 60
  const outcomes: string[] = []
  const server = createServer(async (request, response) => {
    limitBody(request, { stallMs: 1_000, minBytes: 500 }, () => {
      outcomes.push('refused')
      request.socket.destroy()
    })
    await text(request).then(
      (body) => {
        outcomes.push(body.length === pieces * piece ? 'taken' : 'cut')
        response.end()
      },
      () => {},
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${pieces * piece}\r\n\r\n`)
  const timer = setInterval(() => socket.write('x'.repeat(piece)), 25)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(timer)
  expect(outcomes).toEqual([isTaken ? 'taken' : 'refused'])
  server.close()
  await once(server, 'close')
})

test('a network sends so many bodies at once, and one more when one of them is complete', () => {
  const isWithinLimit = limitOpenBodies(2)
  const send = (...networks: string[]) => {
    const request = new IncomingMessage(new Socket())
    return { request, isTaken: isWithinLimit(request, networks) }
  }
  const first = send('2001:db8:0:1::/64', '2001:db8::/48')
  expect([first, send('2001:db8:0:1::/64', '2001:db8::/48')].map(({ isTaken }) => isTaken)).toEqual([true, true])
  expect(send('2001:db8:0:1::/64', '2001:db8::/48').isTaken).toBe(false)
  first.request.emit('close')
  expect(send('2001:db8:0:1::/64', '2001:db8::/48').isTaken).toBe(true)
  // The networks of one /48 have a limit together, too.
  const neighbours = Array.from({ length: 7 }, (_, n) => send(`2001:db8:0:1${n}::/64`, '2001:db8::/48').isTaken)
  expect(neighbours).toEqual([true, true, true, true, true, true, false])
  expect(send('203.0.113.7').isTaken).toBe(true)
})
