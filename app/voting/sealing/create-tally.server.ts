import type { Services } from '#app/core/http/services.server.ts'
import { createLiveResults, type LiveResults } from './live-results.server.ts'
import { createPublishedSeals, type PublishedSeals } from './published-seals.server.ts'
import { createRecordFiles, type RecordFiles } from './record-file.server.ts'

/** The tally's services of one process, which keep state between requests. */
export interface Tally {
  recordFiles: RecordFiles
  publishedSeals: PublishedSeals
  liveResults: LiveResults
}

export const createTally = (services: Services): Tally => ({
  recordFiles: createRecordFiles(services),
  publishedSeals: createPublishedSeals(services),
  liveResults: createLiveResults(services),
})
