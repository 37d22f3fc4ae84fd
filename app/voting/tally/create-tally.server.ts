import type { Services } from '#app/core/http/services.server.ts'
import { createVivo, type Vivo } from './live-results.server.ts'
import { createPublishedSeals, type PublishedSeals } from './published-seals.server.ts'
import { createRecordFiles, type RecordFiles } from './record-file.server.ts'

/** The tally's services of one process, with the state that they keep between requests. */
export interface Tally {
  actas: RecordFiles
  sellos: PublishedSeals
  vivo: Vivo
}

/** Created once in a process, at its start. */
export const createTally = (services: Services): Tally => ({
  actas: createRecordFiles(services),
  sellos: createPublishedSeals(services),
  vivo: createVivo(services),
})
