import { sql } from 'kysely'
import { may } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { dayOf, formatDayAndTime, formatLongDate, formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { countUndelivered } from '#app/entries/letters/data.server.ts'
import { readActivity } from '#app/entries/states/activity.server.ts'
import { backupsInWords, readBackupStatus } from '#app/ops/backup/data.server.ts'
import { diskSpaceInWords } from '#app/ops/health/rules.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import type { InboxSummaryData } from './inbox-summary.tsx'

/** A visit ends when the organiser has asked for nothing for this long. */
const VISIT_GAP_MS = 30 * 60_000

/**
 * Records an organiser's visit to the inbox. The column `desde`, which cannot be null, is 1970 until the first visit has ended.
 * @returns the last moment of the visit before; null during the whole first visit
 */
async function recordVisit(db: Database, userId: string, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ desde: Date | null }>`
    insert into escritorios as stored (user_id, desde, at) values (${userId}, to_timestamp(0), ${now})
    on conflict (user_id) do update set at = greatest(stored.at, excluded.at),
      desde = case when stored.at < ${new Date(now.getTime() - VISIT_GAP_MS)} then stored.at else stored.desde end
    returning nullif(desde, to_timestamp(0)) as desde`.execute(db)
  return rows[0]?.desde ?? null
}

/**
 * Reads an edition's inbox summary. A call counts as a visit: entries from before a visit's last call are no longer new once half
 * an hour has passed without a call.
 */
export async function visitInbox(
  { db, clock, settings }: Pick<Services, 'db' | 'clock' | 'settings'>,
  session: { userId: string; role: Role | null },
  year: number,
): Promise<InboxSummaryData> {
  const now = clock.now()
  const lastVisitAt = await recordVisit(db, session.userId, now)
  const [activity, undeliveredCount, space, backups, { fechas, candidatas, anio: currentYear }] = await Promise.all([
    readActivity(db, year, lastVisitAt, now),
    countUndelivered(db, year),
    readDiskSpace(settings.dataDir, settings.diskReserve),
    readBackupStatus(db, settings.backupUrl),
    loadEdition(),
  ])
  const oldestMomentText = (state: keyof typeof activity.oldestAt) => {
    const at = activity.oldestAt[state]
    return at && formatPastMoment(at, now)
  }
  const closing = new Date(fechas.cierreVotacion)
  return {
    newEntryCount: activity.newCount,
    lastVisitText: lastVisitAt && formatPastMoment(lastVisitAt, now),
    entriesPerDay: activity.perDay.map(({ date, count }) => ({
      day: formatLongDate(date),
      isToday: date === dayOf(now),
      count,
    })),
    oldestTextByState: {
      recibida: oldestMomentText('recibida'),
      'en-revision': oldestMomentText('en-revision'),
      'falta-documento': oldestMomentText('falta-documento'),
    },
    voteStatusText:
      year !== currentYear || candidatas.length === 0
        ? undefined
        : isBeforeClosing(fechas.cierreVotacion, now)
          ? `Abierta: cierra el ${formatDayAndTime(closing)}.`
          : `Cerró el ${formatDayAndTime(closing)}.`,
    undeliveredCount,
    mayViewResults: may(session.role, 'resultados'),
    diskSpaceText: diskSpaceInWords(space),
    // Backups go by the machine's clock, even where a trial run sets the site's clock.
    backupsText: backupsInWords(backups, new Date()),
  }
}
