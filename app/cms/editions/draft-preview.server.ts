import { readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { MISSING_LOGO, MISSING_PHOTO, withFallbacks } from '#app/cms/drafts/fallbacks.server.ts'
import { type Place, withMarkers } from '#app/cms/drafts/field-markers.ts'
import { type DescribedFile, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { findFileHashes } from '#app/cms/publishing/mutations.server.ts'
import { type Publication, readDraftBase, readFiles } from '#app/cms/publishing/publications.server.ts'
import { type DocumentName, descriptorOf } from '#app/cms/schema/faults.ts'
import {
  ContentError,
  checkDocuments,
  type EditionDocuments,
  type Values,
} from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type DisplayedEdition, displayedEdition, displayedEditionOf } from './displayed-edition.server.ts'
import { describeFiles } from './media-cache.server.ts'

interface DraftPreview {
  displayed: DisplayedEdition
  /** The draft's version; 0 without a draft. */
  version: number
}

/** These placeholders stand for missing pictures in a preview, and are never published. */
const MISSING_PICTURES = new Map<string, DescribedFile>([
  [
    MISSING_PHOTO,
    {
      sha256: '0'.repeat(64),
      source: 'app/cms/drafts/missing-photo.jpg',
      photo: { width: 1200, height: 1500, preview: '' },
    },
  ],
  [MISSING_LOGO, { sha256: '1'.repeat(64), source: 'app/cms/drafts/missing-logo.svg' }],
])

/**
 * Returns the edition as it would look with these documents published. Missing or invalid fields take their published
 * value or a neutral placeholder.
 * @param mark changes the checked documents before they are displayed
 */
async function displayedEditionOfValues(
  db: Database,
  base: Publication,
  values: Values,
  mark: (documents: EditionDocuments) => EditionDocuments = (documents) => documents,
): Promise<DisplayedEdition> {
  const { hashByPath } = await findFileHashes(db, base, values)
  const mendedDocuments = withFallbacks(
    values,
    base.valores,
    (path) => path in hashByPath || MISSING_PICTURES.has(path),
  )
  // The fallback values may name files of the publication.
  const allFiles = { ...hashByPath, ...(await findFileHashes(db, base, mendedDocuments)).hashByPath }
  const { documents, faults } = checkDocuments(
    mendedDocuments,
    (path) => path in allFiles || MISSING_PICTURES.has(path),
  )
  if (faults.length > 0) throw new ContentError(faults)
  const rows = await readFiles(db, Object.values(allFiles))
  const contentManifest = await imageManifest().catch(() => undefined)
  const describedFiles = new Map([...describeFiles(allFiles, rows, contentManifest), ...MISSING_PICTURES])
  const { manifest } = manifestOf(describedFiles, documents, true)
  return displayedEditionOf(mark(documents as EditionDocuments), manifest, undefined, displayedEdition()?.pastEditions)
}

/** In a marked draft, texts and alternative texts carry markers of their form fields. */
export interface MarkedDraft {
  displayed: DisplayedEdition
  /** `places` has the form fields by the number of their marker. */
  places: Place[]
}

/**
 * Reads the draft for the preview beside its form, with fallbacks for faults and a marker on every text and photograph.
 * @returns undefined for an edition that was never published
 */
export async function readMarkedDraft(db: Database, year: number): Promise<MarkedDraft | undefined> {
  const base = await readDraftBase(db, year)
  if (!base) return undefined
  const { values } = await readDraft(db, year, base.valores)
  const places: Place[] = []
  const mark = (documents: EditionDocuments) =>
    Object.fromEntries(
      (Object.keys(documents) as DocumentName[]).map((document) => [
        document,
        withMarkers(document, descriptorOf(document), documents[document], places),
      ]),
    ) as EditionDocuments
  return { displayed: await displayedEditionOfValues(db, base, values, mark), places }
}

/** Each process has one store of draft previews, which keeps the newest preview only. */
export interface DraftPreviews {
  /** Returns an edition's draft, ready for display; undefined for an edition that was never published. */
  find(year: number): Promise<DraftPreview | undefined>
}

export function createDraftPreviews(db: Database): DraftPreviews {
  let newestPreview: { key: string; preview: Promise<DraftPreview> } | undefined
  return {
    async find(year) {
      const base = await readDraftBase(db, year)
      if (!base) return undefined
      const { values, version } = await readDraft(db, year, base.valores)
      const key = `${year} ${base.id} ${version}`
      if (newestPreview?.key !== key) {
        const preview = displayedEditionOfValues(db, base, values).then((displayed) => ({ displayed, version }))
        newestPreview = { key, preview }
        preview.catch(() => {
          newestPreview = undefined
        })
      }
      return newestPreview.preview
    },
  }
}
