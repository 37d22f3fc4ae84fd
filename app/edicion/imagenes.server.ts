import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Imagen } from '#app/ui/foto.tsx'
import type { Foto } from './schema.ts'
import { type DisenoTarjeta, TARJETA_ALTO, TARJETA_ANCHO, type Tarjeta } from './tarjetas.server.ts'

/** Where scripts/images.ts leaves the pictures, from the project's root. */
export const IMAGES_FOLDER = '.cache/images'
const MANIFEST = join(IMAGES_FOLDER, 'manifest.json')

/** Formats in the order in which a browser is offered them. */
export const FORMATS = ['avif', 'webp', 'jpg'] as const
export type Format = (typeof FORMATS)[number]

/** Widths in pixels in which a picture is offered; one smaller than the largest is offered in its own width, too. */
const WIDTHS = [480, 720, 960, 1280, 1600, 2000, 2400]

export function widthsOf(width: number): number[] {
  const smaller = WIDTHS.filter((w) => w < width)
  return [...smaller, Math.min(width, WIDTHS.at(-1)!)]
}

/** The width of the JPEG that browsers without AVIF and WebP get: one is enough for so few. */
const jpegWidthOf = (width: number) => widthsOf(width).find((w) => w >= 960) ?? width

/** Every size and format of a photograph. */
export const variantsOf = (width: number): { width: number; format: Format }[] =>
  FORMATS.flatMap((format) =>
    (format === 'jpg' ? [jpegWidthOf(width)] : widthsOf(width)).map((w) => ({ width: w, format })),
  )

/** One photograph in the manifest, which describes it before any of its sizes is made. */
export interface PhotoEntry {
  /** Path from the project's root. */
  source: string
  /** First ten hex digits of the source's sha256 and the recipe. */
  hash: string
  width: number
  height: number
  /** Tiny WebP as a data URI. */
  preview: string
}

export interface ImageManifest {
  /** Photographs by their path in the edition's folder. */
  photos: Record<string, PhotoEntry>
  /** Files that are served as they are (marks, videos). */
  files: Record<string, { source: string; hash: string }>
  /** Cards for sharing by their key, with the photograph that stands in until a card is drawn. */
  cards: Record<string, { source: string; hash: string }>
  /** Paths of the photographs and files that only the press pages show. */
  prensa: string[]
}

const slug = (path: string) =>
  path
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

/** URL of a photograph without width and format: `/img/<name>-<hash>`. */
export const photoBase = (path: string, entry: PhotoEntry) => `/img/${slug(path)}-${entry.hash}`

const fileUrl = (path: string, hash: string) =>
  `${path.endsWith('.svg') ? '/img' : '/media'}/${slug(path)}-${hash}${path.slice(path.lastIndexOf('.'))}`

export const cardUrl = (nombre: string, hash: string) => `/img/tarjeta-${nombre}-${hash}.jpg`

interface Known {
  root: string
  manifest: ImageManifest
  /** Every URL under /img and /media; worked out when the first is asked for. */
  routes: Map<string, Asset> | undefined
}
let known: Known | undefined

async function readKnown(root: string): Promise<Known> {
  if (known?.root === root && process.env.NODE_ENV === 'production') return known
  const text = await readFile(resolve(root, MANIFEST), 'utf8').catch(() => {
    throw new Error(`Falta ${MANIFEST}: corre «npm run imagenes»`)
  })
  known = { root, manifest: JSON.parse(text) as ImageManifest, routes: undefined }
  return known
}

/**
 * The manifest that scripts/images.ts wrote; kept once read.
 * @throws Error when there is no manifest yet
 */
export const imageManifest = async (root = '.'): Promise<ImageManifest> => (await readKnown(root)).manifest

/** A photograph of the content, ready for <Foto>. */
export function toImagen(manifest: ImageManifest, { foto, alt, foco }: Foto): Imagen {
  const entry = manifest.photos[foto]
  if (!entry) throw new Error(`La fotografía ${foto} no está descrita: corre «npm run imagenes»`)
  return {
    base: photoBase(foto, entry),
    anchos: widthsOf(entry.width),
    anchoJpeg: jpegWidthOf(entry.width),
    ancho: entry.width,
    alto: entry.height,
    alt,
    foco,
    vista: entry.preview,
  }
}

/** The file that the organisers gave for a photograph, and its PNG. Paths from the project's root. */
export function originalOf(manifest: ImageManifest, { base }: Imagen): { source: string; png: string } {
  for (const [path, entry] of Object.entries(manifest.photos)) {
    if (photoBase(path, entry) === base) return { source: entry.source, png: pngFile(path, entry) }
  }
  throw new Error(`${base} no es ninguna fotografía de la edición`)
}

/** Where the full-size PNG of a photograph lies once made: what the press downloads (§2.13). */
export const pngFile = (path: string, entry: PhotoEntry) =>
  join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}.png`)

/** URL of a mark or video of the content. */
export function toUrl(manifest: ImageManifest, path: string): string {
  const entry = manifest.files[path]
  if (!entry) throw new Error(`El archivo ${path} no está descrito: corre «npm run imagenes»`)
  return fileUrl(path, entry.hash)
}

/** A card for sharing, ready for `cabeza()`. */
export function toTarjeta(manifest: ImageManifest, { nombre, titulo, linea, foto }: DisenoTarjeta): Tarjeta {
  const entry = manifest.cards[nombre]
  if (!entry) throw new Error(`La tarjeta ${nombre} no está descrita: corre «npm run imagenes»`)
  return {
    url: cardUrl(nombre, entry.hash),
    ancho: TARJETA_ANCHO,
    alto: TARJETA_ALTO,
    alt: `${titulo}, ${linea}. ${foto.alt}`,
  }
}

/** What the server sends for a URL under /img or /media. */
export interface AssetFile {
  /** Path from the project's root. */
  path: string
  contentType: string
  /**
   * False while the size asked for is not made yet and the original stands in for it: then nobody may store the answer.
   */
  final: boolean
  /** Whether the picture stands on the press pages alone. */
  soloPrensa: boolean
}

const TYPES: Record<string, string> = {
  avif: 'image/avif',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webm: 'video/webm',
  mp4: 'video/mp4',
  vtt: 'text/vtt; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}

export const typeOf = (path: string) => TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

interface Asset {
  made?: string
  source: string
  soloPrensa: boolean
}

/** Every URL under /img and /media, and the file that it stands for. */
function routesOf(manifest: ImageManifest) {
  const routes = new Map<string, Asset>()
  const prensa = new Set(manifest.prensa)
  for (const [path, entry] of Object.entries(manifest.photos)) {
    for (const { width, format } of variantsOf(entry.width)) {
      const url = `${photoBase(path, entry)}-${width}.${format}`
      const made = join(IMAGES_FOLDER, url.slice('/img/'.length))
      routes.set(url, { made, source: entry.source, soloPrensa: prensa.has(path) })
    }
  }
  for (const [nombre, { source, hash }] of Object.entries(manifest.cards)) {
    const url = cardUrl(nombre, hash)
    const made = join(IMAGES_FOLDER, url.slice('/img/'.length))
    routes.set(url, { made, source, soloPrensa: false })
  }
  for (const [path, { source, hash }] of Object.entries(manifest.files))
    routes.set(fileUrl(path, hash), { source, soloPrensa: prensa.has(path) })
  return routes
}

/**
 * Whether only the press may have a file. A card is everybody's, but the photograph that stands in for it may not be.
 */
const isReserved = ({ prensa, photos }: ImageManifest, source: string) =>
  prensa.some((path) => photos[path]?.source === source)

/**
 * Resolves a path under /img or /media.
 * @param url path of the request, without query
 * @returns undefined when there is no such picture or file
 */
export async function imageFile(url: string, root = '.'): Promise<AssetFile | undefined> {
  const pictures = await readKnown(root)
  const { manifest } = pictures
  pictures.routes ??= routesOf(manifest)
  const found = pictures.routes.get(url)
  if (!found) return undefined
  const { made, source, soloPrensa } = found
  if (made === undefined) return { path: source, contentType: typeOf(source), final: true, soloPrensa }
  if (existsSync(resolve(root, made))) return { path: made, contentType: typeOf(made), final: true, soloPrensa }
  return { path: source, contentType: typeOf(source), final: false, soloPrensa: isReserved(manifest, source) }
}
