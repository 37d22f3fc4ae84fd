import { type Draft, type DraftBase, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorOf, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { descriptorAt, type FieldDescriptor } from '#app/cms/schema/field-descriptor.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type EditableScreen, type FormPart, isInPart } from './editable-screens.ts'

export interface PublishedContent extends DraftBase {
  year: number
  /** SHA-256 of each file, by its path in the edition. */
  hashByPath: Record<string, string>
}

/** Reads the last published content of an edition. @throws Error if the edition was never published */
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

/** Returns the version of a document in the draft, or of the publication while the draft does not change the document. */
export const documentVersionOf = ({ published, draft }: EditorContent, document: string): string => {
  const draftDocument = draft.documents[document]?.version
  return draftDocument === undefined ? published.version : String(draftDocument)
}

export const documentNamesOf = ({ parts }: EditableScreen): string[] => [
  ...new Set(parts.map(({ documento }) => documento).filter(isDocumentName)),
]

export const faultsOfScreen = (screen: EditableScreen, { draft }: EditorContent): FieldFault[] =>
  documentNamesOf(screen)
    .flatMap((document) => (isDocumentName(document) ? fieldFaultsOf(document, draft.values[document]) : []))
    .filter(({ documento, campo }) => screen.parts.some((part) => isInPart(part, documento, campo)))

export interface DescribedPart extends FormPart {
  descriptor: FieldDescriptor
}

export const describeParts = ({ parts }: EditableScreen): DescribedPart[] =>
  parts.flatMap((part) => {
    if (!isDocumentName(part.documento)) return []
    const descriptor = descriptorAt(descriptorOf(part.documento), part.campo ?? [])
    return descriptor ? [{ ...part, descriptor }] : []
  })
