import { runChangeAlerts } from '#app/accounts/people/change-alerts.server.ts'
import { sweepVoters } from '#app/accounts/people/voter-erasure.server.ts'
import { readErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import { startPresence } from '#app/core/db/presence.server.ts'
import { type RecurringJob, startJob } from '#app/core/process/recurring-job.server.ts'
import { sweepTempFolders } from '#app/core/storage/temp-folders.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { deleteOldRequests } from '#app/entries/help-requests.server.ts'
import { remindOfAppointments } from '#app/entries/letters/appointments.server.ts'
import { sweepDeletions } from '#app/entries/retention/deletion.server.ts'
import { processBounces } from '#app/mail/bounces.server.ts'
import { runBackupJob } from '#app/ops/backup/nightly.server.ts'
import { replayErasures } from '#app/ops/backup/replay-erasures.server.ts'
import { createHealthWatch } from '#app/ops/health/watch.server.ts'
import { sendDigests } from '#app/panel/digest/digest.server.ts'
import { type EditionDisplay, openEditionDisplay } from './displayed-edition.ts'
import { renderPage } from './render.ts'
import { type OpenSite, startMail, startSealingVotes } from './services.ts'
import type { Undo } from './undo.ts'

interface BackgroundWorkOptions extends Pick<OpenSite, 'site' | 'connection' | 'secret'> {
  root: string
  say(line: string): void
  /**
   * Whether the site runs in development: screens come from the modules on disk; no entry or voter's account is deleted by time, no
   * backup is made, and the health watch does not run.
   */
  isDevelopment?: boolean
}

const SECOND_MS = 1_000

/**
 * Lists the recurring jobs of a process, besides mail and sealing. Any number of processes may run them over one database, since
 * rows and locks ensure that shared work is done once; phases, codes and visits are watched by each process for itself.
 */
function listJobs({ site, connection, secret, root, isDevelopment }: BackgroundWorkOptions): RecurringJob[] {
  const { services, phases, accounts, fileIntake, registrations, visits } = site
  const commonJobs: RecurringJob[] = [
    // An organiser's change of a setting appears in the documents of every process within this interval.
    { name: 'phase', everyMs: 2 * SECOND_MS, firstDelayMs: 2 * SECOND_MS, run: phases.refresh },
    { name: 'uploads', everyMs: 15 * MINUTE_MS, firstDelayMs: 15 * MINUTE_MS, run: registrations.recover },
    { name: 'submissions', everyMs: MINUTE_MS, firstDelayMs: MINUTE_MS, run: registrations.settle },
    { name: 'edition uploads', everyMs: 15 * MINUTE_MS, firstDelayMs: 15 * MINUTE_MS, run: fileIntake.sweep },
    { name: 'accounts', everyMs: HOUR_MS, run: accounts.sweep },
    { name: 'codes', everyMs: MINUTE_MS, run: accounts.watchCodes },
    {
      name: 'account alerts',
      everyMs: 5 * SECOND_MS,
      firstDelayMs: 5 * SECOND_MS,
      run: () => runChangeAlerts(services),
    },
    // A crash loses the visits counted since the last run.
    { name: 'visits', everyMs: 5 * SECOND_MS, firstDelayMs: 5 * SECOND_MS, run: visits.flush },
    { name: 'digests', everyMs: 30 * SECOND_MS, run: () => sendDigests(services) },
    { name: 'requests', everyMs: HOUR_MS, run: async () => void (await deleteOldRequests(services.db)) },
    { name: 'reminders', everyMs: 5 * MINUTE_MS, run: () => remindOfAppointments(services) },
    { name: 'returned mail', everyMs: 5 * MINUTE_MS, run: () => processBounces(services) },
  ]
  if (isDevelopment) return commonJobs
  const backups = { services, connection, secret, root }
  return [
    ...commonJobs,
    { name: 'deletions', everyMs: 15 * MINUTE_MS, run: (stopping) => sweepDeletions(services, stopping) },
    { name: 'voters', everyMs: HOUR_MS, run: () => sweepVoters(services) },
    {
      name: 'backups',
      everyMs: 15 * MINUTE_MS,
      firstDelayMs: MINUTE_MS,
      // An interrupted backup is invalid, but the next backup reuses the objects that were stored.
      maxStopWaitMs: SECOND_MS,
      run: () => runBackupJob(backups),
    },
    {
      // The first run comes when the site usually serves, since one of its checks requests the site from outside.
      name: 'watch',
      everyMs: MINUTE_MS,
      firstDelayMs: 10 * SECOND_MS,
      // A monitor that does not answer must not delay the stop.
      maxStopWaitMs: SECOND_MS,
      run: createHealthWatch(services, { root }),
    },
  ]
}

/**
 * Starts the background work of a site whose services are open: first the displayed edition, last mail and sealing.
 * @param undo receives a step for each part that is started
 */
export async function startBackgroundWork(options: BackgroundWorkOptions, undo: Undo): Promise<EditionDisplay> {
  const { site, connection, root, say, isDevelopment = false } = options
  const { services, registrations, visits } = site
  const editions = await openEditionDisplay({
    site,
    connection,
    root,
    say,
    hasPages: !isDevelopment,
    renderIn: (path, phase) => renderPage(new Request(new URL(path, 'http://localhost')), phase),
  })
  undo.push(() => editions.stop())
  await site.phases.refresh()
  undo.push(await startPresence(services.db))
  await sweepTempFolders(services.settings.dataDir)
  await registrations.recover()
  const warnOfBadFile = (file: string) => services.log.warn({ file }, 'this file is not a line of the erasure log')
  // An entry that cannot be deleted now does not keep the site from starting: it is hidden, and the sweep tries again.
  await replayErasures(services, await readErasuresBesideData(services.settings.dataDir, warnOfBadFile), root)
  // Since steps are undone backwards, the last counts are written after the jobs have stopped.
  undo.push(visits.flush)
  const stopFunctions = listJobs(options).map((job) => startJob(services.log, job))
  undo.push(() => Promise.all(stopFunctions.map((stop) => stop())))
  await startMail(services, undo)
  await startSealingVotes(services, undo)
  return editions
}
