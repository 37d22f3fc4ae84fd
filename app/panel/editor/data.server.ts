import { type Draft, type DraftBase, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorOf, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type FormPart, isInPart, type SiteScreen } from './editable-screens.ts'

export interface PublishedContent extends DraftBase {
  year: number
  /** The keys are paths in the edition, the values SHA-256. */
  hashByPath: Record<string, string>
}

/** Reads the content that was last published in an edition. @throws Error where the edition was never published */
export async function readPublishedContent(db: Database, year: number): Promise<PublishedContent> {
  const latest = await readDraftBase(db, year)
  if (!latest) throw new Error(`Nothing of the edition ${year} is published: there is nothing to write a draft of`)
  // A withdrawal changes a publication's content and fingerprint, but not its number.
  return { year, version: `p${latest.huella.slice(0, 16)}`, values: latest.valores, hashByPath: latest.archivos }
}

export interface EditorContent {
  published: PublishedContent
  draft: Draft
}

export async function readEditorContent(db: Database, year: number): Promise<EditorContent> {
  const publishedContent = await readPublishedContent(db, year)
  return {
    published: publishedContent,
    draft: await readDraft(db, publishedContent.year, publishedContent.values),
  }
}

/** Returns a document's version; a page that knows this version has seen the document's current state. */
export const versionOf = ({ published, draft }: EditorContent, document: string): string => {
  const draftDocument = draft.documents[document]?.version
  return draftDocument === undefined ? published.version : String(draftDocument)
}

export const documentsOf = ({ parts }: SiteScreen): string[] => [
  ...new Set(parts.map(({ documento }) => documento).filter(isDocumentName)),
]

export const screenFaults = (screen: SiteScreen, { draft }: EditorContent): FieldFault[] =>
  documentsOf(screen)
    .flatMap((document) => (isDocumentName(document) ? fieldFaultsOf(document, draft.values[document]) : []))
    .filter(({ documento, campo }) => screen.parts.some((part) => isInPart(part, documento, campo)))

export interface DescribedPart extends FormPart {
  descriptor: Descriptor
}

export const describeScreen = ({ parts }: SiteScreen): DescribedPart[] =>
  parts.flatMap((part) => {
    if (!isDocumentName(part.documento)) return []
    const descriptor = fieldAt(descriptorOf(part.documento), part.campo ?? [])
    return descriptor ? [{ ...part, descriptor }] : []
  })
