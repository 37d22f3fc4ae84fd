import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const CHUNK_BYTES = 16 * 1_024

export interface WeakLine {
  url: string
  /** Returns the bytes that the line has carried towards the site, with headers, repetitions and chunks that a cut lost. */
  sentBytes(): number
  /**
   * Cuts every connection. With `isSilent` only the sender notices the cut, as when a phone loses its signal: the site keeps
   * half-open connections for a while. New connections are refused for `downMs`.
   */
  cut(options: { isSilent: boolean; downMs: number }): void
  close(): Promise<void>
}

/** Opens a TCP proxy in front of the site that carries uploads at `bitsPerSecond` over all connections together. */
export async function openWeakLine(port: number, targetPort: number, bitsPerSecond: number): Promise<WeakLine> {
  const bytesPerMs = bitsPerSecond / 8 / 1_000
  const connections = new Set<{ clientSocket: Socket; siteSocket: Socket }>()
  let sentBytesTotal = 0
  let refusedUntilMs = 0
  let freeAtMs = 0

  /** Waits for as long as the line needs to carry a chunk, after all chunks before it. */
  async function waitForLine(bytes: number) {
    const now = performance.now()
    freeAtMs = Math.max(now, freeAtMs) + bytes / bytesPerMs
    await sleep(freeAtMs - now)
  }

  const server: Server = createServer({ highWaterMark: CHUNK_BYTES, pauseOnConnect: true }, (clientSocket) => {
    clientSocket.on('error', () => {})
    if (Date.now() < refusedUntilMs) {
      clientSocket.resetAndDestroy()
      return
    }
    const siteSocket = connect({ port: targetPort, host: '127.0.0.1' })
    const connection = { clientSocket, siteSocket }
    connections.add(connection)
    siteSocket.on('error', () => clientSocket.destroy())
    siteSocket.on('data', (chunk) => clientSocket.write(chunk))
    siteSocket.on('close', () => {
      clientSocket.destroy()
      connections.delete(connection)
    })
    clientSocket.on('close', () => {
      if (connections.delete(connection)) siteSocket.end()
    })
    void (async () => {
      try {
        for await (const chunk of clientSocket as AsyncIterable<Buffer>) {
          await waitForLine(chunk.byteLength)
          sentBytesTotal += chunk.byteLength
          // If the connection was cut while the chunk waited, the chunk is lost.
          if (!connections.has(connection)) return
          if (!siteSocket.write(chunk)) await new Promise((resolve) => siteSocket.once('drain', resolve))
        }
      } catch {
        // The sender's side broke; 'close' above ends the site's side.
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${port}`,
    sentBytes: () => sentBytesTotal,
    cut({ isSilent, downMs }) {
      refusedUntilMs = Date.now() + downMs
      for (const connection of connections) {
        connections.delete(connection)
        connection.clientSocket.resetAndDestroy()
        if (!isSilent) connection.siteSocket.resetAndDestroy()
        else setTimeout(() => connection.siteSocket.destroy(), 20_000).unref()
      }
    },
    async close() {
      for (const { clientSocket, siteSocket } of connections) {
        clientSocket.destroy()
        siteSocket.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
