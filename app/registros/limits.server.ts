import { statfs } from 'node:fs/promises'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Rechazo } from './rechazo.server.ts'
import { MENSAJES } from './schema.ts'

/** What one client address may start, and what all of them together may leave on the disk unfinished. */
export interface Limites {
  /** Bytes of all staged files. */
  maxStagedBytes: number
  /** Share of the free disk that files still to be received may claim. */
  maxFreeShare: number
  /** Bytes of one client's staged files. */
  maxStagedBytesPerClient: number
  /** Uploads begun by one client within WINDOW_SECONDS. */
  maxCreations: number
  /** Registrations sent by one client within WINDOW_SECONDS. */
  maxSubmissions: number
}

const WINDOW_SECONDS = 600
const SATURATED_RETRY_SECONDS = 300
/** What an upload counts at least, so that a flood of tiny ones meets the limits too. */
const MIN_CHARGE_BYTES = 64 * 1024

/** Generous to a town behind one address (mobile networks share theirs), far from what fills a disk. */
export const LIMITES: Limites = {
  maxStagedBytes: 20 * 1024 ** 3,
  maxFreeShare: 0.8,
  maxStagedBytesPerClient: 1.5 * 1024 ** 3,
  maxCreations: 900,
  maxSubmissions: 300,
}

interface Reservation {
  client: string | undefined
  size: number
  received: number
}

export interface Presupuesto {
  /** @throws Rechazo limite, with the seconds to wait */
  countCreation(client: string): Promise<void>
  /** @throws Rechazo limite, with the seconds to wait */
  countSubmission(client: string): Promise<void>
  /**
   * Sets bytes aside for an upload that begins.
   * @throws Rechazo limite when this client holds too much, saturado when everybody together does
   */
  reserve(key: string, client: string | undefined, size: number): Promise<void>
  /** An upload found on the disk at the start: counted whatever the limits say; whose it was is not kept. */
  restore(key: string, size: number, received: number): void
  received(key: string, bytes: number): void
  /** The upload turned out smaller than what was set aside. */
  settle(key: string, size: number): void
  release(key: string): void
  /** Bytes set aside now. */
  stagedBytes(): number
}

/** Counts in memory: a restart forgets who sent what, but never how much lies on the disk. */
export function createPresupuesto(folder: string, limites: Limites): Presupuesto {
  const creations = new RateLimiterMemory({ points: limites.maxCreations, duration: WINDOW_SECONDS })
  const submissions = new RateLimiterMemory({ points: limites.maxSubmissions, duration: WINDOW_SECONDS })
  const reservations = new Map<string, Reservation>()

  const total = (of: (reservation: Reservation) => number) =>
    reservations.values().reduce((sum, reservation) => sum + of(reservation), 0)

  return {
    countCreation: (client) => count(creations, client),
    countSubmission: (client) => count(submissions, client),

    async reserve(key, client, announced) {
      const size = Math.max(announced, MIN_CHARGE_BYTES)
      const { bavail, bsize } = await statfs(folder)
      // No pause between counting and claiming, or many at once would all find room.
      const mine = total((reservation) => (reservation.client === client ? reservation.size : 0))
      if (mine + size > limites.maxStagedBytesPerClient) throw new Rechazo('limite', MENSAJES.limite, WINDOW_SECONDS)
      const staged = total((reservation) => reservation.size)
      const expected = total((reservation) => reservation.size - reservation.received)
      if (staged + size > limites.maxStagedBytes || expected + size > bavail * bsize * limites.maxFreeShare)
        throw new Rechazo('saturado', MENSAJES.saturado, SATURATED_RETRY_SECONDS)
      reservations.set(key, { client, size, received: 0 })
    },
    restore(key, announced, received) {
      const size = Math.max(announced, MIN_CHARGE_BYTES)
      reservations.set(key, { client: undefined, size, received })
    },
    received(key, bytes) {
      const reservation = reservations.get(key)
      if (reservation) reservation.received = Math.min(reservation.size, reservation.received + bytes)
    },
    settle(key, size) {
      const reservation = reservations.get(key)
      if (reservation) Object.assign(reservation, { size, received: size })
    },
    release(key) {
      reservations.delete(key)
    },
    stagedBytes: () => total((reservation) => reservation.size),
  }
}

async function count(limiter: RateLimiterMemory, client: string): Promise<void> {
  try {
    await limiter.consume(client)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw new Rechazo('limite', MENSAJES.limite, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)))
  }
}
