import { AsyncLocalStorage } from 'node:async_hooks'
import { type ImageManifest, imageManifest, toImagen, toTarjeta, toUrl } from '#app/cms/media/image-manifest.server.ts'
import { type NombreTarjeta, type Tarjeta, tarjetasDe } from '#app/cms/media/share-cards.server.ts'
import { type Foto, slugOf } from '#app/cms/schema/edition-documents.ts'
import { type Archivos, anunciada, ContentError, isFileName, readEdicion } from '#app/cms/schema/read-content.server.ts'
import type { Imagen } from '#app/ui/photos/photo.tsx'

export type Edicion = ReturnType<typeof resolved>

/** What the edition says of itself: names, year, place. It needs no pictures. */
export type Ficha = Archivos['edicion.yaml']

/** An edition as screens show it: one value, all of one publication (or of one draft). */
export interface EdicionPuesta {
  archivos: Archivos
  manifest: ImageManifest
  edicion: Edicion
  /** Number of the publication; undefined for what lies in content/ or is a draft. */
  publicacion?: number | undefined
  /** Editions that are over, the newest first. */
  pasadas: EdicionPasada[]
}

/** What this process shows. It changes in one step, when a publication has taken the place of another. */
let puesta: EdicionPuesta | undefined
/** What is shown instead while one rendering lasts: a draft, or a publication that is being prepared. */
const deMomento = new AsyncLocalStorage<EdicionPuesta>()

export function ponEdicion(nueva: EdicionPuesta): void {
  puesta = nueva
}

/** What loadEdicion answers here and now; undefined: what lies in content/. */
export const edicionPuesta = (): EdicionPuesta | undefined => deMomento.getStore() ?? puesta

/** Does something with another edition in place of the one in force. */
export const conEdicion = <T>(otra: EdicionPuesta, work: () => T): T => deMomento.run(otra, work)

let deCarpeta: Promise<EdicionPuesta> | undefined

/**
 * The edition in force, its pictures and files resolved to URLs; without a database, that of content/, read once.
 * @throws ContentError listing every fault of the content
 */
export const loadEdicion = async (): Promise<Edicion> => (await loadPuesta()).edicion

/** The addresses of the pictures and files of the edition that loadEdicion answers. */
export const loadManifest = async (): Promise<ImageManifest> => (await loadPuesta()).manifest

async function loadPuesta(): Promise<EdicionPuesta> {
  const shown = edicionPuesta()
  if (shown) return shown
  const read = async () => puestaDe(await checked(), await imageManifest())
  if (process.env.NODE_ENV !== 'production') return read()
  deCarpeta ??= read().catch((error: unknown) => {
    deCarpeta = undefined
    throw error
  })
  return deCarpeta
}

let ficha: Promise<Ficha> | undefined

/** The Ficha of the edition in force, even where no pictures have been described. @throws ContentError */
export async function loadFicha(): Promise<Ficha> {
  const shown = edicionPuesta()
  if (shown) return shown.archivos['edicion.yaml']
  const read = async () => (await checked())['edicion.yaml']
  if (process.env.NODE_ENV === 'development') return read()
  ficha ??= read().catch((error: unknown) => {
    ficha = undefined
    throw error
  })
  return ficha
}

async function checked(): Promise<Archivos> {
  const { archivos, fallas } = anunciada(await readEdicion())
  if (fallas.length > 0) throw new ContentError(fallas)
  // Where there are no faults, every file is there.
  return archivos as Archivos
}

/** @param publicacion its number, where it is one */
export const puestaDe = (
  archivos: Archivos,
  manifest: ImageManifest,
  publicacion?: number,
  pasadas: EdicionPasada[] = [],
): EdicionPuesta => ({ archivos, manifest, edicion: resolved(archivos, manifest), publicacion, pasadas })

function resolved(archivos: Archivos, manifest: ImageManifest) {
  const todo = resolver(manifest, archivos)
  const { candidatas, ...grupos } = todo['candidatas.yaml']
  const { maestros, ...seccionMaestros } = todo['maestros.yaml']
  return {
    ...todo['edicion.yaml'],
    inicio: todo['inicio.yaml'],
    ...grupos,
    candidatas,
    historia: todo['historia.yaml'],
    bannerMaestros: seccionMaestros.banner,
    maestros: maestros.map((uno) => ({ ...uno, slug: slugOf(uno.nombre) })),
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
      tarjetasDe(archivos).map((diseno) => [diseno.nombre, toTarjeta(manifest, diseno)]),
    ) as Record<NombreTarjeta, Tarjeta>,
  }
}

/** An edition that is over, as its own screen shows it. */
export interface EdicionPasada {
  edicion: Edicion
  /** All of it, for whatever else is asked of it. */
  puesta: EdicionPuesta
  /** What its sealed act says; without one, nobody is named. */
  resultado?:
    | {
        /** The candidates' ids and votes, those with most first. */
        votos: { id: string; nombre: string; votos: number }[]
        /** Who was proclaimed. */
        ganadora?: { id: string; nombreCorto: string; mensaje: string; foto: Imagen } | undefined
        sello: string
        /** Address of the act's published file. */
        archivo: string
      }
    | undefined
}

/** Years of the editions that are over and have a screen of their own, the newest first. */
export const edicionesPasadas = async (): Promise<number[]> =>
  (edicionPuesta()?.pasadas ?? []).map(({ edicion }) => edicion.anio)

/** @returns undefined where there is no such past edition */
export const loadEdicionPasada = async (anio: number): Promise<EdicionPasada | undefined> =>
  edicionPuesta()?.pasadas.find(({ edicion }) => edicion.anio === anio)

/** The content as screens take it: photographs with all their sizes, files as URLs, everything else as it is. */
type Resuelto<T> = T extends Foto ? Imagen : { [Key in keyof T]: Resuelto<T[Key]> }

function resolver<T>(manifest: ImageManifest, value: T): Resuelto<T> {
  return resolveValue(manifest, value) as Resuelto<T>
}

function resolveValue(manifest: ImageManifest, value: unknown): unknown {
  if (typeof value === 'string') return isFileName(value) ? toUrl(manifest, value) : value
  if (Array.isArray(value)) return value.map((item) => resolveValue(manifest, item))
  if (typeof value !== 'object' || value === null) return value
  if ('foto' in value && 'foco' in value) return toImagen(manifest, value as Foto)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveValue(manifest, item)]))
}
