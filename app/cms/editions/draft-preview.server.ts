import { readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { MISSING_LOGO_PATH, MISSING_PHOTO_PATH, withFallbacks } from '#app/cms/drafts/fallbacks.server.ts'
import { type MarkedField, withMarkers } from '#app/cms/drafts/field-markers.ts'
import { type DescribedFile, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { findFileHashes } from '#app/cms/publishing/mutations.server.ts'
import { type Publication, readDraftBase, readFileRows } from '#app/cms/publishing/publications.server.ts'
import { type DocumentName, descriptorOf } from '#app/cms/schema/faults.ts'
import {
  ContentError,
  checkDocuments,
  type EditionDocuments,
  type EditionValues,
} from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type DisplayedEdition, displayedEdition, displayedEditionOf } from './displayed-edition.server.ts'
import { describeFiles } from './media-cache.server.ts'

interface DraftPreview {
  displayed: DisplayedEdition
  /** Version of the draft; 0 without a draft. */
  version: number
}

/** Placeholders for missing pictures in a preview; they are never published. */
const PLACEHOLDER_FILES = new Map<string, DescribedFile>([
  [
    MISSING_PHOTO_PATH,
    {
      sha256: '0'.repeat(64),
      source: 'app/cms/drafts/missing-photo.jpg',
      photo: { width: 1200, height: 1500, preview: '' },
    },
  ],
  [MISSING_LOGO_PATH, { sha256: '1'.repeat(64), source: 'app/cms/drafts/missing-logo.svg' }],
])

/**
 * Returns the edition as it would be displayed with the given documents, whose faults `withFallbacks` repairs.
 * @param transform changes the checked documents before they are displayed
 * @throws ContentError if a document has a fault in spite of the repairs
 */
async function displayableEditionOf(
  db: Database,
  base: Publication,
  values: EditionValues,
  transform: (documents: EditionDocuments) => EditionDocuments = (documents) => documents,
): Promise<DisplayedEdition> {
  const { hashByPath } = await findFileHashes(db, base, values)
  const repairedDocuments = withFallbacks(
    values,
    base.valores,
    (path) => path in hashByPath || PLACEHOLDER_FILES.has(path),
  )
  // A field's published value may name a file of the publication.
  const allHashesByPath = { ...hashByPath, ...(await findFileHashes(db, base, repairedDocuments)).hashByPath }
  const { documents, faults } = checkDocuments(
    repairedDocuments,
    (path) => path in allHashesByPath || PLACEHOLDER_FILES.has(path),
  )
  if (faults.length > 0) throw new ContentError(faults)
  const fileRows = await readFileRows(db, Object.values(allHashesByPath))
  const contentManifest = await imageManifest().catch(() => undefined)
  const describedFiles = new Map([...describeFiles(allHashesByPath, fileRows, contentManifest), ...PLACEHOLDER_FILES])
  const { manifest } = manifestOf(describedFiles, documents, true)
  return displayedEditionOf(
    transform(documents as EditionDocuments),
    manifest,
    undefined,
    displayedEdition()?.pastEditions,
  )
}

/** A draft with markers of its form fields (`withMarkers`). */
export interface MarkedDraft {
  displayed: DisplayedEdition
  /** Form fields by the number of their marker. */
  places: MarkedField[]
}

/**
 * Reads the draft for the preview beside its form, with fallbacks for faults and with markers.
 * @returns undefined for an edition that was never published
 * @throws ContentError if a document has a fault in spite of the fallbacks
 */
export async function readMarkedDraft(db: Database, year: number): Promise<MarkedDraft | undefined> {
  const base = await readDraftBase(db, year)
  if (!base) return undefined
  const { values } = await readDraft(db, year, base.valores)
  const markedFields: MarkedField[] = []
  const addMarkers = (documents: EditionDocuments) =>
    Object.fromEntries(
      (Object.keys(documents) as DocumentName[]).map((document) => [
        document,
        withMarkers(document, descriptorOf(document), documents[document], markedFields),
      ]),
    ) as EditionDocuments
  return { displayed: await displayableEditionOf(db, base, values, addMarkers), places: markedFields }
}

/** Draft previews of one process, which keeps only the newest. */
export interface DraftPreviews {
  /** Reads an edition's draft for display; undefined for an edition that was never published. @throws ContentError */
  read(year: number): Promise<DraftPreview | undefined>
}

export function createDraftPreviews(db: Database): DraftPreviews {
  let newestPreview: { key: string; preview: Promise<DraftPreview> } | undefined
  return {
    async read(year) {
      const base = await readDraftBase(db, year)
      if (!base) return undefined
      const { values, version } = await readDraft(db, year, base.valores)
      const key = `${year} ${base.id} ${version}`
      if (newestPreview?.key !== key) {
        const preview = displayableEditionOf(db, base, values).then((displayed) => ({ displayed, version }))
        newestPreview = { key, preview }
        preview.catch(() => {
          newestPreview = undefined
        })
      }
      return newestPreview.preview
    },
  }
}
