import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type ImageManifest,
  imageManifest,
  toPicture,
  toShareCard,
  toUrl,
} from '#app/cms/media/image-manifest.server.ts'
import { type ShareCard, type ShareCardName, shareCardsOf } from '#app/cms/media/share-cards.server.ts'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import { withSlugs } from '#app/cms/schema/item-slugs.ts'
import {
  asAnnounced,
  ContentError,
  type EditionDocuments,
  isFileName,
  readEdition,
} from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'

export type Edition = ReturnType<typeof resolveEdition>

/** The card is the document edicion.yaml: names, year, place, dates. Reading it needs no image manifest. */
export type EditionCard = EditionDocuments['edicion.yaml']

/** A displayed edition is ready for display as one value: a whole publication or a whole draft. */
export interface DisplayedEdition {
  documents: EditionDocuments
  manifest: ImageManifest
  edition: Edition
  /** Undefined for content/ and for a draft. */
  publicationId?: number | undefined
  /** `pastEditions` are over, and listed newest first. */
  pastEditions: PastEdition[]
}

/** This process shows this edition, which a new publication replaces as a whole. */
let displayed: DisplayedEdition | undefined
/** During one rendering, a draft or a publication in preparation replaces the displayed edition. */
const temporaryEdition = new AsyncLocalStorage<DisplayedEdition>()

export function setDisplayedEdition(newEdition: DisplayedEdition): void {
  displayed = newEdition
}

/** Returns the displayed edition of the current rendering or process; undefined: content/ is shown. */
export const displayedEdition = (): DisplayedEdition | undefined => temporaryEdition.getStore() ?? displayed

/** Runs `work` with another displayed edition. */
export const withEdition = <T>(temporary: DisplayedEdition, work: () => T): T => temporaryEdition.run(temporary, work)

let fromFolder: Promise<DisplayedEdition> | undefined

/**
 * Returns the displayed edition with URLs of its pictures and files; before a publication is set, the edition in content/.
 * @throws ContentError listing every fault of the content
 */
export const loadEdition = async (): Promise<Edition> => (await loadDisplayedEdition()).edition

export const loadManifest = async (): Promise<ImageManifest> => (await loadDisplayedEdition()).manifest

async function loadDisplayedEdition(): Promise<DisplayedEdition> {
  const current = displayedEdition()
  if (current) return current
  const readFromFolder = async () => displayedEditionOf(await readCheckedDocuments(), await imageManifest())
  if (process.env.NODE_ENV !== 'production') return readFromFolder()
  fromFolder ??= readFromFolder().catch((error: unknown) => {
    fromFolder = undefined
    throw error
  })
  return fromFolder
}

let cachedCard: Promise<EditionCard> | undefined

/** Returns the displayed edition's card. Unlike loadEdition, it needs no image manifest. @throws ContentError */
export async function loadEditionCard(): Promise<EditionCard> {
  const current = displayedEdition()
  if (current) return current.documents['edicion.yaml']
  const readFromFolder = async () => (await readCheckedDocuments())['edicion.yaml']
  if (process.env.NODE_ENV === 'development') return readFromFolder()
  cachedCard ??= readFromFolder().catch((error: unknown) => {
    cachedCard = undefined
    throw error
  })
  return cachedCard
}

async function readCheckedDocuments(): Promise<EditionDocuments> {
  const { documents, faults } = asAnnounced(await readEdition())
  if (faults.length > 0) throw new ContentError(faults)
  // Without faults, every document is present.
  return documents as EditionDocuments
}

/** Joins documents and manifest. @param publication id of the publication; undefined for content/ and for a draft */
export const displayedEditionOf = (
  files: EditionDocuments,
  manifest: ImageManifest,
  publication?: number,
  pastEditions: PastEdition[] = [],
): DisplayedEdition => ({
  documents: files,
  manifest,
  edition: resolveEdition(files, manifest),
  publicationId: publication,
  pastEditions,
})

function resolveEdition(files: EditionDocuments, manifest: ImageManifest) {
  const documents = resolveDocuments(manifest, files)
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
    maestros: maestros.map((one) => ({ ...one, slug: slugOf(one.nombre) })),
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
    /** `tarjetas` has a share card for each screen, candidate, teacher, news item and call. */
    tarjetas: Object.fromEntries(
      shareCardsOf(files).map((design) => [design.nombre, toShareCard(manifest, design)]),
    ) as Record<ShareCardName, ShareCard>,
  }
}

/** A `Queen` is the candidate whom a public record of the final crowned, and her title. */
export interface Queen {
  /** The candidate's. */
  id: string
  /** The title that the final's rules name: «Señorita Azahares». */
  title: string
}

/** A past edition is over, and has the data of its screen. */
export interface PastEdition {
  edition: Edition
  /** The whole edition, to serve its pictures and its record. */
  displayed: DisplayedEdition
  queen?: Queen | undefined
  /** `result` comes from the sealed record; without a record, no winner is named. */
  result?:
    | {
        /** Lists the candidates, most votes first. */
        votes: { id: string; name: string; votes: number }[]
        winner?: { id: string; nombreCorto: string; mensaje: string; foto: Picture } | undefined
        seal: string
        /** The address of the published record. */
        recordUrl: string
      }
    | undefined
}

/** Returns the years of the past editions that have a screen, newest first. */
export const listPastEditions = async (): Promise<number[]> =>
  (displayedEdition()?.pastEditions ?? []).map(({ edition }) => edition.anio)

/** Returns the past edition of a year, or undefined. */
export const loadPastEdition = async (year: number): Promise<PastEdition | undefined> =>
  displayedEdition()?.pastEditions.find(({ edition }) => edition.anio === year)

/** Runs work with the past edition that the query `edicion` names; with any other year, with the displayed edition. */
export async function inRequestedEdition<T>(request: Request, work: () => Promise<T>): Promise<T> {
  const past = await loadPastEdition(Number(new URL(request.url).searchParams.get('edicion') ?? Number.NaN))
  return past ? withEdition(past.displayed, work) : work()
}

/** Content for display has photographs with all their sizes and files as URLs; everything else is unchanged. */
type Resolved<T> = T extends Photo ? Picture : { [Key in keyof T]: Resolved<T[Key]> }

function resolveDocuments<T>(manifest: ImageManifest, value: T): Resolved<T> {
  return resolveValue(manifest, value) as Resolved<T>
}

function resolveValue(manifest: ImageManifest, value: unknown): unknown {
  if (typeof value === 'string') return isFileName(value) ? toUrl(manifest, value) : value
  if (Array.isArray(value)) return value.map((item) => resolveValue(manifest, item))
  if (typeof value !== 'object' || value === null) return value
  if ('foto' in value && 'foco' in value) return toPicture(manifest, value as Photo)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveValue(manifest, item)]))
}
