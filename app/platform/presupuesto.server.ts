import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { readEspacio } from './espacio.server.ts'
import type { Piso } from './piso.ts'
import { Rechazo } from './rechazo.server.ts'
import { networksOf } from './redes.server.ts'
import { MENSAJES_DE_SUBIDA as MENSAJES } from './subida.ts'

/** What one client address may start, and what all of them together may leave on the disk unfinished. */
export interface Limites {
  /** Bytes of all staged files. */
  maxStagedBytes: number
  /** Bytes of one client's staged files. */
  maxStagedBytesPerClient: number
  /** Bytes that one client sends in a day. */
  maxDayBytes: number
  /** Uploads begun by one client within WINDOW_SECONDS. */
  maxCreations: number
  /** Forms sent by one client within WINDOW_SECONDS. */
  maxSubmissions: number
  /** How long an upload keeps the place of its next piece while nothing of it arrives, in milliseconds. */
  reservaMs: number
}

const WINDOW_SECONDS = 600
/** For places that others give up as their registrations go through. */
const SATURATED_RETRY_SECONDS = 60
const DAY_MS = 86_400_000
/** What the form sends at a time, and what is set aside for an upload beyond what came of it. */
export const PIECE_BYTES = 1_048_576
/** What an upload counts at least, so that a flood of tiny ones meets the limits too. */
const MIN_CHARGE_BYTES = 64 * 1024
/** How many times its own limit the network around a client's may use: a /48 may be a village, or one tenant. */
const WIDE_TIMES = 4

interface Reservation {
  /** The client's networks, the narrowest first; none of an upload from before the start. */
  networks: readonly string[]
  size: number
  received: number
  /** Milliseconds, when something of it last came. */
  heardAt: number
}

export interface Presupuesto {
  /** @throws Rechazo limite, with the seconds to wait */
  countCreation(client: string): Promise<void>
  /** @throws Rechazo limite, with the seconds to wait */
  countSubmission(client: string): Promise<void>
  /**
   * Sets the first piece aside for an upload that begins.
   * @throws Rechazo limite when this client holds too much, saturado when everybody together does, sinEspacio when the
   * disk has come down to its floor
   */
  reserve(key: string, client: string, size: number): Promise<void>
  /** Sets the next piece aside, before it is written. @throws as `reserve` does */
  hold(key: string): Promise<void>
  /** An upload found on the disk at the start: counted whatever the limits say; whose it was is not kept. */
  restore(key: string, size: number, received: number): void
  received(key: string, bytes: number): void
  /** The upload turned out smaller than what was set aside. */
  settle(key: string, size: number): void
  release(key: string): void
  /** Bytes that lie on the disk or have their place there. */
  stagedBytes(): number
}

/** Counts in memory: a restart forgets who sent what, but never how much lies on the disk. */
export function createPresupuesto(folder: string, piso: Piso, limites: Limites): Presupuesto {
  const perClient = (points: number) =>
    [1, WIDE_TIMES].map((times) => new RateLimiterMemory({ points: points * times, duration: WINDOW_SECONDS }))
  const creations = perClient(limites.maxCreations)
  const submissions = perClient(limites.maxSubmissions)
  const reservations = new Map<string, Reservation>()
  const day = createDia()

  const isLive = ({ heardAt }: Reservation) => performance.now() - heardAt < limites.reservaMs
  const pieceOf = ({ size, received }: Reservation) => Math.min(PIECE_BYTES, size - received)
  const ahead = (one: Reservation) => (isLive(one) ? pieceOf(one) : 0)
  const charge = (one: Reservation) => Math.max(one.received + ahead(one), isLive(one) ? MIN_CHARGE_BYTES : 0)
  const total = (of: (one: Reservation) => number) => reservations.values().reduce((sum, one) => sum + of(one), 0)

  /** @throws Rechazo where the upload, with its next piece, would be too much */
  async function admit(key: string, wanted: Reservation) {
    const { disponible } = await readEspacio(folder, piso)
    // No pause between counting and claiming, or many at once would all find room.
    const before = reservations.get(key)
    reservations.delete(key)
    try {
      const piece = pieceOf(wanted)
      const mine = Math.max(wanted.received + piece, MIN_CHARGE_BYTES)
      for (const [at, network] of wanted.networks.entries()) {
        const times = at === 0 ? 1 : WIDE_TIMES
        const held = total((one) => (one.networks[at] === network ? charge(one) : 0))
        if (held + mine > limites.maxStagedBytesPerClient * times)
          throw new Rechazo('limite', MENSAJES.limite, SATURATED_RETRY_SECONDS)
        if (day.of(network) + piece > limites.maxDayBytes * times)
          throw new Rechazo('limite', MENSAJES.limiteDelDia, WINDOW_SECONDS)
      }
      if (piece > disponible) throw new Rechazo('sinEspacio', MENSAJES.sinEspacio)
      if (total(charge) + mine > limites.maxStagedBytes || total(ahead) + piece > disponible)
        throw new Rechazo('saturado', MENSAJES.saturado, SATURATED_RETRY_SECONDS)
    } catch (refusal) {
      if (before) reservations.set(key, before)
      throw refusal
    }
    reservations.set(key, wanted)
  }

  return {
    countCreation: (client) => count(creations, client),
    countSubmission: (client) => count(submissions, client),

    reserve: (key, client, size) =>
      admit(key, { networks: networksOf(client), size, received: 0, heardAt: performance.now() }),
    async hold(key) {
      const before = reservations.get(key)
      // Nothing is known of an upload that is just being taken away: writing to it fails by itself.
      if (before) await admit(key, { ...before, heardAt: performance.now() })
    },
    restore(key, size, received) {
      reservations.set(key, { networks: [], size, received, heardAt: Number.NEGATIVE_INFINITY })
    },
    received(key, bytes) {
      const one = reservations.get(key)
      if (!one) return
      Object.assign(one, { received: one.received + bytes, size: Math.max(one.size, one.received + bytes) })
      for (const network of one.networks) day.add(network, bytes)
    },
    settle(key, size) {
      const one = reservations.get(key)
      if (one) Object.assign(one, { size, received: size })
    },
    release(key) {
      reservations.delete(key)
    },
    stagedBytes: () => total(charge),
  }
}

/** Bytes that each network has sent within a day, from its first one on. */
function createDia() {
  const networks = new Map<string, { since: number; bytes: number }>()
  const found = (network: string) => {
    const one = networks.get(network)
    if (one && performance.now() - one.since < DAY_MS) return one
    networks.delete(network)
    return undefined
  }
  return {
    of: (network: string) => found(network)?.bytes ?? 0,
    add(network: string, bytes: number) {
      const one = found(network)
      if (one) one.bytes += bytes
      else {
        // Oldest first: those whose day is over go as others come.
        for (const old of networks.keys()) if (found(old)) break
        networks.set(network, { since: performance.now(), bytes })
      }
    },
  }
}

async function count(limiters: RateLimiterMemory[], client: string): Promise<void> {
  for (const [at, network] of networksOf(client).entries()) {
    try {
      await limiters[at]!.consume(network)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      throw new Rechazo('limite', MENSAJES.limite, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)))
    }
  }
}
