import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readClock } from '#app/core/db/clock-guard.server.ts'
import { type Database, openPool } from '#app/core/db/database.server.ts'
import { backUpErasures } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { isVoteDay, listAttempts, readBackupStatus } from './data.server.ts'
import { BackupInProgress, faultReason } from './fault.server.ts'
import { runBackup, saveRehearsalResult } from './mutations.server.ts'
import { backupPassphrase } from './own-key.server.ts'
import { canRehearse, rehearseBackup } from './rehearsal.server.ts'
import { openBackup } from './restore.server.ts'
import { ROTATION_RULE } from './rotation.ts'
import { isInFuture } from './schema.ts'
import { openBackupStore } from './store.server.ts'

/** Earliest local time of the nightly backup, when there are few visitors. */
const RUN_AT = '03:00'
/** Minimum time between hourly backups. It is below an hour, since the job runs every quarter of an hour. */
const HOURLY_PAUSE_MS = 50 * MINUTE_MS
const WEEK_MS = 7 * DAY_MS

/** A running site that backs itself up. */
interface NightlySite {
  services: Pick<Services, 'db' | 'storage' | 'settings' | 'log' | 'clock'>
  connection: string | pg.PoolConfig
  secret: string
  /** Path of the project's root folder. */
  root: string
}

/**
 * Returns whether a backup is due: none was begun and completed since the last RUN_AT, and none was attempted within the last
 * hour. With `isHourly`, a backup is due if none was attempted within HOURLY_PAUSE_MS.
 * @param destination destination of the site's own backups, which alone count
 */
export async function isBackupDue(
  db: Database,
  destination: string,
  now: Date,
  { isHourly = false }: { isHourly?: boolean } = {},
): Promise<boolean> {
  const runAtToday = new Date(parseDateTimeLocal(`${isoDateOf(now)}T${RUN_AT}`)!)
  const latestRunAt = runAtToday > now ? new Date(runAtToday.getTime() - DAY_MS) : runAtToday
  // Attempts that are dated in the future do not count.
  const pastAttempts = (await listAttempts(db, destination)).filter(
    ({ empezada_at, hecha_at }) => !isInFuture(empezada_at, now) && !isInFuture(hecha_at, now),
  )
  const isMade = pastAttempts.some(({ empezada_at, hecha_at }) => hecha_at && empezada_at >= latestRunAt)
  const pauseMs = isHourly ? HOURLY_PAUSE_MS : HOUR_MS
  const isTried = pastAttempts.some(({ empezada_at }) => empezada_at.getTime() >= now.getTime() - pauseMs)
  return (isHourly || !isMade) && !isTried
}

/**
 * Returns whether a rehearsal is due: a week after the last rehearsal, a day after a failed one, or as soon as there is a first
 * backup.
 */
async function isRehearsalDue(db: Database, destination: string, now: Date): Promise<boolean> {
  const { rehearsal } = await readBackupStatus(db, destination, now)
  if (!(await listAttempts(db, destination)).some(({ hecha_at }) => hecha_at)) return false
  return !rehearsal || now.getTime() - rehearsal.at.getTime() > (rehearsal.failure === null ? WEEK_MS : DAY_MS)
}

/**
 * Copies the erasure log to the destination, and makes the nightly or hourly backup and the rehearsal of the newest backup, if
 * they are due. Does nothing without a destination, and while the machine's clock runs ahead.
 */
export async function runNightlyBackup(
  { services, connection, secret, root }: NightlySite,
  now = new Date(),
): Promise<void> {
  const { db, storage, settings, log } = services
  const { backupUrl, dataDir, publicUrl } = settings
  if (backupUrl === undefined) return
  // A backup that is dated next year by a wrong clock would be the newest one for a year.
  if ((await readClock(db, now)).isAhead) {
    log.warn('the clock runs ahead: no backup is made until it is right')
    return
  }
  // If the destination does not answer, the next attempt at a backup stores the reason.
  await backUpErasures(db, settings).catch((error: unknown) =>
    log.warn({ falla: faultReason(error) }, 'the erasure log was not copied'),
  )
  const onProgress = (progress: string) => log.debug({ progress }, 'backup')
  if (await isBackupDue(db, backupUrl, now, { isHourly: await isVoteDay(services) })) {
    const pool = openPool(connection, 3)
    pool.on('error', () => {})
    try {
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
      const site = { pool, storage, dataDir, publicUrl, secret, version }
      const completedBackup = await runBackup(
        site,
        { destination: backupUrl, passphrase: await backupPassphrase(db, settings, createKeyDeriver(secret)) },
        { rotation: ROTATION_RULE, onProgress },
      )
      const { id: backupId, bytes, objetos, avisos, perdidos } = completedBackup
      if (perdidos.length > 0) log.error({ copia: backupId, perdidos: perdidos.length }, 'a backup lacks documents')
      else log.info({ copia: backupId, bytes, objetos }, 'a backup was made')
      for (const notice of avisos)
        log.warn({ copia: backupId, aviso: notice }, 'notice about the destination of backups')
    } finally {
      await pool.end()
    }
  }
  // Without PostgreSQL binaries there is no rehearsal, which is no failure of the backup.
  if ((await canRehearse()) && (await isRehearsalDue(db, backupUrl, now)))
    await rehearseNewest({ services, secret, root }, backupUrl, onProgress)
}

/** Restores the newest backup in rehearsal, and stores the result. A backup that cannot be opened is a result, too. */
async function rehearseNewest(
  { services: { db, settings, log }, secret, root }: Omit<NightlySite, 'connection'>,
  destination: string,
  onProgress: (progress: string) => void,
): Promise<void> {
  let backupId: string | undefined
  let falla: string | undefined
  try {
    const passphrase = await backupPassphrase(db, settings, createKeyDeriver(secret))
    const store = await openBackupStore(destination, passphrase, {
      tempFolder: settings.dataDir,
      isReadOnly: true,
    })
    const openedBackup = await openBackup(store, undefined, onProgress)
    backupId = openedBackup.catalogEntry.id
    const rehearsalOptions = {
      migrationsFolder: join(root, 'db/migrations'),
      workFolder: settings.dataDir,
      secret,
      onProgress,
    }
    falla = (await rehearseBackup(openedBackup, rehearsalOptions)).summary
  } catch (error) {
    falla = faultReason(error)
  }
  await saveRehearsalResult(db, destination, backupId, falla)
  if (falla === undefined) log.info({ copia: backupId }, 'a backup was restored in rehearsal')
  else log.error({ copia: backupId, falla }, 'a backup does not restore')
}

export async function runBackupJob(site: NightlySite): Promise<void> {
  const { log } = site.services
  await runNightlyBackup(site).catch((error: unknown) => {
    if (error instanceof BackupInProgress) log.debug('another process makes the backup')
    // Only the reason is logged, since an error may quote rows and paths. The command `respaldo` shows the whole error.
    else log.error({ falla: faultReason(error) }, 'the backup failed')
  })
}
