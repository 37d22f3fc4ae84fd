import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { listCuentas } from '#app/accounts/data.server.ts'
import { verReloj } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { diaDe } from '#app/core/time/mexico-dates.ts'
import { readEspacio } from '#app/core/uploads/disk-space.server.ts'
import { encolarCorreo, findQueued, remiteDe } from '#app/mail/mutations.server.ts'
import type { Carta } from '#app/mail/schema.ts'
import { type Examen, examinar, motivoDe } from './check.server.ts'
import { listBorradosPrevistos } from './data.server.ts'
import { POR_FUERA } from './external-checks.server.ts'
import { POR_DENTRO } from './internal-checks.server.ts'
import { cartaDeBorradoPrevisto, cartaDeCompuesto, cartaDeEspacio, cartaDeFalla } from './mails.server.ts'
import { avisoDeEspacio } from './rules.ts'
import type { Diagnostico } from './schema.ts'

const TURN_MS = 60_000
const FIRST_MS = 10_000
/** What asks other machines is asked again after so many turns; what was broken, at every one. */
const FUERA_TURNS = 10
/** A watch that has said nothing for so long is taken over by another process. */
const GUARD_S = 150
const PING_MS = 10_000
const STOP_MS = 1_000

type Trabajo = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/** Tells every organiser, each once under a key. @returns how many were told */
async function tell(services: Trabajo, carta: Carta, key: string): Promise<number> {
  const { db } = services
  const cuentas = (await listCuentas(db)).filter(({ rol, bajaAt }) => rol === 'admin' && bajaAt === null)
  const queued = await findQueued(
    db,
    cuentas.map(({ correo }) => `${key}:${correo}`),
  )
  let told = 0
  for (const { correo } of cuentas) {
    const idempotencyKey = `${key}:${correo}`
    if (queued.has(idempotencyKey)) continue
    const made = await encolarCorreo(db, { ...carta, to: correo, remite: remiteDe(services), idempotencyKey })
    if (made.ok && !made.repetido) told++
  }
  return told
}

/**
 * Looks at the disk, and tells every organiser by mail where it is nearly full, once a day by the machine's clock.
 * @returns how many were told
 */
export async function vigilarEspacio(services: Trabajo, machineNow = new Date()): Promise<number> {
  const { settings, log } = services
  const aviso = avisoDeEspacio(await readEspacio(settings.dataDir, settings.piso))
  if (aviso === undefined) return 0
  log.warn(aviso)
  return tell(services, cartaDeEspacio(aviso), `espacio:${diaDe(machineNow)}`)
}

/** Tells every organiser what was announced to be deleted, once for each announcement. @returns how many were told */
export async function avisarPrevistos(services: Trabajo): Promise<number> {
  let told = 0
  for (const previsto of await listBorradosPrevistos(services.db))
    told += await tell(
      services,
      cartaDeBorradoPrevisto(previsto),
      // Entries that came in late are announced by themselves, at most once a day.
      `borrado-previsto:${previsto.edicion}:${diaDe(previsto.anunciadoAt)}`,
    )
  return told
}

/** The disk has a message of its own. What nobody broke is no news. */
const CALLADOS = new Set(['espacio'])

/** Writes down how the site is, and tells every organiser what turned to a fault, and what is mended. @returns letters */
export async function asentarDiagnosticos(
  services: Trabajo,
  diagnosticos: readonly Diagnostico[],
  machineNow = new Date(),
): Promise<number> {
  const { db, log } = services
  const before = new Map((await db.selectFrom('diagnosticos').selectAll().execute()).map((one) => [one.de, one]))
  let told = 0
  for (const one of diagnosticos) {
    const { de, titulo, nivel, dice, remedio = null } = one
    const known = before.get(de)
    const desde = known?.nivel === nivel ? known.desde : machineNow
    const wasBroken = known?.nivel === 'falla'
    // First the letter: a process that ends in between says it again under the same key, and it is not sent twice.
    if (!CALLADOS.has(de) && nivel === 'falla' && !wasBroken) {
      log.error({ de }, 'a fault of the site')
      told += await tell(services, cartaDeFalla(one), `falla:${de}:${desde.toISOString()}`)
    }
    if (!CALLADOS.has(de) && nivel !== 'falla' && wasBroken)
      told += await tell(services, cartaDeCompuesto(one), `compuesto:${de}:${known.desde.toISOString()}`)
    const row = { titulo, nivel, dice, remedio, desde, visto_at: machineNow }
    await db
      .insertInto('diagnosticos')
      .values({ de, ...row })
      .onConflict((conflict) => conflict.column('de').doUpdateSet(row))
      .execute()
  }
  return told
}

/** Whether this process is the one of all that keeps watch, and stays it. */
async function guards(db: Database, quien: string): Promise<boolean> {
  const { rows } = await sql`
    insert into guardia (quien, at) values (${quien}, clock_timestamp())
    on conflict (unica) do update set quien = excluded.quien, at = excluded.at
      where guardia.quien = excluded.quien or guardia.at < clock_timestamp() - ${GUARD_S} * interval '1 second'
        or guardia.at > clock_timestamp() + interval '1 minute'
    returning quien`.execute(db)
  return rows.length > 0
}

/** Says to whoever waits for it that all is well: silence is the alarm. */
async function ping(url: string): Promise<void> {
  const answer = await fetch(url, { method: 'GET', signal: AbortSignal.timeout(PING_MS) })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`AVISO_URL answered ${answer.status}`)
}

interface Puesto {
  /** The project's root. */
  raiz: string
  turnMs?: number
  /** From the start to the first turn. */
  firstMs?: number
  examenes?: readonly Examen[]
}

/**
 * Watches over the site for as long as it runs, every minute: its disk in each process, the rest in one of them. Organisers
 * are told of faults, and of what will be deleted; AVISO_URL is called while there is none.
 * @returns ends it
 */
export function startVigilancia(
  services: Trabajo,
  { raiz, turnMs = TURN_MS, firstMs = FIRST_MS, examenes = [...POR_DENTRO, ...POR_FUERA] }: Puesto,
): () => Promise<void> {
  const { db, settings, log } = services
  const quien = randomUUID()
  const last = new Map<string, Diagnostico>()
  /** What failed once at another machine: one lost answer is no fault yet. */
  const doubtful = new Set<string>()
  let turns = 0
  const isDue = ({ de, fuera }: Examen) =>
    !fuera || turns % FUERA_TURNS === 1 || doubtful.has(de) || last.get(de)?.nivel === 'falla'
  const take = (one: Diagnostico, fuera = false) => {
    const isNew = one.nivel === 'falla' && last.get(one.de)?.nivel !== 'falla' && !doubtful.has(one.de)
    if (fuera && isNew) doubtful.add(one.de)
    else doubtful.delete(one.de)
    last.set(one.de, doubtful.has(one.de) ? { ...one, nivel: 'aviso' } : one)
  }
  const watch = async () => {
    await vigilarEspacio(services)
    await verReloj(db)
    if (!(await guards(db, quien))) {
      turns = 0
      return
    }
    turns++
    const examinado = { settings, db, raiz, enMarcha: true, ahora: new Date() }
    const fuera = new Set(examenes.filter((one) => one.fuera).map(({ de }) => de))
    for (const one of await examinar(examenes.filter(isDue), examinado)) take(one, fuera.has(one.de))
    if (stopping) return
    await asentarDiagnosticos(services, [...last.values()])
    await avisarPrevistos(services)
    const well = [...last.values()].every(({ nivel }) => nivel !== 'falla')
    if (well && settings.avisoUrl !== undefined)
      await ping(settings.avisoUrl).catch((error: unknown) =>
        log.warn({ reason: motivoDe(error) }, 'AVISO_URL did not answer'),
      )
  }
  let running = Promise.resolve()
  let isWatching = false
  let stopping = false
  const turn = () => {
    // One turn may take longer than the next one's time.
    if (isWatching) return
    isWatching = true
    running = watch()
      .catch((error: unknown) => {
        if (!stopping) log.error({ err: error }, 'a turn of the watch failed')
      })
      .finally(() => {
        isWatching = false
      })
  }
  // From outside the site is seen once it serves.
  const first = setTimeout(turn, firstMs).unref()
  const timer = setInterval(turn, turnMs).unref()
  return async () => {
    stopping = true
    clearTimeout(first)
    clearInterval(timer)
    // Another machine that does not answer holds up no stop.
    await Promise.race([running, sleep(STOP_MS, undefined, { ref: false })])
  }
}
