import type { Services } from '#app/core/http/services.server.ts'
import type { Limites } from '#app/core/uploads/quota.server.ts'
import {
  openStagingArea,
  type StagingDe,
  type SubidaDe,
  type SubidaNuevaDe,
  type SubidaRecibidaDe,
} from '#app/core/uploads/staging-area.server.ts'
import {
  type ClaseDocumento,
  type LadoCredencial,
  MAX_ARCHIVO_BYTES,
  type TipoDocumento,
} from '#app/entries/definitions/document-kinds.ts'
import { checkedContent, checkedFileName } from './file-check.server.ts'
import { Rechazo } from './refusal.server.ts'
import { MENSAJES } from './schema.ts'

/** Six documents, some of them chosen again and again. */
const MAX_UPLOADS_PER_ENTREGA = 24

/**
 * Generous to a town behind one address (mobile networks share theirs), far from what fills a disk. A day's bytes are
 * those of a school that registers thirty candidates with the largest files there may be, and half as many again.
 */
const LIMITES: Limites = {
  maxStagedBytes: 20 * 1024 ** 3,
  maxStagedBytesPerClient: 1.5 * 1024 ** 3,
  maxDayBytes: 4 * 1024 ** 3,
  maxCreations: 900,
  maxSubmissions: 300,
  reservaMs: 5 * 60_000,
}

/** What a registration's file says of itself. */
interface DatosDeSubida {
  clase: ClaseDocumento
  lado: LadoCredencial | null
  /** The organisers asked for it again: it is taken also while the form is closed. */
  pedida?: boolean
}

export type Subida = SubidaDe<DatosDeSubida, TipoDocumento>
export type SubidaRecibida = SubidaRecibidaDe<DatosDeSubida, TipoDocumento>
export type SubidaNueva = SubidaNuevaDe<DatosDeSubida>
/** Files received and not yet registered. */
export type Staging = StagingDe<DatosDeSubida, TipoDocumento>

export interface StagingOptions {
  limites?: Partial<Limites>
  idleMs?: number
}

const RETRY_SECONDS = 60

/** Opens the staging area of the public forms: once in a process. */
export const openStaging = (services: Services, { limites, idleMs }: StagingOptions = {}): Promise<Staging> =>
  openStagingArea<DatosDeSubida, TipoDocumento>(services, {
    de: 'registros',
    antes: 'staging',
    limites: { ...LIMITES, ...limites },
    maxBytes: MAX_ARCHIVO_BYTES,
    maxUploads: MAX_UPLOADS_PER_ENTREGA,
    idleMs,
    ocupado: () => new Rechazo('guardando', MENSAJES.guardando, RETRY_SECONDS),
    checkedFileName,
    checkedContent,
  })
