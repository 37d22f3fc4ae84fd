import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Database } from './database.server.ts'

// Each process that works on a database keeps renewing a row in it, by the database's clock. The row also shows processes on
// other machines and behind a pooler. A process first writes its row and then looks for other rows, so that of two processes that
// start at once, at least one sees the other.

const RENEW_MS = 30_000
/** A process counts as gone after this many seconds without renewal. */
const EXPIRY_SECONDS = 150
const END_TIMEOUT_MS = 1_000

type PresenceKind = 'sitio' | 'mudanza'

async function countProcesses(db: Database, kind: PresenceKind): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*) as live from presencias
    where que = ${kind} and at > clock_timestamp() - ${EXPIRY_SECONDS} * interval '1 second'`.execute(db)
  return rows[0]!.live
}

async function announcePresence(db: Database, kind: PresenceKind): Promise<() => Promise<void>> {
  const presenceId = randomUUID()
  const renewPresence = () =>
    sql`insert into presencias (quien, que, at) values (${presenceId}, ${kind}, clock_timestamp())
      on conflict (quien) do update set at = excluded.at`.execute(db)
  await renewPresence()
  let lastRenewal: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    // A failed renewal is made up for by the next one.
    lastRenewal = renewPresence().catch(() => {})
  }, RENEW_MS).unref()
  return async () => {
    clearInterval(timer)
    const deletion = lastRenewal.then(() => db.deleteFrom('presencias').where('quien', '=', presenceId).execute())
    // The row expires by itself, so a database that does not answer must not delay the end.
    await Promise.race([deletion.catch(() => {}), sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }
}

/**
 * Announces a running site.
 * @returns a function that withdraws the announcement
 * @throws StartError while the database is being moved elsewhere
 */
export async function startPresence(db: Database): Promise<() => Promise<void>> {
  const endPresence = await announcePresence(db, 'sitio')
  if ((await countProcesses(db, 'mudanza')) === 0) return endPresence
  await endPresence()
  throw new StartError(
    'Esta base de datos se está mudando a otro lugar: lo que llegara ahora se quedaría atrás. Espera a que npm run mudanza termine (si se cortó, dos minutos y medio) y arranca con lo que diga.',
  )
}

/**
 * Announces a move of the database, which keeps every site from starting on it.
 * @returns a function that withdraws the announcement
 * @throws StartError while any process of the site works on the database, on any machine
 */
export async function startMove(db: Database): Promise<() => Promise<void>> {
  const endPresence = await announcePresence(db, 'mudanza')
  const siteCount = await countProcesses(db, 'sitio')
  if (siteCount === 0) return endPresence
  await endPresence()
  throw new StartError(
    `Hay ${siteCount} procesos del sitio en marcha sobre esta base de datos, aquí o en otra máquina: detenlos todos, para que nada de lo que llegue entretanto se quede atrás. Si alguno murió sin despedirse, espera dos minutos y medio.`,
  )
}
