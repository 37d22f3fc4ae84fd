import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { hasTooManyFields } from '#app/core/http/form-limits.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { type DocumentKind, kindOf, MAX_FILE_BYTES } from '#app/entries/definitions/document-kinds.ts'
import { asRegistrationRefusal, RegistrationRefusalError } from './refusal.server.ts'
import { REGISTRATION_MESSAGES, type RefusalReason } from './schema.ts'
import type { StagedUpload, Staging } from './staging.server.ts'

/** Fields and kinds of files that a form may have beside `entrega` and `documentos`. */
interface ExpectedParts {
  fields: readonly string[]
  kinds: readonly DocumentKind[]
}

/** A posted registration or requested document, filled while it is read. */
export interface PostedForm {
  expectedParts: ExpectedParts
  /** Whether files are staged; while registration is closed they are skipped. */
  takesFiles: boolean
  fields: Map<string, string>
  /** Whether the form has a field or a file that is not expected. */
  hasUnknownField: boolean
  /** Whether a field arrived twice; `fields` then has its first value, and the form is refused. */
  hasRepeatedField: boolean
  /** Refused files; the other files are staged all the same. */
  refusals: { campo: DocumentKind; reason: RefusalReason; message: string }[]
  /** Upload ids of the accepted files that came with this form, in the form's order. */
  arrivedIds: Map<DocumentKind, string[]>
  /** SHA-256 of each accepted file of this form, kept because a concurrent copy of the form may remove the files. */
  checksums: string[]
}

export const emptyForm = (expectedParts: ExpectedParts): PostedForm => ({
  expectedParts: expectedParts,
  takesFiles: true,
  fields: new Map(),
  hasUnknownField: false,
  hasRepeatedField: false,
  refusals: [],
  arrivedIds: new Map(),
  checksums: [],
})

/** Returns a form's key in the journal. @throws RegistrationRefusalError without a valid submission id, or with an unknown field */
export function keyOfForm({ fields, hasUnknownField }: PostedForm): string {
  const submissionId = fields.get('entrega')
  if (!isUuid(submissionId)) throw new RegistrationRefusalError('entrega', REGISTRATION_MESSAGES.peticion)
  if (hasUnknownField)
    throw new RegistrationRefusalError('camposDesconocidos', REGISTRATION_MESSAGES.camposDesconocidos)
  return submissionKeyOf(submissionId)
}

/** Hashes the trimmed values. A form with another hash under the same key is a correction, not a repetition. */
export function hashTypedValues(form: PostedForm): string {
  const values = form.expectedParts.fields.map((field) => (form.fields.get(field) ?? '').trim())
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Limit of one value of a multipart form; no field of the forms takes more than some hundred characters. */
const MAX_FIELD_BYTES = 64 * 1024
/** Limit of a whole urlencoded form. */
const MAX_FORM_BYTES = 256 * 1024
/** This limit exceeds the six files of a form, so that three files for the voter card get their own message. */
const MAX_FILES = 10
/** A form with files is cut off beyond this size. */
const MAX_MULTIPART_BYTES = (MAX_FILES + 1) * MAX_FILE_BYTES

const isField = ({ expectedParts }: PostedForm, name: string) =>
  name === 'entrega' || name === 'documentos' || expectedParts.fields.some((field) => field === name)

export const kindNamed = (
  { expectedParts }: Pick<PostedForm, 'expectedParts'>,
  name: string,
): DocumentKind | undefined => expectedParts.kinds.find((kind) => kind === name)

/**
 * Reads a registration or a requested document in either encoding. Files are staged as they arrive, with little of the body in
 * memory at a time.
 * @param form filled as far as the form is read, so that a refusal can return the values so far
 * @param client network address, for the quotas per network
 * @throws RegistrationRefusalError peticion or entrega for a form that no page of the site sends, peticion for a body that breaks
 *   off, archivoGrande for a body that is too large; limite, saturado, sinEspacio or subidaDesfasada from the staging area
 */
export async function readPostedForm(
  request: Request,
  form: PostedForm,
  staging: Staging,
  client: string,
): Promise<void> {
  const contentType = request.headers.get('content-type') ?? ''
  if (request.body === null) throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  const body = Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0])
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) await readUrlencoded(body, form)
  else if (/^multipart\/form-data\b/i.test(contentType)) await readMultipart(body, contentType, form, staging, client)
  else {
    body.destroy()
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  }
  if (form.hasRepeatedField) throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
}

async function readUrlencoded(body: Readable, form: PostedForm): Promise<void> {
  const bodyBytes = await buffer(limitBytes(body, MAX_FORM_BYTES))
  if (hasTooManyFields(bodyBytes, 'application/x-www-form-urlencoded'))
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  for (const [name, value] of new URLSearchParams(bodyBytes.toString())) addField(form, name, value)
}

function addField(form: PostedForm, name: string, value: string) {
  // A urlencoded form has a file input as the file's name only, which is no value of the form.
  if (kindNamed(form, name)) return
  if (!isField(form, name)) form.hasUnknownField = true
  else if (form.fields.has(name)) form.hasRepeatedField = true
  // A line break becomes one character, however it is encoded.
  else form.fields.set(name, value.replace(/\r\n?/g, '\n'))
}

async function readMultipart(
  body: Readable,
  contentType: string,
  form: PostedForm,
  staging: Staging,
  client: string,
): Promise<void> {
  let parser: busboy.Busboy
  try {
    parser = busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      // The check for forbidden characters gets the whole name; sanitizeFileName later removes folders.
      preservePath: true,
      // The numbers of fields and parts are above those of the site's largest form.
      limits: {
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fields: 20,
        files: MAX_FILES,
        // One byte more than the limit, to tell a file that is too large from a file of exactly the limit.
        fileSize: MAX_FILE_BYTES + 1,
        parts: 40,
      },
    })
  } catch {
    body.destroy()
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  }

  /** Uploads in the form's order, which tells the front of a voter card from its back; staging may finish in another order. */
  const pendingUploads: Promise<{ kind: DocumentKind; id: string } | undefined>[] = []
  let fault: unknown
  const fail = (error: unknown) => {
    fault ??= error
    parser.destroy(error as Error)
  }

  parser.on('field', (name, value, info) => {
    if (info.nameTruncated || info.valueTruncated)
      return fail(new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion))
    addField(form, name, value)
  })
  parser.on('file', (name, file, { filename }) => {
    file.on('error', () => {})
    const kind = kindNamed(form, name)
    if (!kind) {
      form.hasUnknownField = true
      file.resume()
      return
    }
    // A file input that was left empty sends a part without a name.
    if (!filename || !form.takesFiles) {
      file.resume()
      return
    }
    const submissionId = form.fields.get('entrega')
    if (!isUuid(submissionId)) {
      file.resume()
      return fail(new RegistrationRefusalError('entrega', REGISTRATION_MESSAGES.peticion))
    }
    pendingUploads.push(
      stageFile(staging, submissionKeyOf(submissionId), client, kind, filename, file).then(
        ({ id, sealed }) => {
          if (sealed) form.checksums.push(sealed.sha256)
          return { kind, id }
        },
        (error) => {
          file.resume()
          const refusal = asRegistrationRefusal(error)
          if (!refusal || ['limite', 'saturado', 'sinEspacio', 'subidaDesfasada'].includes(refusal.reason)) fail(error)
          else form.refusals.push({ campo: kind, reason: refusal.reason, message: refusal.message })
          return undefined
        },
      ),
    )
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => fail(new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)))

  try {
    await pipeline(limitBytes(body, MAX_MULTIPART_BYTES), parser)
  } catch (error) {
    fault ??= error
  }
  for (const upload of await Promise.all(pendingUploads))
    if (upload) form.arrivedIds.set(upload.kind, [...(form.arrivedIds.get(upload.kind) ?? []), upload.id])
  if (fault !== undefined) {
    throw (
      asRegistrationRefusal(fault) ??
      (isMalformedForm(fault) ? new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion) : fault)
    )
  }
}

async function stageFile(
  staging: Staging,
  key: string,
  client: string,
  kind: DocumentKind,
  filename: string,
  file: Readable,
): Promise<StagedUpload> {
  const id = randomUUID()
  try {
    await staging.create(key, { clase: kind, lado: null, filename, size: null }, client, id)
    const size = await staging.append(key, id, file, 0)
    const { maxBytes, tooLargeMessage } = kindOf(kind)
    if (size > maxBytes) throw new RegistrationRefusalError('archivoGrande', tooLargeMessage(filename))
    await staging.close(key, id)
    return await staging.seal(key, id)
  } catch (error) {
    await staging.remove(key, id)
    // The registration of a concurrent copy of this form removes the staged files.
    if (asRegistrationRefusal(error)?.reason === 'subidaAjena' || errorCode(error) === 'ENOENT')
      throw new RegistrationRefusalError('subidaAjena', REGISTRATION_MESSAGES.archivoPerdido)
    throw error
  }
}

/** Passes a body through. @throws RegistrationRefusalError for a body that is too large, or that the sender breaks off */
async function* limitBytes(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let byteCount = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      byteCount += chunk.byteLength
      if (byteCount > maxBytes) throw new RegistrationRefusalError('archivoGrande', REGISTRATION_MESSAGES.peticion)
      yield chunk
    }
  } catch (error) {
    throw asRegistrationRefusal(error) ?? new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  }
}

/** Returns whether an error, by its message, is busboy's for a malformed or truncated form; others are faults of the site. */
const isMalformedForm = (error: unknown) =>
  error instanceof Error && /^(Unexpected end of (form|file)|Malformed part header)$/.test(error.message)
