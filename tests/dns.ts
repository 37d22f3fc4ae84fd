import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** What a name server knows of a name; `calla`: it never answers. */
export interface Zona {
  mx?: [priority: number, exchange: string][]
  a?: string[]
  calla?: true
}

const TYPE = { a: 1, mx: 15 }

const nameOf = (name: string) =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ])

/**
 * A name server on this machine that answers from a table, and a resolver that asks it.
 * @source RFC 1035 §4
 */
export async function startDns(zonas: (name: string) => Zona | undefined) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    while (query[at]) {
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
      at += query[at]! + 1
    }
    const question = query.subarray(12, at + 5)
    const type = query.readUInt16BE(at + 1)
    const name = labels.join('.').toLowerCase()
    asked.push(name)
    const zona = zonas(name)
    if (zona?.calla) return
    const answers =
      type === TYPE.mx
        ? (zona?.mx ?? []).map(([priority, exchange]) => {
            const preference = Buffer.alloc(2)
            preference.writeUInt16BE(priority)
            return Buffer.concat([preference, nameOf(exchange)])
          })
        : type === TYPE.a
          ? (zona?.a ?? []).map((ip) => Buffer.from(ip.split('.').map(Number)))
          : []
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(zona ? 0x8580 : 0x8583, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    const records = answers.map((data) => {
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(60, 6)
      record.writeUInt16BE(data.length, 10)
      return Buffer.concat([record, data])
    })
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 200, tries: 1 })
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`])
  return { resolver, asked, close: () => new Promise<void>((resolve) => socket.close(() => resolve())) }
}
