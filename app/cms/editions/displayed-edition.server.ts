import { AsyncLocalStorage } from 'node:async_hooks'
import {
  contentFileUrl,
  type ImageManifest,
  imageManifest,
  toPicture,
  toShareCard,
} from '#app/cms/media/image-manifest.server.ts'
import { type ShareCard, type ShareCardName, shareCardsOf } from '#app/cms/media/share-cards.server.ts'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import { withSlugs } from '#app/cms/schema/item-slugs.ts'
import {
  ContentError,
  type EditionDocuments,
  isFilePath,
  readEdition,
  withoutPendingCandidates,
} from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'

export type Edition = ReturnType<typeof resolveEdition>

/** The document edicion.yaml: names, year, place, dates. Reading it needs no image manifest. */
export type EditionCard = EditionDocuments['edicion.yaml']

/** A whole publication, a whole draft, or content/, ready for display. */
export interface DisplayedEdition {
  documents: EditionDocuments
  manifest: ImageManifest
  edition: Edition
  /** Id of the publication; undefined for content/, a draft and a past edition. */
  publicationId?: number | undefined
  /** Editions that are over, newest first. */
  pastEditions: PastEdition[]
}

/** The edition that this process shows; a new publication replaces it as a whole. */
let processEdition: DisplayedEdition | undefined
/** The edition of the current `withEdition`, such as a draft, which replaces the displayed edition in all that it runs. */
const temporaryEdition = new AsyncLocalStorage<DisplayedEdition>()

export function setDisplayedEdition(newEdition: DisplayedEdition): void {
  processEdition = newEdition
}

/** Returns the displayed edition of the current rendering or process; undefined while content/ is shown. */
export const displayedEdition = (): DisplayedEdition | undefined => temporaryEdition.getStore() ?? processEdition

export const withEdition = <T>(edition: DisplayedEdition, work: () => T): T => temporaryEdition.run(edition, work)

let cachedContentEdition: Promise<DisplayedEdition> | undefined

/**
 * Returns the displayed edition with URLs of its pictures and files; before a publication is set, the edition in content/.
 * @throws ContentError with every fault of content/; Error without its image manifest
 */
export const loadEdition = async (): Promise<Edition> => (await loadDisplayedEdition()).edition

export const loadManifest = async (): Promise<ImageManifest> => (await loadDisplayedEdition()).manifest

async function loadDisplayedEdition(): Promise<DisplayedEdition> {
  const currentEdition = displayedEdition()
  if (currentEdition) return currentEdition
  const readFromFolder = async () => displayedEditionOf(await readCheckedDocuments(), await imageManifest())
  if (process.env.NODE_ENV !== 'production') return readFromFolder()
  cachedContentEdition ??= readFromFolder().catch((error: unknown) => {
    cachedContentEdition = undefined
    throw error
  })
  return cachedContentEdition
}

let cachedCard: Promise<EditionCard> | undefined

/** Returns the displayed edition's card. Unlike loadEdition, it needs no image manifest. @throws ContentError */
export async function loadEditionCard(): Promise<EditionCard> {
  const currentEdition = displayedEdition()
  if (currentEdition) return currentEdition.documents['edicion.yaml']
  const readFromFolder = async () => (await readCheckedDocuments())['edicion.yaml']
  if (process.env.NODE_ENV === 'development') return readFromFolder()
  cachedCard ??= readFromFolder().catch((error: unknown) => {
    cachedCard = undefined
    throw error
  })
  return cachedCard
}

async function readCheckedDocuments(): Promise<EditionDocuments> {
  const { documents, faults } = withoutPendingCandidates(await readEdition())
  if (faults.length > 0) throw new ContentError(faults)
  // Without faults, every document is present.
  return documents as EditionDocuments
}

export const displayedEditionOf = (
  documents: EditionDocuments,
  manifest: ImageManifest,
  publicationId?: number,
  pastEditions: PastEdition[] = [],
): DisplayedEdition => ({
  documents,
  manifest,
  edition: resolveEdition(documents, manifest),
  publicationId,
  pastEditions,
})

function resolveEdition(originalDocuments: EditionDocuments, manifest: ImageManifest) {
  const documents = resolveDocuments(manifest, originalDocuments)
  const { candidatas, ...groupPhotos } = documents['candidatas.yaml']
  const { maestros, ...teachersSection } = documents['maestros.yaml']
  const { noticias, ...home } = documents['inicio.yaml']
  const { anuncios, ...calls } = documents['convocatorias.yaml']
  return {
    ...documents['edicion.yaml'],
    inicio: { ...home, noticias: withSlugs(noticias, 'noticia') },
    ...groupPhotos,
    candidatas,
    historia: documents['historia.yaml'],
    bannerMaestros: teachersSection.banner,
    maestros: maestros.map((teacher) => ({ ...teacher, slug: slugOf(teacher.nombre) })),
    convocatorias: { ...calls, anuncios: withSlugs(anuncios, 'anuncio') },
    programa: documents['programa.yaml'],
    final: documents['final.yaml'],
    popularidad: documents['popularidad.yaml'],
    votacion: documents['votacion.yaml'],
    salaDePrensa: documents['prensa.yaml'],
    patrocinadores: documents['patrocinadores.yaml'],
    registro: documents['registro.yaml'],
    registroTraje: documents['registro-traje.yaml'],
    privacidad: documents['privacidad.yaml'],
    /** Share cards by name (`shareCardsOf`). */
    tarjetas: Object.fromEntries(
      shareCardsOf(originalDocuments).map((design) => [design.nombre, toShareCard(manifest, design)]),
    ) as Record<ShareCardName, ShareCard>,
  }
}

/** A candidate to whom a public record of the final gave a title. */
export interface Queen {
  id: string
  /** Title from the final's rules: «Señorita Azahares». */
  title: string
}

/** An edition that is over, with the data of its screen. */
export interface PastEdition {
  edition: Edition
  /** The whole edition, whose pictures are served. */
  displayed: DisplayedEdition
  /** Undefined without a public record of the final. */
  queen?: Queen | undefined
  /** Result from the sealed record; undefined without one, and then no winner is named. */
  result?:
    | {
        /** Candidates, most votes first. */
        votes: { id: string; name: string; votes: number }[]
        /** Undefined if `loadWinner` finds none. */
        winner?: { id: string; nombreCorto: string; mensaje: string; foto: Picture } | undefined
        seal: string
        /** URL of the published record. */
        recordUrl: string
      }
    | undefined
}

/** Returns the years of the past editions that have a screen, newest first. */
export const listPastEditions = async (): Promise<number[]> =>
  (displayedEdition()?.pastEditions ?? []).map(({ edition }) => edition.anio)

export const loadPastEdition = async (year: number): Promise<PastEdition | undefined> =>
  displayedEdition()?.pastEditions.find(({ edition }) => edition.anio === year)

/** Runs `work` with the past edition of the query `edicion` or, for any other value, with the displayed edition. */
export async function inRequestedEdition<T>(request: Request, work: () => Promise<T>): Promise<T> {
  const pastEdition = await loadPastEdition(Number(new URL(request.url).searchParams.get('edicion') ?? Number.NaN))
  return pastEdition ? withEdition(pastEdition.displayed, work) : work()
}

/** Content for display: photographs with all their sizes, files as URLs, everything else unchanged. */
type Resolved<T> = T extends Photo ? Picture : { [Key in keyof T]: Resolved<T[Key]> }

function resolveDocuments<T>(manifest: ImageManifest, value: T): Resolved<T> {
  return resolveValue(manifest, value) as Resolved<T>
}

function resolveValue(manifest: ImageManifest, value: unknown): unknown {
  if (typeof value === 'string') return isFilePath(value) ? contentFileUrl(manifest, value) : value
  if (Array.isArray(value)) return value.map((item) => resolveValue(manifest, item))
  if (typeof value !== 'object' || value === null) return value
  if ('foto' in value && 'foco' in value) return toPicture(manifest, value as Photo)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveValue(manifest, item)]))
}
