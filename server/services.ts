import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { createFirstAdmin, type FirstAdmin } from '#app/accounts/people/mutations.server.ts'
import { createVisitCounter, type VisitCounter } from '#app/analytics/visit-counter.server.ts'
import type { EditionServices, PublicPreview } from '#app/cms/context.server.ts'
import { createPhases, type Phases } from '#app/cms/edition-settings/phase.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { createDraftPreviews } from '#app/cms/editions/draft-preview.server.ts'
import { createMediaCache } from '#app/cms/editions/media-cache.server.ts'
import { assertDatabaseAnswers, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { assertNotMoved } from '#app/core/db/moved-marks.server.ts'
import { createServicesProbe, type ReadinessProbe } from '#app/core/http/health.early.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openMailer } from '#app/core/mail-transport/open-mailer.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir } from '#app/core/process/data-folder-lock.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { checkStorage, openStorage } from '#app/core/storage/open-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { openStaging } from '#app/entries/submission/staging.server.ts'
import { createRegistrations, type Registrations } from '#app/entries/submission/uploads.early.server.ts'
import { type Courts, createCourts } from '#app/finals/queen-page/courts.server.ts'
import { startMailWorker } from '#app/mail/worker.server.ts'
import { createFileIntake, type FileIntake } from '#app/panel/editor/files/file-intake.server.ts'
import { createVoting, type Voting } from '#app/voting/ballot/mutations.server.ts'
import { storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import { loadElection, readUnsealedYears } from '#app/voting/election/data.server.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import { createTally, type Tally } from '#app/voting/sealing/create-tally.server.ts'
import { maySealWithOwnKey } from '#app/voting/sealing/opening-record.server.ts'
import { startSealing } from '#app/voting/sealing/sealing-worker.server.ts'
import { markAsLasting, type Undo } from './undo.ts'

/** With its connections outside the pool, a process has at most the 30 that docs/operacion.md states. */
const MAX_POOL_CONNECTIONS = 20

/** The services of a running site. Each is created once in a process, and owns its state in memory. */
export interface Site {
  services: Services
  editions: EditionServices
  phases: Phases
  courts: Courts
  accounts: Accounts
  registrations: Registrations
  fileIntake: FileIntake
  voting: Voting
  tally: Tally
  visits: VisitCounter
  readinessProbe: ReadinessProbe
  /** Preview of a draft; undefined in the public site. */
  preview?: PublicPreview
}

export interface OpenSite {
  site: Site
  pool: pg.Pool
  /** Connection of the site's database, for other processes and for connections outside the pool. */
  connection: string | pg.PoolConfig
  /** The session secret, from which `keyed` derives all keys, that of the votes' signatures too. */
  secret: string
  /** The first administrator, if this start created the account, with the file that contains the password. */
  firstAdmin: (FirstAdmin & { file: string }) | undefined
}

/**
 * Claims the data folder, opens and migrates the database, opens the storage, and makes the first administrator if there is none.
 * @param migrations folder of the SQL files
 * @param undo receives a step for each resource that is opened
 * @param inherited is given if a supervisor has claimed the folder, with the connection of the embedded database that it started
 * @throws StartError if the folder, the database or the storage cannot be used
 */
export async function openSite(
  settings: Settings,
  migrations: string,
  undo: Undo,
  inherited?: { connection?: pg.PoolConfig | undefined },
): Promise<OpenSite> {
  const log = createLog(settings.logLevel)
  const clock = createClock(settings.siteClock)

  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  if (!inherited) undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))

  let connection: OpenSite['connection']
  if (settings.databaseUrl) connection = settings.databaseUrl
  else if (inherited?.connection) connection = inherited.connection
  else {
    const postgres = await startPostgres(join(settings.dataDir, 'postgres'), (message) => log.warn(message))
    undo.push(markAsLasting(() => postgres.stop()))
    connection = postgres.connection
  }
  const pool = openPool(connection, MAX_POOL_CONNECTIONS)
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'a database connection was lost')
  })
  undo.push(() => pool.end())
  await assertDatabaseAnswers(pool, settings)
  await migrate(pool, migrations, { warn: (line) => log.warn(line) })
  const db = openDatabase(pool)
  const storage = await openStorage(settings)
  await checkStorage(storage, settings)
  await assertNotMoved(db, storage)

  const passwordFile = join(settings.dataDir, 'primer-administrador.txt')
  const admin = await createFirstAdmin(db, passwordFile, clock.now(), settings.adminEmail)
  const secret = settings.sessionSecret ?? (await readOrCreateSecret(settings.dataDir))
  const services: Services = {
    settings,
    clock,
    db,
    storage,
    log,
    keyed: createKeyDeriver(secret),
  }
  const courts = createCourts(services)
  const site: Site = {
    services,
    editions: { mediaCache: createMediaCache(storage), draftPreviews: createDraftPreviews(db) },
    phases: createPhases(services, {
      readCourts: courts.read,
      readUnsealedYears: () => readUnsealedYears(services.db),
    }),
    courts,
    accounts: createAccounts(services),
    registrations: createRegistrations({ services, staging: await openStaging(services) }),
    fileIntake: await createFileIntake(services),
    voting: createVoting(services),
    tally: createTally(services),
    visits: createVisitCounter(services),
    readinessProbe: createServicesProbe(services),
  }
  return { site, pool, connection, secret, firstAdmin: admin && { ...admin, file: passwordFile } }
}

export async function startMail(services: Services, undo: Undo): Promise<void> {
  const { nombre } = await loadEditionCard()
  const mailWorker = startMailWorker(services, openMailer(services.settings, nombre, services.log))
  undo.push(() => mailWorker.stop())
}

/**
 * Starts sealing votes, in any number of processes at once.
 * @throws StartError if the content orphans votes or, before the closing, if the vote was begun with another key
 */
export async function startSealingVotes(services: Services, undo: Undo): Promise<void> {
  const election = await loadElection()
  const { edicion, cierre } = election
  if (!(await maySealWithOwnKey(services, edicion))) {
    // After the closing the site starts nevertheless, but this process does not seal the votes.
    if (!isBeforeClosing(cierre, services.clock.now()))
      return services.log.error({ edicion }, 'the votes were signed with another key: they are not sealed here')
    throw new StartError(
      'La votación en curso se firmó con otro secreto, y con éste ningún voto valdría. Pon en SESSION_SECRET el de antes, o su archivo session-secret en la carpeta de datos.',
    )
  }
  await storeCandidateNames(services, election)
  undo.push(startSealing(services, loadElection))
}
