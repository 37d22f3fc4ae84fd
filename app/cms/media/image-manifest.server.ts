import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import {
  type EditionDocuments,
  isPhotoField,
  listNamedFiles,
  listPressOnlyFiles,
} from '#app/cms/schema/read-content.server.ts'
import { formatFileSize } from '#app/core/text/file-size.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import {
  CARD_VERSION,
  SHARE_CARD_HEIGHT_PX,
  SHARE_CARD_WIDTH_PX,
  type ShareCard,
  type ShareCardDesign,
  shareCardsOf,
} from './share-cards.server.ts'

/** Version of the encoding, whose change changes every picture's URL, so that no cache keeps an old picture. */
const ENCODING_VERSION = 4

/** Folder, in the project's root, of generated pictures and of downloaded files. */
export const IMAGES_FOLDER = '.cache/images'
const MANIFEST_PATH = join(IMAGES_FOLDER, 'manifest.json')

/** Formats, in the order in which browsers are offered them. */
const FORMATS = ['avif', 'webp', 'jpg'] as const
export type ImageFormat = (typeof FORMATS)[number]

/** Widths in which pictures are offered; a picture narrower than the largest is also offered in its own width. */
const VARIANT_WIDTHS_PX = [480, 720, 960, 1280, 1600, 2000, 2400]

export function widthsOf(width: number): number[] {
  const smallerWidths = VARIANT_WIDTHS_PX.filter((w) => w < width)
  return [...smallerWidths, Math.min(width, VARIANT_WIDTHS_PX.at(-1)!)]
}

/** Largest width that phones request, unless a picture fills the screen. */
const MAX_PHONE_WIDTH_PX = 960

/** Returns the width of a photograph's only JPEG, since few browsers lack AVIF and WebP. */
const jpegWidthOf = (width: number) => widthsOf(width).find((w) => w >= 960) ?? width

export const variantsOf = (width: number): { width: number; format: ImageFormat }[] =>
  FORMATS.flatMap((format) =>
    (format === 'jpg' ? [jpegWidthOf(width)] : widthsOf(width)).map((w) => ({ width: w, format })),
  )

/** A photograph in the manifest, which describes it before any of its sizes is made. */
export interface PhotoEntry {
  /** Path of the original from the project's root; it may still have to be downloaded. */
  source: string
  /** SHA-256 of the original, in hex. */
  sha256: string
  /** Ten hex digits for the photograph's URLs, which change with the bytes and with ENCODING_VERSION. */
  hash: string
  width: number
  height: number
  /** Tiny WebP as a data URI. */
  preview: string
}

export interface ImageManifest {
  /** Photographs by their path in the edition. */
  photos: Record<string, PhotoEntry>
  /** Files that are served as they are (logos, videos, documents), by their path in the edition. */
  files: Record<string, { source: string; sha256: string; hash: string; bytes?: number | undefined }>
  /** Share cards by name, each with the photograph that is served until the card is drawn. */
  cards: Record<string, { source: string; hash: string }>
  /** Paths of photographs and files that only the press pages show. */
  prensa: string[]
}

/** A file of an edition, described before its URLs are known. */
export interface DescribedFile {
  sha256: string
  /** Path from the project's root; the file may still have to be downloaded. */
  source: string
  /** Size in bytes; undefined if unknown, as for photographs of content/. */
  bytes?: number | undefined
  /** Dimensions in pixels of an upright photograph, and its preview; undefined for other files. */
  photo?: { width: number; height: number; preview: string } | undefined
}

const shortHash = (...values: unknown[]) =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 10)

/**
 * Builds the manifest of an edition, before any size is made.
 * @param describedFiles by path in the edition
 * @param documents of the edition, without faulty ones
 * @param isWhole whether no document is missing; otherwise there are no share cards
 * @returns the manifest, and the designs of its share cards
 */
export function manifestOf(
  describedFiles: Map<string, DescribedFile>,
  documents: Partial<EditionDocuments>,
  isWhole: boolean,
) {
  const manifest: ImageManifest = { photos: {}, files: {}, cards: {}, prensa: listPressOnlyFiles(documents) }
  const namedFiles = listNamedFiles(documents)
  const photoPaths = new Set(namedFiles.filter(({ field }) => isPhotoField(field)).map(({ path }) => path))
  const filePaths = new Set(namedFiles.filter(({ field }) => !isPhotoField(field)).map(({ path }) => path))
  for (const [path, { sha256, source, photo, bytes }] of describedFiles) {
    const hash = shortHash(ENCODING_VERSION, sha256)
    if (photo && photoPaths.has(path)) manifest.photos[path] = { source, sha256, hash, ...photo }
    if (filePaths.has(path)) manifest.files[path] = { source, sha256, hash, bytes }
  }
  const designs = isWhole ? shareCardsOf(documents as EditionDocuments) : []
  for (const design of designs) {
    const { source, hash } = manifest.photos[design.foto.foto]!
    manifest.cards[design.nombre] = { source, hash: shortHash(CARD_VERSION, hash, design) }
  }
  return { manifest, designs }
}

/** A generated file in IMAGES_FOLDER: a photograph in one size and format. */
export interface ImageVariant {
  file: string
  /** Path of the photograph in the edition. */
  path: string
  source: string
  width: number
  format: ImageFormat
}

/** Lists every size of an edition's photographs, most requested first. */
export const listVariants = ({ photos }: Pick<ImageManifest, 'photos'>): ImageVariant[] =>
  Object.entries(photos)
    .flatMap(([path, entry]) =>
      variantsOf(entry.width).map(({ width, format }) => ({
        path,
        source: entry.source,
        width,
        format,
        file: join(IMAGES_FOLDER, `${photoBaseUrl(path, entry).slice('/img/'.length)}-${width}.${format}`),
      })),
    )
    .sort((first, second) => demandRankOf(first) - demandRankOf(second))

/** Returns the rank of a size by demand: AVIF in the widths of phones, wider AVIF, then WebP and JPEG in the same way. */
const demandRankOf = ({ format, width }: { format: ImageFormat; width: number }) =>
  2 * FORMATS.indexOf(format) + Number(width > MAX_PHONE_WIDTH_PX)

/** Lists the PNGs that the press downloads (§2.13). */
export function listPressPngs(
  { photos }: ImageManifest,
  documents: Partial<EditionDocuments>,
): { source: string; file: string }[] {
  const candidatesDocument = documents['candidatas.yaml']
  return listNamedFiles([
    candidatesDocument?.grupoPrensa,
    candidatesDocument?.candidatas.map((candidate) => candidate.prensa),
  ]).flatMap(({ path }) => {
    const entry = photos[path]
    return entry ? [{ source: entry.source, file: pngPath(path, entry) }] : []
  })
}

export const cardPath = (name: string, hash: string) => join(IMAGES_FOLDER, cardUrl(name, hash).slice('/img/'.length))

const pathSlug = (path: string) =>
  path
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

/** Returns a file's URL without size and extension; the names of all its generated files begin with the last segment. */
export const fileBaseUrl = (path: string, sha256: string) =>
  `/img/${pathSlug(path)}-${shortHash(ENCODING_VERSION, sha256)}`

/** Returns a photograph's URL without width and extension: `/img/<name>-<hash>`. */
export const photoBaseUrl = (path: string, entry: PhotoEntry) => `/img/${pathSlug(path)}-${entry.hash}`

const fileUrl = (path: string, hash: string) =>
  `${/\.(svg|png)$/.test(path) ? '/img' : '/media'}/${pathSlug(path)}-${hash}${path.slice(path.lastIndexOf('.'))}`

const cardUrl = (name: string, hash: string) => `/img/tarjeta-${name}-${hash}.jpg`

let cachedManifest: { root: string; manifest: ImageManifest } | undefined

/**
 * Reads the manifest of content/ that scripts/images.ts writes; in production only once for the same root.
 * @throws Error if the manifest cannot be read, which mostly means that it does not exist yet
 */
export async function imageManifest(root = '.'): Promise<ImageManifest> {
  if (cachedManifest?.root === root && process.env.NODE_ENV === 'production') return cachedManifest.manifest
  const text = await readFile(resolve(root, MANIFEST_PATH), 'utf8').catch(() => {
    throw new Error(`Falta ${MANIFEST_PATH}: corre «npm run imagenes»`)
  })
  cachedManifest = { root, manifest: JSON.parse(text) as ImageManifest }
  return cachedManifest.manifest
}

/** Returns a photograph of the content as a picture for <Photo>. @throws Error if the manifest lacks it */
export function toPicture(manifest: ImageManifest, { foto, alt, foco }: Photo): Picture {
  const entry = manifest.photos[foto]
  if (!entry) throw new Error(`La fotografía ${foto} no está descrita: corre «npm run imagenes»`)
  return {
    base: photoBaseUrl(foto, entry),
    widths: widthsOf(entry.width),
    jpegWidth: jpegWidthOf(entry.width),
    width: entry.width,
    height: entry.height,
    alt,
    focalPoint: foco,
    preview: entry.preview,
  }
}

/** Finds the path and the manifest entry of a displayed photograph. @throws Error if the manifest lacks it */
export function findPhotoEntry(manifest: ImageManifest, { base }: Picture): { path: string; entry: PhotoEntry } {
  for (const [path, entry] of Object.entries(manifest.photos))
    if (photoBaseUrl(path, entry) === base) return { path, entry }
  throw new Error(`${base} no es ninguna fotografía de la edición`)
}

/** Returns the path of a photograph's full-size PNG, for the press (§2.13). */
export const pngPath = (path: string, entry: PhotoEntry) =>
  join(IMAGES_FOLDER, `${photoBaseUrl(path, entry).slice('/img/'.length)}.png`)

/** Returns the URL of a logo, video or document of the content. @throws Error if the manifest lacks it */
export function contentFileUrl(manifest: ImageManifest, path: string): string {
  const entry = manifest.files[path]
  if (!entry) throw new Error(`El archivo ${path} no está descrito: corre «npm run imagenes»`)
  return fileUrl(path, entry.hash)
}

/** Describes the document at a URL of `contentFileUrl` for its download link: «PDF, 240 KB», or «PDF» if its size is unknown. */
export function describeFile(manifest: ImageManifest, url: string): string {
  const [, entry] = Object.entries(manifest.files).find(([path, { hash }]) => fileUrl(path, hash) === url) ?? []
  const kind = url.endsWith('.docx') ? 'Word' : 'PDF'
  return entry?.bytes === undefined ? kind : `${kind}, ${formatFileSize(entry.bytes)}`
}

/** Returns a share card for `pageMeta`. @throws Error if the manifest lacks it */
export function toShareCard(manifest: ImageManifest, { nombre, titulo, linea, foto }: ShareCardDesign): ShareCard {
  const entry = manifest.cards[nombre]
  if (!entry) throw new Error(`La tarjeta ${nombre} no está descrita: corre «npm run imagenes»`)
  return {
    url: cardUrl(nombre, entry.hash),
    width: SHARE_CARD_WIDTH_PX,
    height: SHARE_CARD_HEIGHT_PX,
    alt: `${titulo}, ${linea}. ${foto.alt}`,
  }
}

/** A file that is sent for a URL under /img or /media. */
export interface AssetFile {
  /** Path from the project's root. */
  path: string
  contentType: string
  /** Whether it is the file of the URL itself. Another file, sent while the right one is not made yet, must not be cached. */
  isFinal: boolean
  /** Whether only the accredited press may get the file. */
  isPressOnly: boolean
}

const CONTENT_TYPES: Record<string, string> = {
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
  CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** The files behind a URL under /img or /media. */
export interface ServedAsset {
  /** Path of the generated file; undefined if the original itself is sent. */
  generatedFile?: string
  source: string
  sha256: string
  isPressOnly: boolean
  /** Whether only the press may get the original while the generated file is not made yet. */
  isOriginalReserved: boolean
}

/** Returns an edition's assets by their URL under /img or /media. */
export function assetsByUrl(manifest: ImageManifest): Map<string, ServedAsset> {
  const assets = new Map<string, ServedAsset>()
  const pressOnlyPaths = new Set(manifest.prensa)
  for (const [path, entry] of Object.entries(manifest.photos)) {
    const { source, sha256 } = entry
    const isPressOnly = pressOnlyPaths.has(path)
    for (const { width, format } of variantsOf(entry.width)) {
      const url = `${photoBaseUrl(path, entry)}-${width}.${format}`
      const generatedFile = join(IMAGES_FOLDER, url.slice('/img/'.length))
      assets.set(url, { generatedFile, source, sha256, isPressOnly, isOriginalReserved: isPressOnly })
    }
  }
  const reservedSources = new Set(manifest.prensa.map((path) => manifest.photos[path]?.source))
  for (const [name, { source, hash }] of Object.entries(manifest.cards)) {
    const { sha256 = '' } = Object.values(manifest.photos).find((entry) => entry.source === source) ?? {}
    // A share card is public, but the photograph that replaces it may be reserved for the press.
    const isOriginalReserved = reservedSources.has(source)
    assets.set(cardUrl(name, hash), {
      generatedFile: cardPath(name, hash),
      source,
      sha256,
      isPressOnly: false,
      isOriginalReserved,
    })
  }
  for (const [path, { source, sha256, hash }] of Object.entries(manifest.files)) {
    const pressOnly = pressOnlyPaths.has(path)
    assets.set(fileUrl(path, hash), { source, sha256, isPressOnly: pressOnly, isOriginalReserved: pressOnly })
  }
  return assets
}
