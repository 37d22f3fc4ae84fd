import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const CHUNK_BYTES = 16 * 1_024

export interface WeakLine {
  url: string
  /** Returns the bytes sent to the site, headers and repetitions included. */
  sentBytes(): number
  /**
   * Cuts every connection. With `silent` only the sender notices the cut, as when a phone loses its signal: the site keeps
   * half-open connections. New connections are refused for `downMs`.
   */
  cut(options: { silent: boolean; downMs: number }): void
  close(): Promise<void>
}

/** Opens a TCP proxy in front of the site that carries uploads at `bitsPerSecond` over all connections together. */
export async function openWeakLine(port: number, target: number, bitsPerSecond: number): Promise<WeakLine> {
  const bytesPerMs = bitsPerSecond / 8 / 1_000
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let sent = 0
  let downUntil = 0
  let freeAt = 0

  /** Waits for as long as the line needs for these bytes. */
  async function turn(bytes: number) {
    const now = performance.now()
    freeAt = Math.max(now, freeAt) + bytes / bytesPerMs
    await sleep(freeAt - now)
  }

  const server: Server = createServer({ highWaterMark: CHUNK_BYTES, pauseOnConnect: true }, (near) => {
    near.on('error', () => {})
    if (Date.now() < downUntil) {
      near.resetAndDestroy()
      return
    }
    const far = connect({ port: target, host: '127.0.0.1' })
    const pair = { near, far }
    pairs.add(pair)
    far.on('error', () => near.destroy())
    far.on('data', (chunk) => near.write(chunk))
    far.on('close', () => {
      near.destroy()
      pairs.delete(pair)
    })
    near.on('close', () => {
      if (pairs.delete(pair)) far.end()
    })
    void (async () => {
      try {
        for await (const chunk of near as AsyncIterable<Buffer>) {
          await turn(chunk.byteLength)
          sent += chunk.byteLength
          // If the connection was cut while the chunk waited, the chunk is lost.
          if (!pairs.has(pair)) return
          if (!far.write(chunk)) await new Promise((resolve) => far.once('drain', resolve))
        }
      } catch {
        // The sender's side broke; 'close' above ends the site's side.
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${port}`,
    sentBytes: () => sent,
    cut({ silent, downMs }) {
      downUntil = Date.now() + downMs
      for (const pair of pairs) {
        pairs.delete(pair)
        pair.near.resetAndDestroy()
        if (!silent) pair.far.resetAndDestroy()
        else setTimeout(() => pair.far.destroy(), 20_000).unref()
      }
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
