import { createContext, type RouterContextProvider } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { createTusHandler, type UploadAnnouncement, type UploadHandler } from '#app/core/uploads/tus-protocol.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { DOCUMENT_KINDS, type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { parseFolio } from '#app/entries/folio.ts'
import { recoverSubmissions } from './recovery.server.ts'
import { findClosedRefusal, RegistrationRefusalError } from './refusal.server.ts'
import { REGISTRATION_MESSAGES, type RefusalReason, statusOf } from './schema.ts'
import type { IntakeContext, NewUpload } from './staging.server.ts'

/** Answers the uploads of both forms and of the folio's page (tus protocol). @see https://tus.io/protocols/resumable-upload */
export const uploads: EarlyRoute = {
  paths: ['/subidas', '/subidas/*'],
  methods: ['ANY'],
  takesFiles: true,
  // The URL of an upload never has a query.
  answer: async (request, context) =>
    new URL(request.url).search === ''
      ? registrationsOf(context).handle(request, servicesOf(context).facts)
      : textResponse('Esta dirección no se usa así.', 400),
}

/** Receives a process's registrations, and settles submissions that any process left unfinished. */
export interface Registrations extends IntakeContext {
  /** Answers every request under /subidas; only the submission that owns an upload reaches the upload (D16). */
  handle: UploadHandler
  /** Settles interrupted submissions, and sweeps old uploads. */
  recover(): Promise<void>
  /** Settles interrupted submissions without the sweep, so that it may run often. */
  settle(): Promise<unknown>
}

/** Registrations of the running site; null while public screens are prerendered. */
export const registrationsContext = createContext<Registrations | null>(null)

/** Returns the process's Registrations. @throws Error while public screens are prerendered */
export function registrationsOf(context: Readonly<RouterContextProvider>): Registrations {
  const registrations = context.get(registrationsContext)
  if (!registrations) throw new Error('This screen receives registrations; it cannot be prerendered')
  return registrations
}

/** Returns keyed hashes of a visitor's networks, by which lookups of folios are limited. */
export const folioTracesOf = (context: Readonly<RouterContextProvider>): string[] =>
  networksOf(servicesOf(context).facts.client).map((network) => accountsOf(context).traceOf(`folio:${network}`))

export function createRegistrations(intake: IntakeContext): Registrations {
  const { services, staging } = intake

  async function requireOpen(kind: DocumentKind) {
    const refusal = await findClosedRefusal(services, FORMS[kindOf(kind).entryType])
    if (refusal) throw refusal
  }

  async function isDocumentRequested({ clase, lado }: NewUpload, folio: string | null | undefined, client: string) {
    if (!folio) return false
    // The attempt is counted, so that folios cannot be guessed here.
    await staging.quota.countCreation(client)
    const entry = await findByFolio(services.db, parseFolio(folio) ?? '', services.clock.now())
    return entry?.view.solicitudes.some((request) => request.clase === clase && request.lado === lado) ?? false
  }

  const handle = createTusHandler(services, {
    path: '/subidas',
    area: 'registro',
    staging,
    keyOf(request) {
      const submissionId = request.headers.get('x-entrega')
      if (!isUuid(submissionId) && request.method !== 'OPTIONS')
        throw new RegistrationRefusalError('entrega', REGISTRATION_MESSAGES.peticion)
      return submissionKeyOf(submissionId ?? '')
    },
    async begin(announcement, { client }) {
      const newUpload = parseMetadata(announcement)
      const isAnswerToRequest = await isDocumentRequested(newUpload, announcement.metadata?.folio, client)
      if (!isAnswerToRequest) await requireOpen(newUpload.clase)
      return { ...newUpload, pedida: isAnswerToRequest }
    },
    async beforeWrite({ pedida, clase }) {
      if (!pedida) await requireOpen(clase)
    },
    metadataOf: ({ clase, lado }) => ({ clase, ...(lado && { lado }) }),
    statusOf: (reason) => statusOf(reason as RefusalReason),
    faultMessage: REGISTRATION_MESSAGES.falla,
  })

  return {
    ...intake,
    handle,
    async recover() {
      const removedCount = await staging.sweep(await recoverSubmissions(intake))
      if (removedCount > 0) services.log.info({ removed: removedCount }, 'staged uploads swept')
    },
    settle: () => recoverSubmissions(intake),
  }
}

/** The page's script also states the browser's `filetype`, which is not used: the type is detected from the content. */
const METADATA_KEYS: ReadonlySet<string> = new Set(['clase', 'lado', 'filename', 'filetype', 'folio'])

/**
 * Parses the metadata of a new upload.
 * @throws RegistrationRefusalError camposDesconocidos for an unknown key; peticion for a missing name or length, a missing or unknown
 *   kind, or a wrong side
 */
function parseMetadata({ metadata, size }: UploadAnnouncement): NewUpload {
  if (Object.keys(metadata ?? {}).some((key) => !METADATA_KEYS.has(key)))
    throw new RegistrationRefusalError('camposDesconocidos', REGISTRATION_MESSAGES.camposDesconocidos)
  const kind = DOCUMENT_KINDS.find((documentKind) => documentKind === metadata?.clase)
  const side = metadata?.lado ?? null
  const isSide = side === 'anverso' || side === 'reverso'
  if (kind === undefined || size === undefined || !metadata?.filename)
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  if (side !== null && !(isSide && kindOf(kind).fileCount === 2))
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  return { clase: kind, lado: isSide ? side : null, filename: metadata.filename, size }
}
