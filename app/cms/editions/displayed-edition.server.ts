import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type ImageManifest,
  imageManifest,
  toPicture,
  toShareCard,
  toUrl,
} from '#app/cms/media/image-manifest.server.ts'
import { type ShareCard, type ShareCardName, shareCardsOf } from '#app/cms/media/share-cards.server.ts'
import { type Photo, slugOf } from '#app/cms/schema/edition-documents.ts'
import {
  asAnnounced,
  ContentError,
  type EditionDocuments,
  isFileName,
  readEdition,
} from '#app/cms/schema/read-content.server.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'

export type Edition = ReturnType<typeof resolved>

/** What the edition says of itself: names, year, place. It needs no pictures. */
export type Card = EditionDocuments['edicion.yaml']

/** An edition as screens show it: one value, all of one publication (or of one draft). */
export interface DisplayedEdition {
  archivos: EditionDocuments
  manifest: ImageManifest
  edicion: Edition
  /** Number of the publication; undefined for what lies in content/ or is a draft. */
  publicacion?: number | undefined
  /** Editions that are over, the newest first. */
  pasadas: PastEdition[]
}

/** What this process shows. It changes in one step, when a publication has taken the place of another. */
let displayed: DisplayedEdition | undefined
/** What is shown instead while one rendering lasts: a draft, or a publication that is being prepared. */
const temporaryEdition = new AsyncLocalStorage<DisplayedEdition>()

export function setDisplayedEdition(newOne: DisplayedEdition): void {
  displayed = newOne
}

/** What loadEdition answers here and now; undefined: what lies in content/. */
export const displayedEdition = (): DisplayedEdition | undefined => temporaryEdition.getStore() ?? displayed

/** Does something with another edition in place of the one in force. */
export const withEdition = <T>(another: DisplayedEdition, work: () => T): T => temporaryEdition.run(another, work)

let fromFolder: Promise<DisplayedEdition> | undefined

/**
 * The edition in force, its pictures and files resolved to URLs; without a database, that of content/, read once.
 * @throws ContentError listing every fault of the content
 */
export const loadEdition = async (): Promise<Edition> => (await loadDisplayedEdition()).edicion

/** The addresses of the pictures and files of the edition that loadEdition answers. */
export const loadManifest = async (): Promise<ImageManifest> => (await loadDisplayedEdition()).manifest

async function loadDisplayedEdition(): Promise<DisplayedEdition> {
  const shown = displayedEdition()
  if (shown) return shown
  const read = async () => displayedEditionOf(await checked(), await imageManifest())
  if (process.env.NODE_ENV !== 'production') return read()
  fromFolder ??= read().catch((error: unknown) => {
    fromFolder = undefined
    throw error
  })
  return fromFolder
}

let card: Promise<Card> | undefined

/** The Ficha of the edition in force, even where no pictures have been described. @throws ContentError */
export async function loadEditionCard(): Promise<Card> {
  const shown = displayedEdition()
  if (shown) return shown.archivos['edicion.yaml']
  const read = async () => (await checked())['edicion.yaml']
  if (process.env.NODE_ENV === 'development') return read()
  card ??= read().catch((error: unknown) => {
    card = undefined
    throw error
  })
  return card
}

async function checked(): Promise<EditionDocuments> {
  const { archivos, fallas } = asAnnounced(await readEdition())
  if (fallas.length > 0) throw new ContentError(fallas)
  // Where there are no faults, every file is there.
  return archivos as EditionDocuments
}

/** @param publication its number, where it is one */
export const displayedEditionOf = (
  files: EditionDocuments,
  manifest: ImageManifest,
  publication?: number,
  pastEditions: PastEdition[] = [],
): DisplayedEdition => ({
  archivos: files,
  manifest,
  edicion: resolved(files, manifest),
  publicacion: publication,
  pasadas: pastEditions,
})

function resolved(files: EditionDocuments, manifest: ImageManifest) {
  const todo = resolver(manifest, files)
  const { candidatas, ...grupos } = todo['candidatas.yaml']
  const { maestros, ...seccionMaestros } = todo['maestros.yaml']
  return {
    ...todo['edicion.yaml'],
    inicio: todo['inicio.yaml'],
    ...grupos,
    candidatas,
    historia: todo['historia.yaml'],
    bannerMaestros: seccionMaestros.banner,
    maestros: maestros.map((one) => ({ ...one, slug: slugOf(one.nombre) })),
    convocatorias: todo['convocatorias.yaml'],
    programa: todo['programa.yaml'],
    final: todo['final.yaml'],
    popularidad: todo['popularidad.yaml'],
    votacion: todo['votacion.yaml'],
    salaDePrensa: todo['prensa.yaml'],
    patrocinadores: todo['patrocinadores.yaml'],
    registro: todo['registro.yaml'],
    registroTraje: todo['registro-traje.yaml'],
    privacidad: todo['privacidad.yaml'],
    /** Cards for sharing: one a screen, one a candidate, one a teacher. */
    tarjetas: Object.fromEntries(
      shareCardsOf(files).map((design) => [design.nombre, toShareCard(manifest, design)]),
    ) as Record<ShareCardName, ShareCard>,
  }
}

/** An edition that is over, as its own screen shows it. */
export interface PastEdition {
  edicion: Edition
  /** All of it, for whatever else is asked of it. */
  puesta: DisplayedEdition
  /** What its sealed act says; without one, nobody is named. */
  resultado?:
    | {
        /** The candidates' ids and votes, those with most first. */
        votos: { id: string; nombre: string; votos: number }[]
        /** Who was proclaimed. */
        ganadora?: { id: string; nombreCorto: string; mensaje: string; foto: Picture } | undefined
        sello: string
        /** Address of the act's published file. */
        archivo: string
      }
    | undefined
}

/** Years of the editions that are over and have a screen of their own, the newest first. */
export const listPastEditions = async (): Promise<number[]> =>
  (displayedEdition()?.pasadas ?? []).map(({ edicion }) => edicion.anio)

/** @returns undefined where there is no such past edition */
export const loadPastEdition = async (year: number): Promise<PastEdition | undefined> =>
  displayedEdition()?.pasadas.find(({ edicion }) => edicion.anio === year)

/** The content as screens take it: photographs with all their sizes, files as URLs, everything else as it is. */
type Resolved<T> = T extends Photo ? Picture : { [Key in keyof T]: Resolved<T[Key]> }

function resolver<T>(manifest: ImageManifest, value: T): Resolved<T> {
  return resolveValue(manifest, value) as Resolved<T>
}

function resolveValue(manifest: ImageManifest, value: unknown): unknown {
  if (typeof value === 'string') return isFileName(value) ? toUrl(manifest, value) : value
  if (Array.isArray(value)) return value.map((item) => resolveValue(manifest, item))
  if (typeof value !== 'object' || value === null) return value
  if ('foto' in value && 'foco' in value) return toPicture(manifest, value as Photo)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveValue(manifest, item)]))
}
