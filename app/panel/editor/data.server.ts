import { type Draft, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorDe, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { isInPart, type Parte, type SiteScreen } from './editable-screens.ts'

/** The published content that a draft is based on. */
export interface PublishedContent {
  anio: number
  /** Differs between publications. */
  huella: string
  valores: Values
  /** Path of a file → sha256. */
  archivos: Record<string, string>
}

/** The last published documents of an edition. @throws Error where the edition was never published */
export async function readPublishedContent(db: Database, year: number): Promise<PublishedContent> {
  const ultima = await readDraftBase(db, year)
  if (!ultima) throw new Error(`Nothing of the edition ${year} is published: there is nothing to write a draft of`)
  return { anio: year, huella: `p${ultima.id}`, valores: ultima.valores, archivos: ultima.archivos }
}

export interface EditorContent {
  publicados: PublishedContent
  borrador: Draft
}

/** The current draft, and the published content that it is based on. */
export async function readEditorContent(db: Database, year: number): Promise<EditorContent> {
  const publishedContent = await readPublishedContent(db, year)
  return {
    publicados: publishedContent,
    borrador: await readDraft(db, publishedContent.anio, publishedContent.valores),
  }
}

/** A document's version, which tells whether a page has seen its current state. */
export const versionDe = ({ publicados, borrador }: EditorContent, document: string): string => {
  const own = borrador.documentos[document]?.version
  return own === undefined ? publicados.huella : String(own)
}

/** The names of the documents that a screen's form edits. */
export const documentsOf = ({ partes }: SiteScreen): string[] => [
  ...new Set(partes.map(({ documento }) => documento).filter(isDocumentName)),
]

/** Faults of the draft in the fields of a screen. */
export const screenFaults = (screen: SiteScreen, { borrador }: EditorContent): FieldFault[] =>
  documentsOf(screen)
    .flatMap((document) => (isDocumentName(document) ? fieldFaultsOf(document, borrador.valores[document]) : []))
    .filter(({ documento, campo }) => screen.partes.some((parte) => isInPart(parte, documento, campo)))

/** A part of a form with the descriptor of its fields. */
export interface DescribedPart extends Parte {
  descriptor: Descriptor
}

export const describeScreen = ({ partes }: SiteScreen): DescribedPart[] =>
  partes.flatMap((parte) => {
    if (!isDocumentName(parte.documento)) return []
    const descriptor = fieldAt(descriptorDe(parte.documento), parte.campo ?? [])
    return descriptor ? [{ ...parte, descriptor }] : []
  })
