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

/** A Plan says everything that storing one submission will do; the journal has it as JSON before any of it is done. */
export type Plan = {
  /**
   * The attempt has this id, since another process may take the attempt for dead and begin a new one. It is null in a plan
   * from before 20260314.
   */
  intento: string | null
  tipo: EntryType
  folio: string
  folder: string
  /** The moment is in milliseconds since 1970, by the site's clock. */
  timestamp: number
  documentos: PlannedDocument[]
  /** This is the body of metadata_{timestamp}.json, recorded since its URLs depend on a setting that may change. */
  metadata: string
} & (NewEntryPlan | ReplacementPlan)

interface NewEntryPlan {
  que: 'alta'
  id: number
  /** The entry is for the edition of this year. */
  edicion: number
  datos: Data
}

/** A DocumentReplacement answers a document request. */
interface ReplacementPlan {
  que: 'reposicion'
  inscripcion: number
  solicitud: number
  /** If one of these paths is not current any more, another change was first and nothing is stored. */
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

/** A Desk has the services and the staging area with which a running site receives registrations. */
export interface Desk {
  services: Services
  staging: Staging
}

interface SubmissionKey {
  /** The journal has the submission under this key, which `keyOf` makes of its secret id. */
  key: string
  /** `hashTypedValues` in mutations.server.ts computes this hash, by which a correction is told from a repetition. */
  fingerprint: string
}

export type ReceivedDocuments = Partial<Record<DocumentKind, StagedUpload[]>>

/** Reserves the id and every path of a new entry and writes the plan into the journal; nothing is stored yet. */
export async function planNewEntry(
  { key, fingerprint }: SubmissionKey,
  type: EntryType,
  data: Data,
  uploads: ReceivedDocuments,
  desk: Desk,
): Promise<Plan> {
  const { db, clock, settings } = desk.services
  const descriptor = FORMS[type]
  const id = await reserveId(db, type)
  const folder = folderName(id, summaryOf(descriptor, data).titular)
  const timestamp = clock.now().getTime()
  const documents = descriptor.kinds.flatMap((kind) =>
    (uploads[kind] ?? []).map((upload, at) => {
      const side = kindOf(kind).fileCount === 2 ? SIDES[at]! : null
      return planDocument(upload, kind, side, folder, timestamp)
    }),
  )
  const metadata = metadataOf(type, { id, data }, documents, settings.publicUrl)
  const { anio: edition } = await loadEditionCard()
  return recordPlan({ key, fingerprint }, desk, {
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

/** Writes the body of an entry's metadata: its values under the keys of §3, and the address of each document by kind. */
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

/** Gives a plan the id of a new attempt, and writes it into the journal; fails if the journal has a row under this key. */
export async function recordPlan<P extends Omit<Plan, 'intento'>>(
  { key, fingerprint }: SubmissionKey,
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
