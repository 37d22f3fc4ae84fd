import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { consultFolio, receiveReplacement } from './document-replacement.server.ts'
import { receiveRegistration } from './mutations.server.ts'
import type { Desk } from './plan.server.ts'
import type { FolioResult, RegistrationResult } from './schema.ts'
import { openStaging, type StagingOptions } from './staging.server.ts'
import { createUploads, type Uploads } from './uploads.server.ts'

/** A process has one Registrations service; each continues what another process left unfinished. */
export interface Registrations extends Uploads {
  /** Receives a registration, with the ids of its uploads or with its files. */
  receive(type: EntryType, request: Request, facts: RequestFacts): Promise<RegistrationResult>
  /** Receives one requested document. @param traces keyed hashes of the client's networks, the narrowest first */
  receiveReplacement(request: Request, facts: RequestFacts, traces: readonly string[]): Promise<FolioResult>
  /** Looks up an entry for the holder of its folio. @param traces keyed hashes of the client's networks, the narrowest first */
  consultFolio(traces: readonly string[], typed: string): Promise<FolioResult>
}

export async function createRegistrations(services: Services, options?: StagingOptions): Promise<Registrations> {
  const desk: Desk = { services, staging: await openStaging(services, options) }
  return {
    ...createUploads(desk),
    receive: (type, request, facts) => receiveRegistration(type, request, desk, facts),
    receiveReplacement: (request, facts, traces) => receiveReplacement(request, desk, facts, traces),
    consultFolio: (traces, typed) => consultFolio(services, traces, typed),
  }
}
