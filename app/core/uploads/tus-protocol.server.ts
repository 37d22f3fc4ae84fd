import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, type Locker, Server, Upload } from '@tus/server'
import { asRefusalError, RefusalError, refusalResponse } from '#app/core/http/refusal.server.ts'
import type { CountedRefusal } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES } from '#app/core/http/upload-refusals.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import type { NewUploadOf, ReceivedUploadOf, StagingArea } from './staging-area.server.ts'

const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']
/** Requests do without locks, since the upload's row accepts only one of two chunks with the same offset (`recordChunk`). */
const NO_LOCKS: Locker = { newLock: () => ({ lock: async () => {}, unlock: async () => {} }) }

export type UploadAnnouncement = Pick<Upload, 'metadata' | 'size'>

/** The rules of an area for the uploads that it takes. */
export interface UploadRules<Data extends object> {
  /** Path of the endpoint. Each upload has a path below it. */
  path: string
  /** Area under which refusals are counted. */
  area: CountedRefusal['area']
  staging: StagingArea<Data>
  /**
   * Returns the key of the requester's uploads. The requester has no access to uploads with other keys.
   * @param accountId '' without an account
   * @throws RefusalError if the requester may not upload anything
   */
  keyOf(request: Request, accountId: string): string
  /** Turns an announcement into a new upload. @throws RefusalError if the area does not take such an upload, or takes none now */
  begin(announcement: UploadAnnouncement, facts: RequestFacts): Promise<NewUploadOf<Data>>
  /** Is called before bytes are written. @throws RefusalError if the area takes no more bytes */
  beforeWrite?(upload: ReceivedUploadOf<Data>): Promise<void>
  /** Returns an upload's metadata for its owner. */
  metadataOf(upload: ReceivedUploadOf<Data>): Record<string, string>
  statusOf(reason: string): number
  /** Returns the area's own message for a refusal, if it has one. */
  messageOf?(reason: string): string | undefined
  faultMessage(requestId: string): string
}

/**
 * Handles all tus requests of an area. Only the owner has access to an upload.
 * @param accountId the signed-in account, if the area needs one
 */
export type UploadHandler = (request: Request, facts: RequestFacts, accountId?: string) => Promise<Response>

/** Creates the handler of resumable uploads (tus.io). */
export function createTusHandler<Data extends object>(
  { log }: Pick<Services, 'log'>,
  rules: UploadRules<Data>,
): UploadHandler {
  const { path, area, staging, statusOf, messageOf, faultMessage } = rules
  const ownerByRequest = new WeakMap<Request, { key: string; facts: RequestFacts }>()
  const refusalByRequest = new WeakMap<Request, RefusalError>()
  const ownerOf = (request: Request) => {
    const owner = ownerByRequest.get(request)
    if (owner === undefined) throw new Error('A request without an owner')
    return owner
  }
  const respondRefused = ({ reason, message, retryAfterSeconds }: RefusalError, headers?: Headers) =>
    refusalResponse(
      area,
      new RefusalError(reason, messageOf?.(reason) ?? message, retryAfterSeconds),
      statusOf(reason),
      headers,
    )

  const tus = new Server({
    path,
    datastore: new StagingDataStore(rules),
    locker: NO_LOCKS,
    allowedOrigins: () => false,
    // The data store's name of an upload is <key of its submission>.<id>, so that an id with another key leads to no upload.
    namingFunction: (request) => `${ownerOf(request).key}.${randomUUID()}`,
    getFileIdFromRequest: (request, id) => (isUuid(id) ? `${ownerOf(request).key}.${id}` : undefined),
    generateUrl: (_request, { id }) => `${path}/${splitName(id).id}`,
    async onUploadCreate(request, upload) {
      const { key, id } = splitName(upload.id)
      const { facts } = ownerOf(request)
      await staging.create(key, await rules.begin(upload, facts), facts.client, id)
      return {}
    },
    async onUploadFinish(_request, upload) {
      const { key, id } = splitName(upload.id)
      await staging.seal(key, id)
      return {}
    },
    onResponseError(request, error) {
      const { facts } = ownerOf(request)
      const refusal = refusalOf(error)
      if (refusal === undefined) log.error({ id: facts.id, err: error }, 'an upload could not be received')
      refusalByRequest.set(request, refusal ?? new RefusalError('falla', faultMessage(facts.id)))
      return undefined
    },
  })

  return async (originalRequest, facts, accountId = '') => {
    const request = asPatch(originalRequest)
    if (!METHODS.includes(request.method))
      return respondRefused(
        new RefusalError('metodo', UPLOAD_MESSAGES.peticion),
        new Headers({ allow: METHODS.join(', ') }),
      )
    try {
      ownerByRequest.set(request, { key: rules.keyOf(request, accountId), facts })
    } catch (error) {
      if (error instanceof RefusalError) return respondRefused(error)
      throw error
    }
    const response = await tus.handleWeb(request)
    // Only this site's own forms upload files, so the library's CORS headers are removed.
    for (const name of [...response.headers.keys()])
      if (name.startsWith('access-control-')) response.headers.delete(name)
    response.headers.set('cache-control', 'no-store')
    if (response.status < 400) return response
    const refusal = refusalByRequest.get(request) ?? refusalOf({ status_code: response.status })
    return respondRefused(refusal ?? new RefusalError('falla', faultMessage(facts.id)), response.headers)
  }
}

/**
 * Turns a POST with `X-HTTP-Method-Override: PATCH` into a PATCH, as tus provides for machines on the way that block PATCH. Pages
 * of other origins cannot send such a request, since the header needs a CORS preflight.
 */
const asPatch = (request: Request): Request =>
  request.method === 'POST' && request.headers.get('x-http-method-override')?.toUpperCase() === 'PATCH'
    ? new Request(request, { method: 'PATCH', duplex: 'half' } as RequestInit)
    : request

/** Splits the data store's name of an upload into the key of its submission and the upload's id. */
function splitName(name: string): { key: string; id: string } {
  const [key = '', id = ''] = name.split('.')
  return { key, id }
}

/** Returns the refusal for an error, or undefined for a fault of the site. */
function refusalOf(error: unknown): RefusalError | undefined {
  const refusal = asRefusalError(error)
  if (refusal) return refusal
  // The body was cut, so the sender has to resume.
  if (error === ERRORS.ABORTED) return new RefusalError('subidaDesfasada', UPLOAD_MESSAGES.subidaDesfasada)
  const status = (error as { status_code?: number }).status_code ?? 500
  if (status === 404 || status === 410) return new RefusalError('subidaAjena', UPLOAD_MESSAGES.subidaAjena)
  if (status === 409) return new RefusalError('subidaDesfasada', UPLOAD_MESSAGES.subidaDesfasada)
  if (status === 413) return new RefusalError('archivoGrande', UPLOAD_MESSAGES.subidaLarga)
  return status < 500 || status === 501 ? new RefusalError('peticion', UPLOAD_MESSAGES.peticion) : undefined
}

class StagingDataStore<Data extends object> extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination']
  readonly #rules: UploadRules<Data>

  constructor(rules: UploadRules<Data>) {
    super()
    this.#rules = rules
  }

  /** Does nothing, since onUploadCreate, which knows the owner, has created the upload. */
  override async create(upload: Upload): Promise<Upload> {
    return upload
  }

  override async write(body: Readable, name: string, offset: number): Promise<number> {
    const { staging, beforeWrite } = this.#rules
    const { key, id } = splitName(name)
    const upload = await staging.find(key, id)
    if (upload) await beforeWrite?.(upload)
    return staging.append(key, id, body, offset)
  }

  override async getUpload(name: string): Promise<Upload> {
    const { key, id } = splitName(name)
    const upload = await this.#rules.staging.find(key, id)
    // A file from a form without JavaScript has no length while it is being sent, and cannot be continued by tus.
    if (upload === undefined || upload.size === null) throw ERRORS.FILE_NOT_FOUND
    const { filename, size, offset, createdAt } = upload
    const metadata = { ...this.#rules.metadataOf(upload), filename }
    return new Upload({ id: name, size, offset, metadata, creation_date: new Date(createdAt).toISOString() })
  }

  override async remove(name: string): Promise<void> {
    const { key, id } = splitName(name)
    const { staging } = this.#rules
    if ((await staging.find(key, id)) === undefined) throw ERRORS.FILE_NOT_FOUND
    await staging.remove(key, id)
  }
}
