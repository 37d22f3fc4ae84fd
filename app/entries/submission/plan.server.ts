import { randomUUID } from 'node:crypto'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  type DocumentKind,
  type EntryType,
  kindOf,
  SIDES,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'
import { documentPath, folderName, objectUrl } from '#app/entries/document-viewing/file-rules.ts'
import { newFolio } from '#app/entries/folio.server.ts'
import type { Data } from '#app/entries/rules.ts'
import { summaryOf } from '#app/entries/shown-values.ts'
import { reserveId } from './intake.server.ts'
import type { StagedUpload, Staging } from './staging.server.ts'

/** Everything that storing one submission will do, recorded before any of it is done (write-ahead). */
export type Plan = {
  /**
   * Id of this attempt, since another process may begin a new one that believes this one dead. In a plan from before 20260314:
   * the folder of its staged files, null where there was only one folder.
   */
  intento: string | null
  tipo: EntryType
  folio: string
  folder: string
  /** Milliseconds since 1970, by the site's clock. */
  timestamp: number
  documentos: PlannedDocument[]
  /** Body of metadata_{timestamp}.json, recorded since its URLs depend on a setting that may change. */
  metadata: string
} & (NewEntryPlan | DocumentReplacement)

interface NewEntryPlan {
  que: 'alta'
  id: number
  /** Year of the edition that it is for. */
  edicion: number
  datos: Data
}

/** A document that answers a document request. */
interface DocumentReplacement {
  que: 'reposicion'
  inscripcion: number
  solicitud: number
  /** Paths of the replaced document and metadata; if one is not current any more, another change was first. */
  antes: { documento: string; metadata: string }
}

interface PlannedDocument {
  subida: string
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  filename: string
  contentType: string
  size: number
  sha256: string
}

/** Services and staging area with which a running site receives registrations. */
export interface Desk {
  services: Services
  staging: Staging
}

/** A submission's key in the journal, and the fingerprint of its typed values. */
interface Sending {
  key: string
  fingerprint: string
}

export type ReceivedDocuments = Partial<Record<DocumentKind, StagedUpload[]>>

/** Reserves the id and every path of a new entry and writes the plan into the journal; nothing is stored yet. */
export async function planNewEntry(
  { key, fingerprint }: Sending,
  type: EntryType,
  data: Data,
  found: ReceivedDocuments,
  desk: Desk,
): Promise<Plan> {
  const { db, clock, settings } = desk.services
  const descriptor = FORMS[type]
  const id = await reserveId(db, type)
  const folder = folderName(id, summaryOf(descriptor, data).titular)
  const timestamp = clock.now().getTime()
  const documents = descriptor.kinds.flatMap((kind) =>
    (found[kind] ?? []).map((upload, at) => {
      const side = kindOf(kind).fileCount === 2 ? SIDES[at]! : null
      return planDocument(upload, kind, side, folder, timestamp)
    }),
  )
  const metadata = metadataOf(type, { id, data }, documents, settings.publicUrl)
  const { anio: edition } = await loadEditionCard()
  return begin({ key, fingerprint }, desk, {
    ...{ que: 'alta', tipo: type, id, edicion: edition, datos: data },
    ...{ folio: newFolio(), folder, timestamp, documentos: documents, metadata },
  })
}

export function planDocument(
  upload: StagedUpload,
  kind: DocumentKind,
  side: VoterCardSide | null,
  folder: string,
  timestamp: number,
): PlannedDocument {
  const { id: uploadId, filename } = upload
  const { sha256, contentType } = upload.sealed!
  const path = documentPath({ folder, kind, side, timestamp, fileName: filename })
  return { subida: uploadId, clase: kind, lado: side, path, filename, contentType, size: upload.size!, sha256 }
}

/** Body of an entry's metadata: its values under the keys of §3, and the address of each document by kind. */
export function metadataOf(
  type: EntryType,
  { id, data }: { id: number; data: Data },
  documents: readonly { clase: DocumentKind; path: string }[],
  publicUrl: string,
): string {
  const { fields, kinds, bucket } = FORMS[type]
  const values = fields
    .filter(({ isOutsideMetadata }) => !isOutsideMetadata)
    .map(({ name }) => [name, data[name] ?? null])
  const urls = kinds.map((kind) => [
    kind,
    documents.filter((document) => document.clase === kind).map(({ path }) => objectUrl(publicUrl, bucket, path)),
  ])
  return JSON.stringify({ id, ...Object.fromEntries(values), documentos: Object.fromEntries(urls) }, null, 2)
}

/** Writes a plan into the journal. */
export async function begin<P extends Omit<Plan, 'intento'>>(
  { key, fingerprint }: Sending,
  { services }: Desk,
  planned: P,
): Promise<P & Pick<Plan, 'intento'>> {
  const attempt = randomUUID()
  const plan = { ...planned, intento: attempt }
  await services.db
    .insertInto('entregas')
    .values({
      key,
      estado: 'guardando',
      huella: fingerprint,
      plan: JSON.stringify(plan),
      tipo: plan.tipo,
      area: attempt,
    })
    .execute()
  return plan
}
