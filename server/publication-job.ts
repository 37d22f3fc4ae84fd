import type pg from 'pg'
import type { Queen } from '#app/cms/editions/displayed-edition.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'

/** A `PublicationJob` is the job of scripts/build-steps/publication.process.ts. */
export interface PublicationJob extends Pick<Settings, 'dataDir' | 'storageUrl'> {
  /**
   * `prepare` prepares the waiting publication, `pages` renders one publication for this build, `sizes` makes its pictures.
   */
  task: 'prepare' | 'pages' | 'sizes'
  publicationId?: number | undefined
  connection: string | pg.PoolConfig
  root: string
  /** The id of the build that renders. */
  buildId: string
  /** The site's clock, ISO. */
  now: string
  /** Those of public finals, by year: the process lacks the key that checks a record. */
  queens: [number, Queen][]
}

/** The process publication.process.ts exits with this code while another process does the same job. */
export const EXIT_BUSY = 3
