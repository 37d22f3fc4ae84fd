import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'
import { inGroups, makeCode } from '#app/core/text/random-codes.ts'
import { normalized } from '#app/core/text/typed-text.ts'

/** A message to app/accounts/passwords/derive-key.process.ts. */
export interface KeyDerivation {
  password: string
  salt: string
  length: number
  cost: { N: number; r: number; p: number; maxmem: number }
}

const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1_048_576 }
const KEY_BYTES = 64
/** Without letters and digits that are taken for one another when read aloud or copied by hand. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Hashes at the same time. Each takes a core for some 80 ms, and 32 MB; one core stays free for serving pages. */
const MAX_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1))

/**
 * The fair queue of hashes. Browsers that have signed in before, and the organisers' own work, go first. Of unknown
 * browsers, those with proof of work get three turns of four. Full lanes take some seconds to drain, or half a minute
 * while pages take all the cores.
 */
const inTurn = createFairQueue(MAX_AT_ONCE, {
  conocido: { waiting: 60, perKey: 20, share: 1_000 },
  trabajado: { waiting: 40, perKey: 8, share: 3 },
  llano: { waiting: 12, perKey: 4, share: 1 },
})

export interface Turn {
  lane: 'conocido' | 'trabajado' | 'llano'
  /** Key within the lane: a known device, or a network. */
  key: string
}
const turns = new AsyncLocalStorage<Turn>()

/** Runs work whose passwords are hashed in the lane of `turn`; elsewhere they are hashed in the first lane. */
export const runInTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> => turns.run(turn, work)

const idle: Worker[] = []

/**
 * Derives a key in a worker thread, which is kept for the next key. Node's thread pool, which reads files and compresses
 * pages, stays free and keeps its priority.
 */
async function derive(asked: KeyDerivation): Promise<Buffer> {
  const worker = idle.pop() ?? new Worker('./app/accounts/passwords/derive-key.process.ts', { env: {} })
  worker.ref()
  try {
    worker.postMessage(asked)
    const [key] = (await once(worker, 'message')) as [Uint8Array]
    idle.push(worker)
    return Buffer.from(key)
  } finally {
    // An idle thread must not keep the process alive.
    worker.unref()
  }
}

/** A process whose event loop is busy for more than this share of the time is short of time. */
const BUSY = 0.8
/**
 * A process short of time waits this many times the duration of a hash before the next one, since a hash empties the
 * caches that the cores share.
 */
const REST = 2
let restUntilMs = 0

const keyOf = (password: string, salt: string) => {
  const { lane, key } = turns.getStore() ?? { lane: 'conocido', key: '' }
  return inTurn(lane, key, async () => {
    const restMs = restUntilMs - performance.now()
    if (restMs > 0) await sleep(restMs)
    const before = performance.eventLoopUtilization()
    const began = performance.now()
    const derived = await derive({ password: normalized(password, 'NFKC'), salt, length: KEY_BYTES, cost: COST })
    const ended = performance.now()
    if (performance.eventLoopUtilization(before).utilization > BUSY) restUntilMs = ended + (ended - began) * REST
    return derived
  })
}

/**
 * Hashes off the serving thread.
 * @returns `salt:key` in hexadecimal, scrypt (N 16384, r 16, p 1)
 * @throws OverloadedError when the queue is full
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`
}

/** Compares in constant time, off the serving thread. @throws OverloadedError when the queue is full */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [salt = '', key = ''] = stored.split(':')
  const expected = Buffer.from(key, 'hex')
  const given = await keyOf(password, salt)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** @returns 20 characters in groups of five, over 110 bits */
export const generatePassword = (): string => inGroups(makeCode(20, ALPHABET), 5)
