import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { startCartero } from '#app/correo/cartero.server.ts'
import { startRebotes } from '#app/correo/rebotes.server.ts'
import { type Cuentas, createCuentas } from '#app/cuentas/auth.server.ts'
import { createFirstAdmin, type FirstAdmin } from '#app/cuentas/mutations.server.ts'
import { createAcervo } from '#app/edicion/acervo.server.ts'
import { loadFicha } from '#app/edicion/contenido.server.ts'
import type { Ediciones, Vista } from '#app/edicion/guards.server.ts'
import { createBorradores } from '#app/edicion/vista.server.ts'
import { isOwnVote } from '#app/escrutinio/apertura.server.ts'
import { createEscrutinio, type Escrutinio } from '#app/escrutinio/escrutinio.server.ts'
import { startSealing } from '#app/escrutinio/turno.server.ts'
import { createClock } from '#app/platform/clock.server.ts'
import { openDatabase, openPool } from '#app/platform/database.server.ts'
import type { Settings } from '#app/platform/env.server.ts'
import { createLog } from '#app/platform/log.server.ts'
import { migrate } from '#app/platform/migrate.server.ts'
import { openMailer } from '#app/platform/open-mail.server.ts'
import { checkStorage, openStorage } from '#app/platform/open-storage.server.ts'
import { startPostgres } from '#app/platform/postgres.server.ts'
import { createSondaOf, type Sonda } from '#app/platform/salud.direccion.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { keptSecret, keysOf } from '#app/platform/session-secret.server.ts'
import { lockDataDir } from '#app/platform/site-lock.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import { createVotacion, keepNombres, type Votacion } from '#app/popularidad/mutations.server.ts'
import { isNotClosed } from '#app/popularidad/rules.ts'
import { createRecepcion, type RecepcionDeArchivos } from '#app/redaccion/recepcion.server.ts'
import { createRegistros, type Registros } from '#app/registros/registros.server.ts'
import { createVisitas, type Visitas } from '#app/visitas/visitas.server.ts'
import { toItsEnd, type Undo } from './undo.ts'

const POOL_CONNECTIONS = 20
/** Fewer votes are counted sooner than threads start. */
const FOR_THREADS = 20_000

/** The nouns of a running site. Each is made once in a process, and owns what the process remembers of it. */
export interface Sitio {
  services: Services
  ediciones: Ediciones
  cuentas: Cuentas
  registros: Registros
  recepcion: RecepcionDeArchivos
  votacion: Votacion
  escrutinio: Escrutinio
  visitas: Visitas
  sonda: Sonda
  /** Set while an organiser looks at the site as it would be. */
  vista?: Vista
}

export interface OpenSite {
  sitio: Sitio
  pool: pg.Pool
  /** How other processes reach the same database. */
  connection: string | pg.PoolConfig
  /** What the site signs with. */
  secreto: string
  /** The first administrator, if this very start made it, with the file that keeps its password. */
  firstAdmin: (FirstAdmin & { file: string }) | undefined
}

/**
 * Claims the data folder, starts or reaches the database, migrates it, opens the storage.
 * @param undo receives a step for everything that is opened
 * @param migrations folder of the SQL files
 * @param heredado where a keeper has claimed the folder: its embedded database, if it started one
 */
export async function openSite(
  settings: Settings,
  migrations: string,
  undo: Undo,
  heredado?: { connection?: pg.PoolConfig | undefined },
): Promise<OpenSite> {
  const log = createLog(settings.logLevel)
  const clock = createClock(settings.siteClock)

  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  if (!heredado) undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))

  let connection: OpenSite['connection']
  if (settings.databaseUrl) connection = settings.databaseUrl
  else if (heredado?.connection) connection = heredado.connection
  else {
    const postgres = await startPostgres(join(settings.dataDir, 'postgres'), (message) => log.warn(message))
    undo.push(toItsEnd(() => postgres.stop()))
    connection = postgres.connection
  }
  const pool = openPool(connection, POOL_CONNECTIONS)
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'a database connection was lost')
  })
  undo.push(() => pool.end())
  await pool.query('select 1').catch((error: Error) => {
    if (settings.databaseUrl)
      throw new StartError(
        `La base de datos de DATABASE_URL no responde (${error.message}). Revisa la dirección y que el servidor esté en marcha.`,
      )
    throw error
  })
  await migrate(pool, migrations, { warn: (line) => log.warn(line) })
  const db = openDatabase(pool)
  const storage = await openStorage(settings)
  await checkStorage(storage, settings)

  const file = join(settings.dataDir, 'primer-administrador.txt')
  const admin = await createFirstAdmin(db, file, clock.now(), settings.adminEmail)
  const secret = settings.sessionSecret ?? (await keptSecret(settings.dataDir))
  const services: Services = {
    settings,
    clock,
    db,
    storage,
    log,
    hilos: { conexion: connection, desde: FOR_THREADS },
    keyed: keysOf(secret),
  }
  const sitio: Sitio = {
    services,
    ediciones: { acervo: createAcervo(storage), borradores: createBorradores(db) },
    cuentas: createCuentas(services),
    registros: await createRegistros(services),
    recepcion: await createRecepcion(services),
    votacion: createVotacion(services),
    escrutinio: createEscrutinio(services),
    visitas: createVisitas(services),
    sonda: createSondaOf(services),
  }
  return { sitio, pool, connection, secreto: secret, firstAdmin: admin && { ...admin, file } }
}

/** Starts carrying mail, which only a process that serves the site does. */
export async function startMail(services: Services, undo: Undo): Promise<void> {
  const { nombre } = await loadFicha()
  const cartero = startCartero(services, openMailer(services.settings, nombre, services.log))
  undo.push(() => cartero.stop())
  undo.push(startRebotes(services))
}

/**
 * Starts sealing votes; any number of processes may do so.
 * @throws StartError when the vote under way was begun with another key, or the content parts votes from their
 * candidate
 */
export async function startCounting(services: Services, undo: Undo): Promise<void> {
  const eleccion = await loadEleccion()
  const { edicion, cierre } = eleccion
  if (!(await isOwnVote(services, edicion))) {
    // A vote that is over keeps no process from starting: this one only leaves its votes alone.
    if (!isNotClosed(cierre, services.clock.now()))
      return services.log.error({ edicion }, 'the votes were signed with another key: they are not sealed here')
    throw new StartError(
      'La votación en curso se firmó con otro secreto, y con éste ningún voto valdría. Pon en SESSION_SECRET el de antes, o su archivo session-secret en la carpeta de datos.',
    )
  }
  await keepNombres(services, eleccion)
  const sellador = startSealing(services, loadEleccion)
  undo.push(() => sellador.stop())
}
