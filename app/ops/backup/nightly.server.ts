import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readClock } from '#app/core/db/clock-guard.server.ts'
import { type Database, openPool } from '#app/core/db/database.server.ts'
import { backUpErasures } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { dayOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { isInFuture, listAttempts, readBackupStatus } from './data.server.ts'
import { BackupInProgress, faultReason } from './fault.server.ts'
import { runBackup, saveRehearsalResult } from './mutations.server.ts'
import { canRehearse, rehearseBackup } from './rehearsal.server.ts'
import { openBackup } from './restore.server.ts'
import { ROTATION_RULE } from './rotation.ts'
import { openBackupStore } from './store.server.ts'

/** When the town sleeps. */
const RUN_AT = '03:00'
const LOOK_MS = 15 * 60_000
const FIRST_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** A site that copies itself. */
interface NightlySite {
  services: Pick<Services, 'db' | 'storage' | 'settings' | 'log'>
  /** How the database is reached. */
  connection: string | pg.PoolConfig
  secreto: string
  /** The project's root. */
  root: string
}

/**
 * @param destination where the site's own copies go: those made elsewhere do not count
 * @returns whether the night's copy is still to be made: none since three o'clock, nor one that failed within the hour
 */
export async function isBackupDue(db: Database, destination: string, now: Date): Promise<boolean> {
  const tonight = new Date(parseDateTimeLocal(`${dayOf(now)}T${RUN_AT}`)!)
  const night = tonight > now ? new Date(tonight.getTime() - DAY_MS) : tonight
  // What a clock that ran ahead wrote down is not of this night.
  const past = (await listAttempts(db, destination)).filter(
    ({ empezada_at, hecha_at }) => !isInFuture(empezada_at, now) && !isInFuture(hecha_at, now),
  )
  const made = past.some(({ empezada_at, hecha_at }) => hecha_at && empezada_at >= night)
  const tried = past.some(({ empezada_at }) => empezada_at.getTime() >= now.getTime() - HOUR_MS)
  return !made && !tried
}

/** @returns whether a rehearsal is due: none for a week, or the last one failed a day ago */
async function isRehearsalDue(db: Database, destination: string, now: Date): Promise<boolean> {
  const { ensayo } = await readBackupStatus(db, destination, now)
  if (!(await listAttempts(db, destination)).some(({ hecha_at }) => hecha_at)) return false
  return !ensayo || now.getTime() - ensayo.at.getTime() > (ensayo.falla === null ? WEEK_MS : DAY_MS)
}

/** Makes the night's copy, and once a week restores the newest one in rehearsal, where each is due. */
export async function runNightlyBackup(
  { services, connection, secreto, root }: NightlySite,
  now = new Date(),
): Promise<void> {
  const { db, storage, settings, log } = services
  const { backupUrl, backupKey, dataDir, publicUrl } = settings
  if (backupUrl === undefined) return
  // Nothing here goes by a clock that is known to be wrong: a copy of next year would be the newest for a year.
  if ((await readClock(db, now)).adelantado) {
    log.warn('the clock runs ahead: no backup is made until it is right')
    return
  }
  await backUpErasures(db, settings)
  const dice = (progress: string) => log.debug({ avance: progress }, 'backup')
  if (await isBackupDue(db, backupUrl, now)) {
    const pool = openPool(connection, 3)
    pool.on('error', () => {})
    try {
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
      const site = { pool, storage, dataDir, publicUrl, secreto, version }
      const completed = await runBackup(
        site,
        { destino: backupUrl, clave: backupKey },
        { conservar: ROTATION_RULE, dice },
      )
      const { id: backup, bytes, objetos, avisos, perdidos } = completed
      if (perdidos.length > 0) log.error({ copia: backup, perdidos: perdidos.length }, 'a backup lacks documents')
      else log.info({ copia: backup, bytes, objetos }, 'a backup was made')
      for (const aviso of avisos) log.warn({ copia: backup, aviso }, 'about the place of backups')
    } finally {
      await pool.end()
    }
  }
  // Where it cannot be tried, that nothing was tried is said in itself; it is no fault of the copy's.
  if ((await canRehearse()) && (await isRehearsalDue(db, backupUrl, now)))
    await rehearseNewest({ services, secreto, root }, backupUrl, dice)
}

/** Restores the newest copy in rehearsal. What comes of it is written down, also where it cannot be opened at all. */
async function rehearseNewest(
  { services: { db, settings, log }, secreto, root }: Omit<NightlySite, 'connection'>,
  destination: string,
  dice: (progress: string) => void,
): Promise<void> {
  let backup: string | undefined
  let falla: string | undefined
  try {
    const store = await openBackupStore(destination, settings.backupKey, { espera: settings.dataDir, soloLeer: true })
    const opened = await openBackup(store, undefined, dice)
    backup = opened.caratula.id
    const [migrations, place] = [join(root, 'db/migrations'), settings.dataDir]
    falla = (await rehearseBackup(opened, { migrations, lugar: place, secreto, dice })).resumen
  } catch (error) {
    falla = faultReason(error)
  }
  await saveRehearsalResult(db, destination, backup, falla)
  if (falla === undefined) log.info({ copia: backup }, 'a backup was restored in rehearsal')
  else log.error({ copia: backup, falla }, 'a backup does not restore')
}

/** Copies the site every night, for as long as it runs and there is somewhere to. @returns ends it */
export function startNightlyBackups(site: NightlySite): () => Promise<void> {
  const { settings, log } = site.services
  if (settings.backupUrl === undefined) return async () => {}
  let running = Promise.resolve()
  const look = () => {
    running = running
      .then(() => runNightlyBackup(site))
      .catch((error: unknown) => {
        // Another process of the site is at it.
        if (error instanceof BackupInProgress) log.debug('another process makes the backup')
        // What went wrong may quote rows and paths; the command at the terminal says all of it.
        else log.error({ falla: faultReason(error) }, 'the backup failed')
      })
  }
  const first = setTimeout(look, FIRST_MS).unref()
  const timer = setInterval(look, LOOK_MS).unref()
  return async () => {
    clearTimeout(first)
    clearInterval(timer)
    // A copy that is cut is none: the next one goes on from the objects that it left.
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
  }
}
