import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Database } from './database.server.ts'

// Who works on a database says so in it, time and again, by its own clock: so a site on another machine is seen as well,
// and a pooler in between changes nothing. Each first says that it is there, and then looks: of two that begin at once at
// least one sees the other.

const RENEW_MS = 30_000
/** Whoever has said nothing for so long is gone. */
const FRESH_S = 150
const GOODBYE_MS = 1_000

type Que = 'sitio' | 'mudanza'

/** How many of a kind are at work. */
async function quantity(db: Database, que: Que): Promise<number> {
  const { rows } = await sql<{ hay: number }>`
    select count(*) as hay from presencias
    where que = ${que} and at > clock_timestamp() - ${FRESH_S} * interval '1 second'`.execute(db)
  return rows[0]!.hay
}

/** Says that this process works on the database, until it is ended. @returns ends it */
async function announcePresence(db: Database, que: Que): Promise<() => Promise<void>> {
  const who = randomUUID()
  const say = () =>
    sql`insert into presencias (quien, que, at) values (${who}, ${que}, clock_timestamp())
      on conflict (quien) do update set at = excluded.at`.execute(db)
  await say()
  let saying: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    // A database that is away now is told the next time.
    saying = say().catch(() => {})
  }, RENEW_MS).unref()
  return async () => {
    clearInterval(timer)
    const gone = saying.then(() => db.deleteFrom('presencias').where('quien', '=', who).execute())
    // A database that does not answer holds up no end: what is not taken out is forgotten by itself.
    await Promise.race([gone.catch(() => {}), sleep(GOODBYE_MS, undefined, { ref: false })])
  }
}

/** @returns what ends it @throws StartError while the database is being moved to another one */
export async function startPresence(db: Database): Promise<() => Promise<void>> {
  const leave = await announcePresence(db, 'sitio')
  if ((await quantity(db, 'mudanza')) === 0) return leave
  await leave()
  throw new StartError(
    'Esta base de datos se está mudando a otro lugar: lo que llegara ahora se quedaría atrás. Espera a que npm run mudanza termine (si se cortó, dos minutos y medio) y arranca con lo que diga.',
  )
}

/**
 * Keeps every site from starting over a database for as long as it is moved.
 * @returns what ends it
 * @throws StartError while any process of the site works on it, on whatever machine
 */
export async function startMove(db: Database): Promise<() => Promise<void>> {
  const { rows } = await sql<{ hay: boolean }>`select to_regclass('presencias') is not null as hay`.execute(db)
  if (!rows[0]!.hay)
    throw new StartError(
      'Esta base de datos es de una versión anterior del sitio: arráncalo una vez con esta versión, detenlo y repite la orden.',
    )
  const leave = await announcePresence(db, 'mudanza')
  const sites = await quantity(db, 'sitio')
  if (sites === 0) return leave
  await leave()
  throw new StartError(
    `Hay ${sites} procesos del sitio en marcha sobre esta base de datos, aquí o en otra máquina: detenlos todos, para que nada de lo que llegue entretanto se quede atrás. Si alguno murió sin despedirse, espera dos minutos y medio.`,
  )
}
