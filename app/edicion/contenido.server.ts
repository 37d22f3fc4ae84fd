import type { Imagen } from '#app/ui/foto.tsx'
import { type ImageManifest, imageManifest, toImagen, toTarjeta, toUrl } from './imagenes.server.ts'
import { type Archivos, ContentError, isFileName, readEdicion } from './lectura.server.ts'
import { type Foto, slugOf } from './schema.ts'
import { type NombreTarjeta, type Tarjeta, tarjetasDe } from './tarjetas.server.ts'

export type Edicion = Awaited<ReturnType<typeof build>>

let current: Promise<Edicion> | undefined

/**
 * The current edition, checked, its pictures and files resolved to URLs. Read once in production.
 * @throws ContentError listing every fault of the content
 */
export function loadEdicion(): Promise<Edicion> {
  if (process.env.NODE_ENV !== 'production') return build()
  current ??= build().catch((error: unknown) => {
    current = undefined
    throw error
  })
  return current
}

/**
 * What the edition says of itself: names, year, place. It needs no pictures, so it can be read where no screen is
 * shown.
 */
export type Ficha = Archivos['edicion.yaml']

let ficha: Promise<Ficha> | undefined

/** The current edition's Ficha, kept like loadEdicion's answer. @throws ContentError */
export function loadFicha(): Promise<Ficha> {
  const read = async () => (await checked())['edicion.yaml']
  if (process.env.NODE_ENV === 'development') return read()
  ficha ??= read().catch((error: unknown) => {
    ficha = undefined
    throw error
  })
  return ficha
}

async function checked(): Promise<Archivos> {
  const { archivos, fallas } = await readEdicion()
  if (fallas.length > 0) throw new ContentError(fallas)
  // Where there are no faults, every file is there.
  return archivos as Archivos
}

async function build() {
  const archivos = await checked()
  const manifest = await imageManifest()
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
