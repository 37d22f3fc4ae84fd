import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import {
  type EditionDocuments,
  filesNamed,
  isPhotoField,
  listPressOnlyFiles,
} from '#app/cms/schema/read-content.server.ts'
import { formatFileSize } from '#app/core/text/file-size.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import {
  CARD_RECIPE,
  SHARE_CARD_HEIGHT,
  SHARE_CARD_WIDTH,
  type ShareCard,
  type ShareCardDesign,
  shareCardsOf,
} from './share-cards.server.ts'

/** The version of the encoding is part of every picture's address, so that no cache keeps an old picture. */
const RECIPE = 4

/** scripts/images.ts makes pictures in this folder of the project's root. */
export const IMAGES_FOLDER = '.cache/images'
const MANIFEST = join(IMAGES_FOLDER, 'manifest.json')

/** A browser is offered the formats in this order. */
const FORMATS = ['avif', 'webp', 'jpg'] as const
export type Format = (typeof FORMATS)[number]

/** Pictures are offered in these widths in pixels; a picture narrower than the largest also in its own width. */
const WIDTHS = [480, 720, 960, 1280, 1600, 2000, 2400]

export function widthsOf(width: number): number[] {
  const smaller = WIDTHS.filter((w) => w < width)
  return [...smaller, Math.min(width, WIDTHS.at(-1)!)]
}

/** Phones request no wider size, in pixels, unless a picture fills the screen. */
const PHONE_WIDTH = 960

/** Returns the only JPEG width, since few browsers lack AVIF and WebP. */
const jpegWidthOf = (width: number) => widthsOf(width).find((w) => w >= 960) ?? width

/** Lists every size and format of a photograph. */
export const variantsOf = (width: number): { width: number; format: Format }[] =>
  FORMATS.flatMap((format) =>
    (format === 'jpg' ? [jpegWidthOf(width)] : widthsOf(width)).map((w) => ({ width: w, format })),
  )

/** The manifest describes a photograph before any of its sizes is made. */
export interface PhotoEntry {
  /** The original's path from the project's root, where the original may still have to be fetched. */
  source: string
  /** `sha256` belongs to the original, in hex. */
  sha256: string
  /** `hash` has ten hex digits for the photograph's addresses, which change with the bytes and with RECIPE. */
  hash: string
  width: number
  height: number
  /** A tiny WebP as a data URI. */
  preview: string
}

export interface ImageManifest {
  /** `photos` has the photographs by their path in the edition's folder. */
  photos: Record<string, PhotoEntry>
  /** `files` are served as they are (logos, videos). */
  files: Record<string, { source: string; sha256: string; hash: string; bytes?: number | undefined }>
  /** `cards` has the share cards by name, with the photograph that replaces a card until it is drawn. */
  cards: Record<string, { source: string; hash: string }>
  /** Lists the paths of photographs and files that only the press pages show. */
  prensa: string[]
}

/** A file of an edition is described before its addresses are known. */
export interface DescribedFile {
  sha256: string
  /** A path from the project's root, where the file may still have to be fetched. */
  source: string
  /** The size of a file that visitors download. */
  bytes?: number | undefined
  /** `photo` has the pixels of the upright photograph, and a preview; undefined for other files. */
  photo?: { width: number; height: number; preview: string } | undefined
}

/** Derives ten hex digits from values. */
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
  const manifest: ImageManifest = { photos: {}, files: {}, cards: {}, prensa: listPressOnlyFiles(files) }
  const namedFiles = filesNamed(files)
  const photoPaths = new Set(namedFiles.filter(({ field }) => isPhotoField(field)).map(({ path }) => path))
  const filePaths = new Set(namedFiles.filter(({ field }) => !isPhotoField(field)).map(({ path }) => path))
  for (const [path, { sha256, source, photo, bytes }] of describedFiles) {
    const hash = tenDigits(RECIPE, sha256)
    if (photo && photoPaths.has(path)) manifest.photos[path] = { source, sha256, hash, ...photo }
    if (filePaths.has(path)) manifest.files[path] = { source, sha256, hash, bytes }
  }
  const designs = isWhole ? shareCardsOf(files as EditionDocuments) : []
  for (const design of designs) {
    const { source, hash } = manifest.photos[design.foto.foto]!
    manifest.cards[design.nombre] = { source, hash: tenDigits(CARD_RECIPE, hash, design) }
  }
  return { manifest, designs }
}

/** A variant is a generated file in IMAGES_FOLDER. */
export interface Variant {
  file: string
  /** The photograph's path in the edition. */
  path: string
  source: string
  width: number
  format: Format
}

/** Lists every size of an edition's photographs, most requested first. */
export const variantsOfAll = ({ photos }: Pick<ImageManifest, 'photos'>): Variant[] =>
  Object.entries(photos)
    .flatMap(([path, entry]) =>
      variantsOf(entry.width).map(({ width, format }) => ({
        path,
        source: entry.source,
        width,
        format,
        file: join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}-${width}.${format}`),
      })),
    )
    .sort((one, other) => rankOf(one) - rankOf(other))

/** Ranks sizes by demand: AVIF in the widths of phones, wider AVIF, then WebP and JPEG in the same way. */
const rankOf = ({ format, width }: { format: Format; width: number }) =>
  2 * FORMATS.indexOf(format) + Number(width > PHONE_WIDTH)

/** Lists the PNGs that the press downloads (§2.13). */
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

export const cardFile = (name: string, hash: string) => join(IMAGES_FOLDER, cardUrl(name, hash).slice('/img/'.length))

const slug = (path: string) =>
  path
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

/** Returns a file's address without size and extension. All its generated files' names begin with the last segment. */
export const addressOf = (path: string, sha256: string) => `/img/${slug(path)}-${tenDigits(RECIPE, sha256)}`

/** Returns a photograph's URL without width and format: `/img/<name>-<hash>`. */
export const photoBase = (path: string, entry: PhotoEntry) => `/img/${slug(path)}-${entry.hash}`

const fileUrl = (path: string, hash: string) =>
  `${/\.(svg|png)$/.test(path) ? '/img' : '/media'}/${slug(path)}-${hash}${path.slice(path.lastIndexOf('.'))}`

const cardUrl = (name: string, hash: string) => `/img/tarjeta-${name}-${hash}.jpg`

let cachedManifest: { root: string; manifest: ImageManifest } | undefined

/**
 * Returns the manifest of content/ that scripts/images.ts writes; production reads the manifest once.
 * @throws Error when the manifest does not exist yet
 */
export async function imageManifest(root = '.'): Promise<ImageManifest> {
  if (cachedManifest?.root === root && process.env.NODE_ENV === 'production') return cachedManifest.manifest
  const text = await readFile(resolve(root, MANIFEST), 'utf8').catch(() => {
    throw new Error(`Falta ${MANIFEST}: corre «npm run imagenes»`)
  })
  cachedManifest = { root, manifest: JSON.parse(text) as ImageManifest }
  return cachedManifest.manifest
}

/** Turns a photograph of the content into a picture for <Photo>. */
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

/** Returns the path of a photograph's full-size PNG, for the press (§2.13). */
export const pngFile = (path: string, entry: PhotoEntry) =>
  join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}.png`)

/** Returns the URL of a logo, video or document of the content. */
export function toUrl(manifest: ImageManifest, path: string): string {
  const entry = manifest.files[path]
  if (!entry) throw new Error(`El archivo ${path} no está descrito: corre «npm run imagenes»`)
  return fileUrl(path, entry.hash)
}

/** Describes the file behind a URL of `toUrl` for the link that downloads it: «PDF, 240 KB». */
export function describeFile(manifest: ImageManifest, url: string): string {
  const [, entry] = Object.entries(manifest.files).find(([path, { hash }]) => fileUrl(path, hash) === url) ?? []
  const kind = url.endsWith('.docx') ? 'Word' : 'PDF'
  return entry?.bytes === undefined ? kind : `${kind}, ${formatFileSize(entry.bytes)}`
}

/** Makes a share card for `pageMeta`. */
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

/** The server sends an asset file for a URL under /img or /media. */
export interface AssetFile {
  /** `path` begins at the project's root. */
  path: string
  contentType: string
  /** While a file is not made yet, another file replaces it, which is not final and must not be cached. */
  isFinal: boolean
  /** Marks a picture that only the press pages show. */
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

export const contentTypeOf = (path: string) =>
  TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** An asset has the files behind an address under /img or /media. */
export interface Asset {
  /** The generated file is undefined where the original itself is sent. */
  generatedFile?: string
  source: string
  sha256: string
  isPressOnly: boolean
  /** With `isOriginalReserved`, only the press gets the original in place of a generated file that is not made yet. */
  isOriginalReserved: boolean
}

/** Returns an edition's addresses under /img and /media with their assets. */
export function routesOf(manifest: ImageManifest): Map<string, Asset> {
  const routes = new Map<string, Asset>()
  const press = new Set(manifest.prensa)
  for (const [path, entry] of Object.entries(manifest.photos)) {
    const { source, sha256 } = entry
    const pressOnly = press.has(path)
    for (const { width, format } of variantsOf(entry.width)) {
      const url = `${photoBase(path, entry)}-${width}.${format}`
      const generatedFile = join(IMAGES_FOLDER, url.slice('/img/'.length))
      routes.set(url, { generatedFile, source, sha256, isPressOnly: pressOnly, isOriginalReserved: pressOnly })
    }
  }
  const reserved = new Set(manifest.prensa.map((path) => manifest.photos[path]?.source))
  for (const [name, { source, hash }] of Object.entries(manifest.cards)) {
    const { sha256 = '' } = Object.values(manifest.photos).find((entry) => entry.source === source) ?? {}
    // A share card is public, but the photograph that replaces it may be reserved for the press.
    const isOriginalReserved = reserved.has(source)
    routes.set(cardUrl(name, hash), {
      generatedFile: cardFile(name, hash),
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
