import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import { type EditionDocuments, filesNamed, isPhotoField, pressOnly } from '#app/cms/schema/read-content.server.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import {
  CARD_RECIPE,
  SHARE_CARD_HEIGHT,
  SHARE_CARD_WIDTH,
  type ShareCard,
  type ShareCardDesign,
  shareCardsOf,
} from './share-cards.server.ts'

/** Version of the encoding. It is part of every picture's address, so that no cache keeps an old picture. */
const RECIPE = 4

/** Folder of the pictures that scripts/images.ts makes, from the project's root. */
export const IMAGES_FOLDER = '.cache/images'
const MANIFEST = join(IMAGES_FOLDER, 'manifest.json')

/** Formats in the order in which a browser is offered them. */
const FORMATS = ['avif', 'webp', 'jpg'] as const
export type Format = (typeof FORMATS)[number]

/** Offered widths, in pixels; a picture narrower than the largest is also offered in its own width. */
const WIDTHS = [480, 720, 960, 1280, 1600, 2000, 2400]

export function widthsOf(width: number): number[] {
  const smaller = WIDTHS.filter((w) => w < width)
  return [...smaller, Math.min(width, WIDTHS.at(-1)!)]
}

/** Widest size that phones request, in pixels, unless a picture fills the screen. */
const PHONE_WIDTH = 960

/** The only JPEG width: few browsers lack AVIF and WebP. */
const jpegWidthOf = (width: number) => widthsOf(width).find((w) => w >= 960) ?? width

/** Every size and format of a photograph. */
export const variantsOf = (width: number): { width: number; format: Format }[] =>
  FORMATS.flatMap((format) =>
    (format === 'jpg' ? [jpegWidthOf(width)] : widthsOf(width)).map((w) => ({ width: w, format })),
  )

/** A photograph in the manifest, described before any of its sizes is made. */
export interface PhotoEntry {
  /** Path of the original from the project's root, where it may still have to be fetched. */
  source: string
  /** sha256 of the original, hex. */
  sha256: string
  /** Ten hex digits in the photograph's addresses, which change with the bytes and with RECIPE. */
  hash: string
  width: number
  height: number
  /** Tiny WebP as a data URI. */
  preview: string
}

export interface ImageManifest {
  /** Photographs by their path in the edition's folder. */
  photos: Record<string, PhotoEntry>
  /** Files that are served as they are (logos, videos). */
  files: Record<string, { source: string; sha256: string; hash: string }>
  /** Share cards by name, with the photograph that replaces a card until it is drawn. */
  cards: Record<string, { source: string; hash: string }>
  /** Paths of the photographs and files that only the press pages show. */
  prensa: string[]
}

/** A file of an edition, described before its addresses are known. */
export interface DescribedFile {
  sha256: string
  /** Path from the project's root, where the file may still have to be fetched. */
  source: string
  /** Pixels of the upright photograph, and a preview; undefined for other files. */
  foto?: { width: number; height: number; preview: string } | undefined
}

/** @param seed values that the name depends on */
const tenDigits = (...seed: unknown[]) => createHash('sha256').update(JSON.stringify(seed)).digest('hex').slice(0, 10)

/**
 * Builds the manifest of an edition, before any size is made.
 * @param describedFiles by path in the edition
 * @param files the edition's documents, without the faulty ones
 * @param isWhole whether no document is missing; otherwise there are no share cards
 */
export function manifestOf(
  describedFiles: Map<string, DescribedFile>,
  files: Partial<EditionDocuments>,
  isWhole: boolean,
) {
  const manifest: ImageManifest = { photos: {}, files: {}, cards: {}, prensa: pressOnly(files) }
  const named = filesNamed(files)
  const asPhoto = new Set(named.filter(({ field }) => isPhotoField(field)).map(({ path }) => path))
  const asFile = new Set(named.filter(({ field }) => !isPhotoField(field)).map(({ path }) => path))
  for (const [path, { sha256, source, foto }] of describedFiles) {
    const hash = tenDigits(RECIPE, sha256)
    if (foto && asPhoto.has(path)) manifest.photos[path] = { source, sha256, hash, ...foto }
    if (asFile.has(path)) manifest.files[path] = { source, sha256, hash }
  }
  const designs = isWhole ? shareCardsOf(files as EditionDocuments) : []
  for (const design of designs) {
    const { source, hash } = manifest.photos[design.foto.foto]!
    manifest.cards[design.nombre] = { source, hash: tenDigits(CARD_RECIPE, hash, design) }
  }
  return { manifest, disenos: designs }
}

/** A generated file in IMAGES_FOLDER. */
export interface Variant {
  file: string
  /** Path of the photograph in the edition. */
  path: string
  source: string
  width: number
  format: Format
}

/** Every size of an edition's photographs, most requested first. */
export const variantsOfAll = ({ photos }: Pick<ImageManifest, 'photos'>): Variant[] =>
  Object.entries(photos)
    .flatMap(([path, entry]) =>
      variantsOf(entry.width).map(({ width, format }) => ({
        ...{ path, source: entry.source, width, format },
        file: join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}-${width}.${format}`),
      })),
    )
    .sort((one, other) => rankOf(one) - rankOf(other))

/** Rank by demand: AVIF in the widths of phones, wider AVIF, then WebP and JPEG. */
const rankOf = ({ format, width }: { format: Format; width: number }) =>
  2 * FORMATS.indexOf(format) + Number(width > PHONE_WIDTH)

/** The PNGs that the press downloads (§2.13). */
export function pngsOf(
  { photos }: ImageManifest,
  files: Partial<EditionDocuments>,
): { source: string; file: string }[] {
  const press = files['candidatas.yaml']
  return filesNamed([press?.grupoPrensa, press?.candidatas.map((candidate) => candidate.prensa)]).flatMap(
    ({ path }) => {
      const entry = photos[path]
      return entry ? [{ source: entry.source, file: pngFile(path, entry) }] : []
    },
  )
}

/** Path of a drawn share card. */
export const cardFile = (name: string, hash: string) => join(IMAGES_FOLDER, cardUrl(name, hash).slice('/img/'.length))

const slug = (path: string) =>
  path
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

/** Address of a file without size and extension. Names of all its generated files begin with the last segment. */
export const addressOf = (path: string, sha256: string) => `/img/${slug(path)}-${tenDigits(RECIPE, sha256)}`

/** URL of a photograph without width and format: `/img/<name>-<hash>`. */
export const photoBase = (path: string, entry: PhotoEntry) => `/img/${slug(path)}-${entry.hash}`

const fileUrl = (path: string, hash: string) =>
  `${/\.(svg|png)$/.test(path) ? '/img' : '/media'}/${slug(path)}-${hash}${path.slice(path.lastIndexOf('.'))}`

const cardUrl = (name: string, hash: string) => `/img/tarjeta-${name}-${hash}.jpg`

let known: { root: string; manifest: ImageManifest } | undefined

/**
 * The manifest of content/, written by scripts/images.ts; production reads it once.
 * @throws Error when it does not exist yet
 */
export async function imageManifest(root = '.'): Promise<ImageManifest> {
  if (known?.root === root && process.env.NODE_ENV === 'production') return known.manifest
  const text = await readFile(resolve(root, MANIFEST), 'utf8').catch(() => {
    throw new Error(`Falta ${MANIFEST}: corre «npm run imagenes»`)
  })
  known = { root, manifest: JSON.parse(text) as ImageManifest }
  return known.manifest
}

/** A photograph of the content for <Photo>. */
export function toPicture(manifest: ImageManifest, { foto, alt, foco }: Photo): Picture {
  const entry = manifest.photos[foto]
  if (!entry) throw new Error(`La fotografía ${foto} no está descrita: corre «npm run imagenes»`)
  return {
    base: photoBase(foto, entry),
    widths: widthsOf(entry.width),
    jpegWidth: jpegWidthOf(entry.width),
    width: entry.width,
    height: entry.height,
    alt,
    focalPoint: foco,
    preview: entry.preview,
  }
}

/** Finds the path and the manifest entry of a displayed photograph. */
export function photoOf(manifest: ImageManifest, { base }: Picture): { path: string; entry: PhotoEntry } {
  for (const [path, entry] of Object.entries(manifest.photos))
    if (photoBase(path, entry) === base) return { path, entry }
  throw new Error(`${base} no es ninguna fotografía de la edición`)
}

/** Path of a photograph's full-size PNG, for the press (§2.13). */
export const pngFile = (path: string, entry: PhotoEntry) =>
  join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}.png`)

/** URL of a logo, video or document of the content. */
export function toUrl(manifest: ImageManifest, path: string): string {
  const entry = manifest.files[path]
  if (!entry) throw new Error(`El archivo ${path} no está descrito: corre «npm run imagenes»`)
  return fileUrl(path, entry.hash)
}

/** A share card for `pageMeta`. */
export function toShareCard(manifest: ImageManifest, { nombre, titulo, linea, foto }: ShareCardDesign): ShareCard {
  const entry = manifest.cards[nombre]
  if (!entry) throw new Error(`La tarjeta ${nombre} no está descrita: corre «npm run imagenes»`)
  return {
    url: cardUrl(nombre, entry.hash),
    width: SHARE_CARD_WIDTH,
    height: SHARE_CARD_HEIGHT,
    alt: `${titulo}, ${linea}. ${foto.alt}`,
  }
}

/** The file that the server sends for a URL under /img or /media. */
export interface AssetFile {
  /** Path from the project's root. */
  path: string
  contentType: string
  /** False while another file replaces the requested one, which is not made yet: the answer must not be cached. */
  final: boolean
  /** Whether only the press pages show the picture. */
  isPressOnly: boolean
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
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}

export const typeOf = (path: string) => TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** The files behind an address under /img or /media. */
export interface Asset {
  /** Path of the generated file; undefined where the original itself is sent. */
  made?: string
  source: string
  sha256: string
  isPressOnly: boolean
  /** Whether only the press may get the original, which replaces a generated file that is not made yet. */
  isOriginalReserved: boolean
}

/** Every address under /img and /media of an edition. */
export function routesOf(manifest: ImageManifest): Map<string, Asset> {
  const routes = new Map<string, Asset>()
  const press = new Set(manifest.prensa)
  for (const [path, entry] of Object.entries(manifest.photos)) {
    const { source, sha256 } = entry
    const pressOnly = press.has(path)
    for (const { width, format } of variantsOf(entry.width)) {
      const url = `${photoBase(path, entry)}-${width}.${format}`
      const made = join(IMAGES_FOLDER, url.slice('/img/'.length))
      routes.set(url, { made, source, sha256, isPressOnly: pressOnly, isOriginalReserved: pressOnly })
    }
  }
  const reserved = new Set(manifest.prensa.map((path) => manifest.photos[path]?.source))
  for (const [name, { source, hash }] of Object.entries(manifest.cards)) {
    const { sha256 = '' } = Object.values(manifest.photos).find((entry) => entry.source === source) ?? {}
    // A share card is public, but the photograph that replaces it may be reserved for the press.
    const isOriginalReserved = reserved.has(source)
    routes.set(cardUrl(name, hash), {
      made: cardFile(name, hash),
      source,
      sha256,
      isPressOnly: false,
      isOriginalReserved,
    })
  }
  for (const [path, { source, sha256, hash }] of Object.entries(manifest.files)) {
    const pressOnly = press.has(path)
    routes.set(fileUrl(path, hash), { source, sha256, isPressOnly: pressOnly, isOriginalReserved: pressOnly })
  }
  return routes
}
