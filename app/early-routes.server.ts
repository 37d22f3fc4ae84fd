import { visto } from './analytics/beacon.early.server.ts'
import { periodos } from './cms/settings/periods.early.server.ts'
import type { Direccion } from './core/http/early-route.server.ts'
import { lista, vive } from './core/http/health.early.server.ts'
import { archivos } from './entries/documents/originals.early.server.ts'
import { subidas } from './entries/submission/uploads.early.server.ts'
import { subidasDelSitio } from './panel/editor/files/uploads.early.server.ts'
import { imagenes } from './site/press/images.early.server.ts'
import { voto } from './voting/ballot/vote.early.server.ts'
import { sellos } from './voting/tally/published-seals.early.server.ts'

/**
 * The addresses that are answered before the router, in this order; every other one stands in routes.ts, but for the
 * files that the build leaves in build/client.
 */
export const DIRECCIONES: readonly Direccion[] = [
  vive,
  lista,
  periodos,
  subidas,
  subidasDelSitio,
  archivos,
  voto,
  visto,
  sellos,
  imagenes,
]
