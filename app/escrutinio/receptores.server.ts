import { Resolver } from 'node:dns/promises'
import { sql } from 'kysely'
import type { Services } from '#app/platform/services.server.ts'
import { bloqueDe } from '#app/popularidad/bloques.server.ts'
import { type Eleccion, readReglas } from '#app/popularidad/data.server.ts'
import { registrableDe } from '#app/popularidad/dominios.server.ts'
import { readActa } from './data.server.ts'
import { placeReceptor, type Receptor } from './marcas.server.ts'
import { isOurTurn } from './sellador.server.ts'

/** Domains that are asked for at once. */
const AT_ONCE = 20
/** How long a name server may take for one question; it is asked twice. */
const PATIENCE_MS = 2_500
/** A domain without an answer is asked for again after this long, then after twice as long, and so on. */
const RETRY_MS = 30_000
const MAX_RETRY_MS = 30 * 60_000

/** The questions that a name server is asked; those of `Resolver`. */
export type Dns = Pick<Resolver, 'resolveMx' | 'resolve4' | 'resolve6'>

/**
 * Finds the server that receives a domain's mail: a great mail host by its name, any other by the block of addresses
 * that it stands in, since whoever has many domains can give its one server many names.
 * @returns undefined: the name server does not answer, or knows no such server
 */
export async function findReceptor(
  dns: Dns,
  dominio: string,
  alojamientos: readonly string[],
): Promise<Receptor | undefined> {
  const none = () => []
  const servers = await dns.resolveMx(dominio).catch(none)
  // Without a server of its own, the domain's host receives its mail (RFC 5321 §5.1).
  const host = servers.toSorted((a, b) => a.priority - b.priority)[0]?.exchange ?? dominio
  // «.» says that the domain receives none (RFC 7505).
  if (host === '' || host === '.') return undefined
  const owner = registrableDe(host.toLowerCase())
  if (alojamientos.includes(owner)) return { receptor: owner, alojamiento: true }
  const [ip4] = (await dns.resolve4(host).catch(none)).toSorted()
  if (ip4) return { receptor: bloqueDe(ip4), alojamiento: false }
  const [ip6] = (await dns.resolve6(host).catch(none)).toSorted()
  return ip6 ? { receptor: bloqueDe(ip6), alojamiento: false } : undefined
}

export interface Receptores {
  /** Asks for the servers of domains that votes came from, behind the votes: no voter waits for a name server. */
  turn(eleccion: Eleccion): Promise<void>
}

/** What one process does about the servers that receive voters' mail. */
export function createReceptores(
  services: Pick<Services, 'db' | 'clock' | 'keyed' | 'log'>,
  dns: Dns = new Resolver({ timeout: PATIENCE_MS, tries: 2 }),
): Receptores {
  const { db, clock, log } = services
  /** Domains without an answer, when they are asked for again, and how long was waited. */
  const later = new Map<string, { atMs: number; waitMs: number }>()
  let asking: Promise<void> | undefined

  async function ask(eleccion: Eleccion): Promise<void> {
    const { edicion } = eleccion
    const { rows } = await sql<{ dominio: string }>`
      select origen as dominio from origenes o
      where edicion = ${edicion} and clase = 'dominio' and not exists (
        select from receptores r where r.edicion = o.edicion and r.dominio = o.origen)
      order by votos desc limit 2000`.execute(db)
    const nowMs = performance.now()
    const due = rows.filter(({ dominio }) => (later.get(dominio)?.atMs ?? 0) <= nowMs).slice(0, AT_ONCE)
    if (due.length === 0) return
    const { reglas } = await readReglas(db, eleccion)
    const found = await Promise.all(
      due.map(async ({ dominio }) => ({ dominio, receptor: await findReceptor(dns, dominio, reglas.alojamientos) })),
    )
    for (const { dominio, receptor } of found) {
      if (receptor) continue
      const waitMs = Math.min(MAX_RETRY_MS, 2 * (later.get(dominio)?.waitMs ?? RETRY_MS / 2))
      later.set(dominio, { atMs: performance.now() + waitMs, waitMs })
    }
    await db.transaction().execute(async (tx) => {
      // Another process may be sealing: the next turn tries again.
      if (!(await isOurTurn(tx, edicion))) return
      // After the closing act nothing is marked any more.
      if (await readActa(tx, edicion, 'cierre')) return
      for (const { dominio, receptor } of found)
        if (receptor) await placeReceptor({ ...services, db: tx }, eleccion, dominio, receptor, clock.now())
    })
  }

  return {
    turn(eleccion) {
      asking ??= ask(eleccion)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'mail servers could not be asked for; they are asked again'),
        )
        .finally(() => {
          asking = undefined
        })
      return asking
    },
  }
}
