import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'
import { inGroups, randomCode } from '#app/core/text/random-codes.ts'
import { normalizeText } from '#app/core/text/typed-text.ts'

/** Message to the worker thread app/accounts/passwords/derive-key.process.ts. */
export interface KeyDerivation {
  password: string
  salt: string
  length: number
  cost: { N: number; r: number; p: number; maxmem: number }
}

/** Parameters of scrypt, which takes 128·N·r = 32 MiB; `maxmem` must be more. */
const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1_048_576 }
const KEY_BYTES = 64
/** The alphabet lacks letters and digits that are confused when they are read aloud or copied by hand. */
const PASSWORD_ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Hashes that run at once. Each takes a core for some 80 ms, and 32 MB. Of several cores, at least one stays free for pages. */
const MAX_CONCURRENT_HASHES = Math.max(1, Math.min(2, availableParallelism() - 1))

/**
 * The fair queue of hashes. The lane `known` gets nearly all turns while it has waiting hashes. Of unknown browsers, browsers with
 * proof of work get three turns of four. Full lanes take some seconds to drain, or half a minute while pages take all cores.
 */
const runInLane = createFairQueue(MAX_CONCURRENT_HASHES, {
  known: { maxWaiting: 60, maxWaitingPerKey: 20, weight: 1_000 },
  worked: { maxWaiting: 40, maxWaitingPerKey: 8, weight: 3 },
  plain: { maxWaiting: 12, maxWaitingPerKey: 4, weight: 1 },
})

export interface Turn {
  lane: 'known' | 'worked' | 'plain'
  /** Keyed hash or id of the device, network or account, whose places in the lane are limited. */
  key: string
}
// better-auth calls `hashPassword` itself, so the turn cannot be an argument.
const turnStorage = new AsyncLocalStorage<Turn>()

/** Runs work whose passwords are hashed in the lane of `turn`; without a turn they are hashed in the lane `known`. */
export const runInTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> => turnStorage.run(turn, work)

const idleWorkers: Worker[] = []

/**
 * Derives a key in a worker thread, which is kept for the next key. Node's thread pool, which reads files and compresses
 * pages, stays free.
 */
async function derive(derivation: KeyDerivation): Promise<Buffer> {
  const worker = idleWorkers.pop() ?? new Worker('./app/accounts/passwords/derive-key.process.ts', { env: {} })
  worker.ref()
  try {
    worker.postMessage(derivation)
    const [derivedKey] = (await once(worker, 'message')) as [Uint8Array]
    idleWorkers.push(worker)
    return Buffer.from(derivedKey)
  } finally {
    // An idle thread must not keep the process alive.
    worker.unref()
  }
}

/** Share of a hash's duration in which the event loop must be busy for the process to count as overloaded. */
const OVERLOAD_SHARE = 0.8
/** Rest of an overloaded process after a hash, in durations of that hash, since a hash empties the cores' shared caches. */
const REST_FACTOR = 2
let restUntilMs = 0

const deriveInTurn = (password: string, salt: string) => {
  const { lane, key } = turnStorage.getStore() ?? { lane: 'known', key: '' }
  return runInLane(lane, key, async () => {
    const restMs = restUntilMs - performance.now()
    if (restMs > 0) await sleep(restMs)
    const before = performance.eventLoopUtilization()
    const startedAtMs = performance.now()
    const derivedKey = await derive({ password: normalizeText(password, 'NFKC'), salt, length: KEY_BYTES, cost: COST })
    const endedAtMs = performance.now()
    if (performance.eventLoopUtilization(before).utilization > OVERLOAD_SHARE)
      restUntilMs = endedAtMs + (endedAtMs - startedAtMs) * REST_FACTOR
    return derivedKey
  })
}

/**
 * Hashes a password off the serving thread.
 * @returns `salt:key` in hexadecimal, by scrypt with COST
 * @throws OverloadedError if too many hashes of the lane or of the key wait
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await deriveInTurn(password, salt)).toString('hex')}`
}

/** Returns whether a password has a stored hash; compares in constant time. @throws OverloadedError like `hashPassword` */
export async function verifyPassword(password: string, storedHash: string): Promise<boolean> {
  const [salt = '', storedKey = ''] = storedHash.split(':')
  const expectedKey = Buffer.from(storedKey, 'hex')
  const givenKey = await deriveInTurn(password, salt)
  return expectedKey.length === givenKey.length && timingSafeEqual(expectedKey, givenKey)
}

/** Returns a new password of 20 characters in groups of five, with over 110 bits. */
export const generatePassword = (): string => inGroups(randomCode(20, PASSWORD_ALPHABET), 5)
