import { visitBeacon } from './analytics/beacon.early.server.ts'
import { periods } from './cms/edition-settings/periods.early.server.ts'
import type { EarlyRoute } from './core/http/early-route.server.ts'
import { livenessRoute, readinessRoute } from './core/http/health.early.server.ts'
import { originals } from './entries/document-viewing/originals.early.server.ts'
import { registrations } from './entries/submission/receive.early.server.ts'
import { uploads } from './entries/submission/uploads.early.server.ts'
import { organiserUploads } from './panel/editor/files/uploads.early.server.ts'
import { pictures } from './site/press-room/images.early.server.ts'
import { vote } from './voting/ballot/vote.early.server.ts'
import { seals } from './voting/sealing/published-seals.early.server.ts'

/** Routes that the server answers before the router, in this order. All others are in routes.ts, besides the files of build/client. */
export const EARLY_ROUTES: readonly EarlyRoute[] = [
  livenessRoute,
  readinessRoute,
  periods,
  uploads,
  registrations,
  organiserUploads,
  originals,
  vote,
  visitBeacon,
  seals,
  pictures,
]
