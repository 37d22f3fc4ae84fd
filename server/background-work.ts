import { startVoterErasure } from '#app/accounts/people/voter-erasure.server.ts'
import { readErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import { startPresence } from '#app/core/db/presence.server.ts'
import { sweepTempFolders } from '#app/core/storage/temp-folders.server.ts'
import { startDeletions } from '#app/entries/retention/deletion.server.ts'
import { startNightlyBackups } from '#app/ops/backup/nightly.server.ts'
import { replayErasures } from '#app/ops/backup/replay-erasures.server.ts'
import { startHealthWatch } from '#app/ops/health/watch.server.ts'
import { startDigests } from '#app/panel/digest/digest.server.ts'
import { type EditionDisplay, openEditionDisplay } from './displayed-edition.ts'
import { type OpenSite, startCounting, startMail } from './services.ts'
import type { Undo } from './undo.ts'

interface Work extends Pick<OpenSite, 'site' | 'connection' | 'secret'> {
  root: string
  say(line: string): void
  /** In development screens come from the modules on disk, and no scheduled deletion or backup runs. */
  isDevelopment?: boolean
}

/**
 * Starts a site's background work, once its services are open: first the displayed edition, last mail and sealing.
 * @param undo receives a step for everything that is started
 */
export async function startWork(work: Work, undo: Undo): Promise<EditionDisplay> {
  const { site, connection, secret, root, say, isDevelopment = false } = work
  const { services, accounts, fileIntake, registrations, visits } = site
  const editions = await openEditionDisplay({ site, connection, root, say, hasPages: !isDevelopment })
  undo.push(() => editions.stop())
  undo.push(await startPresence(services.db))
  await sweepTempFolders(services.settings.dataDir)
  await registrations.recover()
  // An entry that cannot be deleted now never keeps the site from starting: it is hidden, and the sweep tries again.
  const bad = (file: string) => services.log.warn({ file }, 'this file is not a line of the erasure log')
  await replayErasures(services, await readErasuresBesideData(services.settings.dataDir, bad), root)
  undo.push(registrations.startSweeping())
  undo.push(fileIntake.startSweeping())
  undo.push(accounts.startSweeping())
  if (!isDevelopment) {
    undo.push(startDeletions(services))
    undo.push(startVoterErasure(services))
    undo.push(startNightlyBackups({ services, connection, secret, root }))
    undo.push(startHealthWatch(services, { root }))
  }
  undo.push(visits.start())
  undo.push(startDigests(services))
  await startMail(services, undo)
  await startCounting(services, undo)
  return editions
}
