import { type Draft, type DraftBase, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { adviceOnMovedPlaces, hasSameWithdrawn } from '#app/cms/publishing/rules.ts'
import { descriptorOf, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { descriptorAt, type FieldDescriptor, fieldInWords } from '#app/cms/schema/field-descriptor.ts'
import { isPlainObject, valueAt } from '#app/cms/schema/field-path.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import { type EditableScreen, type FormPart, isInPart } from './editable-screens.ts'

export interface PublishedContent extends DraftBase {
  year: number
  /** SHA-256 of each file, by its path in the edition. */
  hashByPath: Record<string, string>
}

/** Reads the content on which an edition's draft is based (`readDraftBase`). @throws Error if the edition has no publication */
export async function readPublishedContent(db: Database, year: number): Promise<PublishedContent> {
  const latestPublication = await readDraftBase(db, year)
  if (!latestPublication)
    throw new Error(`Nothing of the edition ${year} is published: there is nothing to write a draft of`)
  // A withdrawal changes a publication's content and fingerprint, but not its number.
  return {
    year,
    version: `p${latestPublication.huella.slice(0, 16)}`,
    values: latestPublication.valores,
    hashByPath: latestPublication.archivos,
  }
}

export interface EditorContent {
  published: PublishedContent
  draft: Draft
  /** Why the draft's order of the candidates cannot be published, in Spanish; undefined if it can, or cannot be compared. */
  orderFault: string | undefined
}

export async function readEditorContent(db: Database, year: number): Promise<EditorContent> {
  const publishedContent = await readPublishedContent(db, year)
  const draft = await readDraft(db, publishedContent.year, publishedContent.values)
  return { published: publishedContent, draft, orderFault: await findOrderFault(db, publishedContent, draft) }
}

/**
 * Checks the order of the draft's candidates as publishing does (`adviceOnMovedPlaces`).
 * @returns advice in Spanish; undefined if the order may be published or cannot be compared
 */
async function findOrderFault(db: Database, published: PublishedContent, draft: Draft): Promise<string | undefined> {
  const candidates = valueAt(draft.values['candidatas.yaml'], ['candidatas'])
  if (!Array.isArray(candidates) || !candidates.every(isPlainObject)) return undefined
  if (!hasSameWithdrawn(published.values, draft.values)) return undefined
  const advice = adviceOnMovedPlaces(published.values, draft.values)
  return advice !== undefined && (await hasVoteBegun(db, published.year)) ? advice : undefined
}

/** Returns the version of a document in the draft, or of the publication while the draft does not have the document. */
export const documentVersionOf = ({ published, draft }: EditorContent, document: string): string => {
  const draftDocument = draft.documents[document]?.version
  return draftDocument === undefined ? published.version : String(draftDocument)
}

export const documentNamesOf = ({ parts }: EditableScreen): string[] => [
  ...new Set(parts.map(({ documento }) => documento).filter(isDocumentName)),
]

export const faultsOfScreen = (screen: EditableScreen, { draft, orderFault }: EditorContent): FieldFault[] =>
  [
    ...documentNamesOf(screen).flatMap((document) =>
      isDocumentName(document) ? fieldFaultsOf(document, draft.values[document]) : [],
    ),
    ...(orderFault === undefined ? [] : [toOrderFault(orderFault, draft.values['candidatas.yaml'])]),
  ].filter(({ documento, campo }) => screen.parts.some((part) => isInPart(part, documento, campo)))

const toOrderFault = (remedy: string, value: unknown): FieldFault => {
  const [documento, campo] = ['candidatas.yaml', ['candidatas']] as const
  return { documento, campo, donde: fieldInWords(descriptorOf(documento), campo, value), remedio: remedy }
}

export interface DescribedPart extends FormPart {
  descriptor: FieldDescriptor
}

export const describeParts = ({ parts }: EditableScreen): DescribedPart[] =>
  parts.flatMap((part) => {
    if (!isDocumentName(part.documento)) return []
    const descriptor = descriptorAt(descriptorOf(part.documento), part.campo ?? [])
    return descriptor ? [{ ...part, descriptor }] : []
  })
