import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { limitBody } from './slow-bodies.ts'

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
