import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { hasTooManyFields } from '#app/core/http/form-limits.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { keyOf } from '#app/core/uploads/staging-area.server.ts'
import {
  CLASES_DOCUMENTO,
  type ClaseDocumento,
  claseOf,
  MAX_ARCHIVO_BYTES,
} from '#app/entries/definitions/document-kinds.ts'
import { asRechazo, Rechazo } from './refusal.server.ts'
import { MENSAJES, type MotivoRechazo } from './schema.ts'
import type { Staging, Subida, SubidaRecibida } from './staging.server.ts'

/** What a form may bring beside its key: fields, and files by kind. */
interface Pide {
  campos: readonly string[]
  clases: readonly ClaseDocumento[]
}

/** A posted registration, its files (if it brought any) already staged. */
export interface Formulario {
  pide: Pide
  /** Else files are passed over. */
  takesFiles: boolean
  fields: Map<string, string>
  /** Field names that a registration does not have. */
  unknown: boolean
  /** A field came twice; its first value is kept. */
  repeated: boolean
  /** Files of this form that were refused; those of the other documents are staged all the same. */
  refused: { campo: ClaseDocumento; reason: MotivoRechazo; message: string }[]
  /** Ids of the files that came with this form, by kind, in their order. */
  arrived: Map<ClaseDocumento, string[]>
  /** SHA-256 of each of them; a twin of this form may have taken the files themselves away. */
  sums: string[]
}

export const emptyForm = (pide: Pide): Formulario => ({
  pide,
  takesFiles: true,
  fields: new Map(),
  unknown: false,
  repeated: false,
  refused: [],
  arrived: new Map(),
  sums: [],
})

const isField = ({ pide }: Formulario, name: string) =>
  name === 'entrega' || name === 'documentos' || pide.campos.some((campo) => campo === name)
const MAX_FIELD_BYTES = 64 * 1024
const MAX_FORM_BYTES = 256 * 1024
/** Six, and some more, so that «three files for the credential» is answered as such. */
const MAX_FILES = 10
/** Everything a form with files may bring; beyond it the connection is closed. */
const MAX_MULTIPART_BYTES = (MAX_FILES + 1) * MAX_ARCHIVO_BYTES

const claseNamed = ({ pide }: Formulario, name: string) => pide.clases.find((clase) => clase === name)

/**
 * Reads a registration in either encoding. Files go to the staging area as they arrive, a few pieces in memory at a time.
 * @param form filled as far as the reading gets, so that a refusal in the middle of it can give back what was there
 * @throws Rechazo peticion for what no form of ours sends; limite, saturado or sinEspacio from the staging area
 */
export async function readFormulario(
  request: Request,
  form: Formulario,
  staging: Staging,
  client: string,
): Promise<void> {
  const type = request.headers.get('content-type') ?? ''
  if (request.body === null) throw new Rechazo('peticion', MENSAJES.peticion)
  const body = Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0])
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) await readUrlencoded(body, form)
  else if (/^multipart\/form-data\b/i.test(type)) await readMultipart(body, type, form, staging, client)
  else {
    body.destroy()
    throw new Rechazo('peticion', MENSAJES.peticion)
  }
  if (form.repeated) throw new Rechazo('peticion', MENSAJES.peticion)
}

async function readUrlencoded(body: Readable, form: Formulario): Promise<void> {
  const sent = await buffer(limited(body, MAX_FORM_BYTES))
  if (hasTooManyFields(sent, 'application/x-www-form-urlencoded')) throw new Rechazo('peticion', MENSAJES.peticion)
  for (const [name, value] of new URLSearchParams(sent.toString())) addField(form, name, value)
}

function addField(form: Formulario, name: string, value: string) {
  // A file input sent without JavaScript in this encoding brings only names: nothing was chosen.
  if (claseNamed(form, name)) return
  if (!isField(form, name)) form.unknown = true
  else if (form.fields.has(name)) form.repeated = true
  // A line break is one character, however the encoding carries it.
  else form.fields.set(name, value.replace(/\r\n?/g, '\n'))
}

async function readMultipart(
  body: Readable,
  type: string,
  form: Formulario,
  staging: Staging,
  client: string,
): Promise<void> {
  let parser: busboy.Busboy
  try {
    parser = busboy({
      headers: { 'content-type': type },
      defParamCharset: 'utf8',
      // The whole name reaches the check for forbidden characters; sanitizeFileName cuts folders off when it is stored.
      preservePath: true,
      limits: {
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fields: 20,
        files: MAX_FILES,
        // One more than may be: a file that fills the limit exactly is not too large.
        fileSize: MAX_ARCHIVO_BYTES + 1,
        parts: 40,
      },
    })
  } catch {
    body.destroy()
    throw new Rechazo('peticion', MENSAJES.peticion)
  }

  /** In the form's own order, which says front and back: a later file may be staged earlier. */
  const work: Promise<{ clase: ClaseDocumento; id: string } | undefined>[] = []
  let fault: unknown
  const fail = (error: unknown) => {
    fault ??= error
    parser.destroy(error as Error)
  }

  parser.on('field', (name, value, info) => {
    if (info.nameTruncated || info.valueTruncated) return fail(new Rechazo('peticion', MENSAJES.peticion))
    addField(form, name, value)
  })
  parser.on('file', (name, file, { filename }) => {
    file.on('error', () => {})
    const clase = claseNamed(form, name)
    if (!clase) {
      form.unknown = true
      file.resume()
      return
    }
    // A file input that was left empty.
    if (!filename || !form.takesFiles) {
      file.resume()
      return
    }
    const entrega = form.fields.get('entrega')
    if (!isUuid(entrega)) {
      file.resume()
      return fail(new Rechazo('entrega', MENSAJES.peticion))
    }
    const stage = stageFile(staging, keyOf(entrega), client, clase, filename, file)
    work.push(
      stage.then(
        ({ id, sealed }) => {
          if (sealed) form.sums.push(sealed.sha256)
          return { clase, id }
        },
        (error) => {
          file.resume()
          const refusal = asRechazo(error)
          if (!refusal || ['limite', 'saturado', 'sinEspacio', 'subidaDesfasada'].includes(refusal.reason)) fail(error)
          else form.refused.push({ campo: clase, reason: refusal.reason, message: refusal.message })
          return undefined
        },
      ),
    )
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => fail(new Rechazo('peticion', MENSAJES.peticion)))

  try {
    await pipeline(limited(body, MAX_MULTIPART_BYTES), parser)
  } catch (error) {
    fault ??= error
  }
  for (const staged of await Promise.all(work))
    if (staged) form.arrived.set(staged.clase, [...(form.arrived.get(staged.clase) ?? []), staged.id])
  if (fault !== undefined) {
    throw asRechazo(fault) ?? (isNoForm(fault) ? new Rechazo('peticion', MENSAJES.peticion) : fault)
  }
}

async function stageFile(
  staging: Staging,
  key: string,
  client: string,
  clase: ClaseDocumento,
  filename: string,
  file: Readable,
): Promise<Subida> {
  const id = randomUUID()
  try {
    await staging.create(key, { clase, lado: null, filename, size: null }, client, id)
    const size = await staging.append(key, id, file, 0)
    const { maxBytes, grande } = claseOf(clase)
    if (size > maxBytes) throw new Rechazo('archivoGrande', grande(filename))
    await staging.close(key, id)
    return await staging.seal(key, id)
  } catch (error) {
    await staging.remove(key, id)
    // The same form, sent twice at once, was registered through its twin meanwhile and its files were taken away.
    if (asRechazo(error)?.reason === 'subidaAjena' || errorCode(error) === 'ENOENT')
      throw new Rechazo('subidaAjena', MENSAJES.archivoPerdido)
    throw error
  }
}

/** The uploads that stand for a kind: whole, the latest ones when it was chosen more than once, in their order. */
export function byClase(uploads: readonly SubidaRecibida[]): Partial<Record<ClaseDocumento, SubidaRecibida[]>> {
  const whole = uploads.filter((upload) => upload.size !== null && upload.offset === upload.size)
  return Object.fromEntries(
    CLASES_DOCUMENTO.map((clase) => [
      clase,
      whole.filter((upload) => upload.clase === clase).slice(-claseOf(clase).archivos),
    ]).filter(([, found]) => found!.length > 0),
  )
}

/** @throws Rechazo for a body that is too large, or that the sender breaks off */
async function* limited(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength
      if (size > maxBytes) throw new Rechazo('archivoGrande', MENSAJES.peticion)
      yield chunk
    }
  } catch (error) {
    throw asRechazo(error) ?? new Rechazo('peticion', MENSAJES.peticion)
  }
}

/** Whether the parser says that the body is no whole form; a lost connection to the database reads otherwise. */
const isNoForm = (error: unknown) =>
  error instanceof Error && /^(Unexpected end of (form|file)|Malformed part header)$/.test(error.message)
