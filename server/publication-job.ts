import type pg from 'pg'
import type { Queen } from '#app/cms/editions/displayed-edition.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'

/** A job of scripts/build-steps/publication.process.ts. */
export interface PublicationJob extends Pick<Settings, 'dataDir' | 'storageUrl'> {
  /** To prepare the waiting publication, or to render the pages or generate the picture sizes of `publicationId`. */
  task: 'prepare' | 'pages' | 'sizes'
  publicationId?: number | undefined
  connection: string | pg.PoolConfig
  root: string
  /** Content of build/stamp; empty in development. */
  buildId: string
  /** ISO moment by the site's clock. */
  now: string
  /** Queens of public finals by year; the job's process lacks the key that verifies a record. */
  queens: [number, Queen][]
}

/** Exit code of publication.process.ts if another process holds the job's lock or claim. */
export const EXIT_BUSY = 3
