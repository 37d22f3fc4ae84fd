import { type Draft, readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorDe, type FieldFault, fieldFaultsOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { isInPart, type Parte, type SiteScreen } from './editable-screens.ts'

/** What the draft is of. */
export interface PublishedContent {
  anio: number
  /** Changes with every publication. */
  huella: string
  valores: Values
  /** Path of a file → sha256. */
  archivos: Record<string, string>
}

/** The documents of an edition as they were published last. @throws Error where nothing has been */
export async function readPublishedContent(db: Database, year: number): Promise<PublishedContent> {
  const ultima = await readDraftBase(db, year)
  if (!ultima) throw new Error(`Nothing of the edition ${year} is published: there is nothing to write a draft of`)
  return { anio: year, huella: `p${ultima.id}`, valores: ultima.valores, archivos: ultima.archivos }
}

export interface EditorContent {
  publicados: PublishedContent
  borrador: Draft
}

/** The draft as it stands, and what it is of. */
export async function readEditorContent(db: Database, year: number): Promise<EditorContent> {
  const publishedContent = await readPublishedContent(db, year)
  return {
    publicados: publishedContent,
    borrador: await readDraft(db, publishedContent.anio, publishedContent.valores),
  }
}

/** Says whether a page has seen a document as it stands. */
export const versionDe = ({ publicados, borrador }: EditorContent, document: string): string => {
  const own = borrador.documentos[document]?.version
  return own === undefined ? publicados.huella : String(own)
}

/** The documents of a screen that there are in this edition. */
export const documentsOf = ({ partes }: SiteScreen): string[] => [
  ...new Set(partes.map(({ documento }) => documento).filter(isDocumentName)),
]

/** What is wrong with a screen, as the draft stands. */
export const screenFaults = (screen: SiteScreen, { borrador }: EditorContent): FieldFault[] =>
  documentsOf(screen)
    .flatMap((document) => (isDocumentName(document) ? fieldFaultsOf(document, borrador.valores[document]) : []))
    .filter(({ documento, campo }) => screen.partes.some((parte) => isInPart(parte, documento, campo)))

/** What can be written in a part of a form. */
export interface DescribedPart extends Parte {
  descriptor: Descriptor
}

export const describeScreen = ({ partes }: SiteScreen): DescribedPart[] =>
  partes.flatMap((parte) => {
    if (!isDocumentName(parte.documento)) return []
    const descriptor = fieldAt(descriptorDe(parte.documento), parte.campo ?? [])
    return descriptor ? [{ ...parte, descriptor }] : []
  })
