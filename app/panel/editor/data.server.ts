import { type Draft, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorOf, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type FormPart, isInPart, type SiteScreen } from './editable-screens.ts'

/** The published content that a draft is based on. */
export interface PublishedContent {
  year: number
  /** Differs between publications. */
  version: string
  valores: Values
  /** Path of a file → sha256. */
  archivos: Record<string, string>
}

/** The last published documents of an edition. @throws Error where the edition was never published */
export async function readPublishedContent(db: Database, year: number): Promise<PublishedContent> {
  const latest = await readDraftBase(db, year)
  if (!latest) throw new Error(`Nothing of the edition ${year} is published: there is nothing to write a draft of`)
  return { year, version: `p${latest.id}`, valores: latest.valores, archivos: latest.archivos }
}

export interface EditorContent {
  published: PublishedContent
  draft: Draft
}

/** The current draft, and the published content that it is based on. */
export async function readEditorContent(db: Database, year: number): Promise<EditorContent> {
  const publishedContent = await readPublishedContent(db, year)
  return {
    published: publishedContent,
    draft: await readDraft(db, publishedContent.year, publishedContent.valores),
  }
}

/** A document's version, which tells whether a page has seen its current state. */
export const versionOf = ({ published, draft }: EditorContent, document: string): string => {
  const own = draft.documents[document]?.version
  return own === undefined ? published.version : String(own)
}

/** The names of the documents that a screen's form edits. */
export const documentsOf = ({ parts }: SiteScreen): string[] => [
  ...new Set(parts.map(({ documento }) => documento).filter(isDocumentName)),
]

/** Faults of the draft in the fields of a screen. */
export const screenFaults = (screen: SiteScreen, { draft }: EditorContent): FieldFault[] =>
  documentsOf(screen)
    .flatMap((document) => (isDocumentName(document) ? fieldFaultsOf(document, draft.values[document]) : []))
    .filter(({ documento, campo }) => screen.parts.some((parte) => isInPart(parte, documento, campo)))

/** A part of a form with the descriptor of its fields. */
export interface DescribedPart extends FormPart {
  descriptor: Descriptor
}

export const describeScreen = ({ parts }: SiteScreen): DescribedPart[] =>
  parts.flatMap((parte) => {
    if (!isDocumentName(parte.documento)) return []
    const descriptor = fieldAt(descriptorOf(parte.documento), parte.campo ?? [])
    return descriptor ? [{ ...parte, descriptor }] : []
  })
