import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { ELECTION, VOTE_TABLES, voter } from '../support/voting/votes.ts'
import { servicesOn } from './accounts.ts'
import type { Site } from './site.ts'

/** Empties all tables of votes. Retried, because a deadlock with the mailing of receipts may end the statement. */
export const clearVotes = (site: Site) =>
  expect(async () => {
    await site.sql(`truncate ${VOTE_TABLES}`)
    // Published seals lie outside the database.
    await rm(join(site.dataDir, 'objects/sellos'), { recursive: true, force: true })
  }).toPass({ timeout: 20_000 })

/** Casts `counts[i]` votes for each candidate, by default an hour before the deadline. @returns the receipts */
export const castOn = (site: Site, counts: number[], at = '2025-09-25T22:59:00-06:00'): Promise<string[]> =>
  servicesOn(site, async (services) => {
    const clock = { now: () => new Date(at) }
    const voting = createVoting({ ...services, clock })
    const receipts: string[] = []
    for (const [vote, count] of counts.entries())
      for (let turn = 0; turn < count; turn++) {
        const who = voter()
        const answer = await voting.cast(ELECTION, who, { vote })
        expect(answer.ok).toBe(true)
        if (answer.ok) receipts.push(answer.recibo)
      }
    return receipts
  })
