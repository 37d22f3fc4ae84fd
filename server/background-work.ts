import { runChangeAlerts } from '#app/accounts/people/change-alerts.server.ts'
import { sweepVoters } from '#app/accounts/people/voter-erasure.server.ts'
import { readErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import { startPresence } from '#app/core/db/presence.server.ts'
import { type RecurringJob, startJob } from '#app/core/process/recurring-job.server.ts'
import { sweepTempFolders } from '#app/core/storage/temp-folders.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/mexico-dates.ts'
import { remindOfAppointments } from '#app/entries/letters/appointments.server.ts'
import { sweepDeletions } from '#app/entries/retention/deletion.server.ts'
import { processBounces } from '#app/mail/bounces.server.ts'
import { lookAfterBackups } from '#app/ops/backup/nightly.server.ts'
import { replayErasures } from '#app/ops/backup/replay-erasures.server.ts'
import { createHealthWatch } from '#app/ops/health/watch.server.ts'
import { sendDigests } from '#app/panel/digest/digest.server.ts'
import { type EditionDisplay, openEditionDisplay } from './displayed-edition.ts'
import { renderPage } from './render.ts'
import { type OpenSite, startCounting, startMail } from './services.ts'
import type { Undo } from './undo.ts'

interface Work extends Pick<OpenSite, 'site' | 'connection' | 'secret'> {
  root: string
  say(line: string): void
  /** In development screens come from the modules on disk, and no scheduled deletion or backup runs. */
  isDevelopment?: boolean
}

const SECOND_MS = 1_000

/**
 * Lists what a process does by the clock, besides mail and sealing. Any number of processes may do so over one database: rows
 * and locks see to it that each piece of work is done once.
 */
function jobsOf({ site, connection, secret, root, isDevelopment }: Work): RecurringJob[] {
  const { services, phases, accounts, fileIntake, registrations, visits } = site
  const always: RecurringJob[] = [
    // An organiser's change shows in every process's documents after this time.
    { name: 'phase', everyMs: 2 * SECOND_MS, firstMs: 2 * SECOND_MS, run: phases.refresh },
    { name: 'uploads', everyMs: 15 * MINUTE_MS, firstMs: 15 * MINUTE_MS, run: registrations.recover },
    { name: 'submissions', everyMs: MINUTE_MS, firstMs: MINUTE_MS, run: registrations.settle },
    { name: 'edition uploads', everyMs: 15 * MINUTE_MS, firstMs: 15 * MINUTE_MS, run: fileIntake.sweep },
    { name: 'accounts', everyMs: HOUR_MS, run: accounts.sweep },
    { name: 'codes', everyMs: MINUTE_MS, run: accounts.watchCodes },
    { name: 'account alerts', everyMs: 5 * SECOND_MS, firstMs: 5 * SECOND_MS, run: () => runChangeAlerts(services) },
    // A crash loses the counts of this many seconds.
    { name: 'visits', everyMs: 5 * SECOND_MS, firstMs: 5 * SECOND_MS, run: visits.flush },
    { name: 'digests', everyMs: 30 * SECOND_MS, run: () => sendDigests(services) },
    { name: 'reminders', everyMs: 5 * MINUTE_MS, run: () => remindOfAppointments(services) },
    { name: 'returned mail', everyMs: 5 * MINUTE_MS, run: () => processBounces(services) },
  ]
  if (isDevelopment) return always
  const backups = { services, connection, secret, root }
  return [
    ...always,
    { name: 'deletions', everyMs: 15 * MINUTE_MS, run: (stopping) => sweepDeletions(services, stopping) },
    { name: 'voters', everyMs: HOUR_MS, run: () => sweepVoters(services) },
    {
      name: 'backups',
      everyMs: 15 * MINUTE_MS,
      firstMs: MINUTE_MS,
      // An interrupted backup is invalid; the next one continues with the objects that were stored.
      patienceMs: SECOND_MS,
      run: () => lookAfterBackups(backups),
    },
    {
      // The first turn waits until the site serves, since a check looks at it from outside.
      name: 'watch',
      everyMs: MINUTE_MS,
      firstMs: 10 * SECOND_MS,
      // A machine that does not answer must not delay the stop.
      patienceMs: SECOND_MS,
      run: createHealthWatch(services, { root }),
    },
  ]
}

/**
 * Starts a site's background work, once its services are open: first the displayed edition, last mail and sealing.
 * @param undo receives a step for everything that is started
 */
export async function startWork(work: Work, undo: Undo): Promise<EditionDisplay> {
  const { site, connection, root, say, isDevelopment = false } = work
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
  // An entry that cannot be deleted now never keeps the site from starting: it is hidden, and the sweep tries again.
  const bad = (file: string) => services.log.warn({ file }, 'this file is not a line of the erasure log')
  await replayErasures(services, await readErasuresBesideData(services.settings.dataDir, bad), root)
  // The last counts are written after the jobs have stopped.
  undo.push(visits.flush)
  const stops = jobsOf(work).map((job) => startJob(services.log, job))
  undo.push(() => Promise.all(stops.map((stop) => stop())))
  await startMail(services, undo)
  await startCounting(services, undo)
  return editions
}
