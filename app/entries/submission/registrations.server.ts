import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import type { TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import { consultFolio, receiveReposicion } from './document-replacement.server.ts'
import { receiveRegistro } from './mutations.server.ts'
import type { Mesa } from './plan.server.ts'
import type { ResultadoFolio, ResultadoRegistro } from './schema.ts'
import { openStaging, type StagingOptions } from './staging.server.ts'
import { createSubidas, type Subidas } from './uploads.server.ts'

/** The reception of a running site: one in a process, which goes on with whatever any other began. */
export interface Registros extends Subidas {
  /** Receives a registration, with its uploads or with its files. */
  receive(tipo: TipoInscripcion, request: Request, facts: RequestFacts): Promise<ResultadoRegistro>
  /** Receives one document that the organisers asked for again. @param trazas keyed hashes of the networks that ask */
  receiveReposicion(request: Request, facts: RequestFacts, trazas: readonly string[]): Promise<ResultadoFolio>
  /** What became of an entry, for whoever has its folio. @param trazas keyed hashes of the networks that ask */
  consultFolio(trazas: readonly string[], typed: string): Promise<ResultadoFolio>
}

/** Opens the reception of this process. */
export async function createRegistros(services: Services, options?: StagingOptions): Promise<Registros> {
  const mesa: Mesa = { services, staging: await openStaging(services, options) }
  return {
    ...createSubidas(mesa),
    receive: (tipo, request, facts) => receiveRegistro(tipo, request, mesa, facts),
    receiveReposicion: (request, facts, trazas) => receiveReposicion(request, mesa, facts, trazas),
    consultFolio: (trazas, typed) => consultFolio(services, trazas, typed),
  }
}
