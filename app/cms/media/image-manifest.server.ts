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

/** Changing how pictures are made changes their names, so that nobody keeps an old one. */
const RECIPE = 4

/** Where scripts/images.ts leaves the pictures, from the project's root. */
export const IMAGES_FOLDER = '.cache/images'
const MANIFEST = join(IMAGES_FOLDER, 'manifest.json')

/** Formats in the order in which a browser is offered them. */
const FORMATS = ['avif', 'webp', 'jpg'] as const
export type Format = (typeof FORMATS)[number]

/** Widths in pixels in which a picture is offered; one smaller than the largest is offered in its own width, too. */
const WIDTHS = [480, 720, 960, 1280, 1600, 2000, 2400]

export function widthsOf(width: number): number[] {
  const smaller = WIDTHS.filter((w) => w < width)
  return [...smaller, Math.min(width, WIDTHS.at(-1)!)]
}

/** No phone asks for wider ones, but where a picture covers a whole screen. */
const PHONE_WIDTH = 960

/** The width of the JPEG that browsers without AVIF and WebP get: one is enough for so few. */
const jpegWidthOf = (width: number) => widthsOf(width).find((w) => w >= 960) ?? width

/** Every size and format of a photograph. */
export const variantsOf = (width: number): { width: number; format: Format }[] =>
  FORMATS.flatMap((format) =>
    (format === 'jpg' ? [jpegWidthOf(width)] : widthsOf(width)).map((w) => ({ width: w, format })),
  )

/** One photograph in the manifest, which describes it before any of its sizes is made. */
export interface PhotoEntry {
  /** Where the file that the organisers gave lies, or will lie once it is fetched: a path from the project's root. */
  source: string
  /** sha256 of its bytes, hex. */
  sha256: string
  /** Ten hex digits that stand in its addresses: they change with the bytes and with the recipe. */
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
  files: Record<string, { source: string; sha256: string; hash: string }>
  /** Cards for sharing by their key, with the photograph that stands in until a card is drawn. */
  cards: Record<string, { source: string; hash: string }>
  /** Paths of the photographs and files that only the press pages show. */
  prensa: string[]
}

/** What is known of one file of an edition before its addresses are. */
export interface DescribedFile {
  sha256: string
  /** Where it lies, or will lie once it is fetched: a path from the project's root. */
  source: string
  /** Pixels as it stands upright, and a preview; none for what is no photograph. */
  foto?: { width: number; height: number; preview: string } | undefined
}

/** @param seed what the name depends on */
const tenDigits = (...seed: unknown[]) => createHash('sha256').update(JSON.stringify(seed)).digest('hex').slice(0, 10)

/**
 * Every address of an edition's pictures and files, before any size is made.
 * @param describedFiles by path in the edition
 * @param files the edition's documents; one with faults is left out, and then nothing has cards
 */
export function manifestOf(
  describedFiles: Map<string, DescribedFile>,
  files: Partial<EditionDocuments>,
  isWhole: boolean,
) {
  const manifest: ImageManifest = { photos: {}, files: {}, cards: {}, prensa: pressOnly(files) }
  const named = filesNamed(files)
  const asPhoto = new Set(named.filter(({ campo }) => isPhotoField(campo)).map(({ ruta }) => ruta))
  const asFile = new Set(named.filter(({ campo }) => !isPhotoField(campo)).map(({ ruta }) => ruta))
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

/** A file of its own in the folder of pictures. */
export interface Variant {
  file: string
  /** Path in the edition. */
  path: string
  source: string
  width: number
  format: Format
}

/** Every size of an edition's photographs, in the order in which they are wanted. */
export const variantsOfAll = ({ photos }: Pick<ImageManifest, 'photos'>): Variant[] =>
  Object.entries(photos)
    .flatMap(([path, entry]) =>
      variantsOf(entry.width).map(({ width, format }) => ({
        ...{ path, source: entry.source, width, format },
        file: join(IMAGES_FOLDER, `${photoBase(path, entry).slice('/img/'.length)}-${width}.${format}`),
      })),
    )
    .sort((one, other) => rankOf(one) - rankOf(other))

/** What most visitors ask for comes first: AVIF in the widths of phones, then in the others, then what few ask for. */
const rankOf = ({ format, width }: { format: Format; width: number }) =>
  2 * FORMATS.indexOf(format) + Number(width > PHONE_WIDTH)

/** The PNGs that the press downloads (§2.13). */
export function pngsOf(
  { photos }: ImageManifest,
  files: Partial<EditionDocuments>,
): { source: string; file: string }[] {
  const press = files['candidatas.yaml']
  return filesNamed([press?.grupoPrensa, press?.candidatas.map((una) => una.prensa)]).flatMap(({ ruta }) => {
    const entry = photos[ruta]
    return entry ? [{ source: entry.source, file: pngFile(ruta, entry) }] : []
  })
}

/** A card's file, once drawn. */
export const cardFile = (name: string, hash: string) => join(IMAGES_FOLDER, cardUrl(name, hash).slice('/img/'.length))

const slug = (path: string) =>
  path
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

/** The beginning of every address of a file, whatever becomes of it. */
export const addressOf = (path: string, sha256: string) => `/img/${slug(path)}-${tenDigits(RECIPE, sha256)}`

/** URL of a photograph without width and format: `/img/<name>-<hash>`. */
export const photoBase = (path: string, entry: PhotoEntry) => `/img/${slug(path)}-${entry.hash}`

const fileUrl = (path: string, hash: string) =>
  `${/\.(svg|png)$/.test(path) ? '/img' : '/media'}/${slug(path)}-${hash}${path.slice(path.lastIndexOf('.'))}`

const cardUrl = (name: string, hash: string) => `/img/tarjeta-${name}-${hash}.jpg`

let known: { root: string; manifest: ImageManifest } | undefined

/**
 * The manifest of content/ that scripts/images.ts wrote; kept once read.
 * @throws Error when there is no manifest yet
 */
export async function imageManifest(root = '.'): Promise<ImageManifest> {
  if (known?.root === root && process.env.NODE_ENV === 'production') return known.manifest
  const text = await readFile(resolve(root, MANIFEST), 'utf8').catch(() => {
    throw new Error(`Falta ${MANIFEST}: corre «npm run imagenes»`)
  })
  known = { root, manifest: JSON.parse(text) as ImageManifest }
  return known.manifest
}

/** A photograph of the content, ready for <Foto>. */
export function toPicture(manifest: ImageManifest, { foto, alt, foco }: Photo): Picture {
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

/** The path in the edition of a photograph that a screen shows, and what is known of it. */
export function photoOf(manifest: ImageManifest, { base }: Picture): { path: string; entry: PhotoEntry } {
  for (const [path, entry] of Object.entries(manifest.photos))
    if (photoBase(path, entry) === base) return { path, entry }
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
export function toShareCard(manifest: ImageManifest, { nombre, titulo, linea, foto }: ShareCardDesign): ShareCard {
  const entry = manifest.cards[nombre]
  if (!entry) throw new Error(`La tarjeta ${nombre} no está descrita: corre «npm run imagenes»`)
  return {
    url: cardUrl(nombre, entry.hash),
    ancho: SHARE_CARD_WIDTH,
    alto: SHARE_CARD_HEIGHT,
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
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}

export const typeOf = (path: string) => TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** What an address under /img or /media stands for. */
export interface Asset {
  /** The file that is made of the original; undefined where that goes out as it is. */
  made?: string
  source: string
  sha256: string
  soloPrensa: boolean
  /** Whether only the press may have the original, which stands in for what is not made yet. */
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
      routes.set(url, { made, source, sha256, soloPrensa: pressOnly, isOriginalReserved: pressOnly })
    }
  }
  const reserved = new Set(manifest.prensa.map((path) => manifest.photos[path]?.source))
  for (const [name, { source, hash }] of Object.entries(manifest.cards)) {
    const { sha256 = '' } = Object.values(manifest.photos).find((entry) => entry.source === source) ?? {}
    // A card is everybody's, but the photograph that stands in for it may not be.
    const isOriginalReserved = reserved.has(source)
    routes.set(cardUrl(name, hash), {
      made: cardFile(name, hash),
      source,
      sha256,
      soloPrensa: false,
      isOriginalReserved,
    })
  }
  for (const [path, { source, sha256, hash }] of Object.entries(manifest.files)) {
    const pressOnly = press.has(path)
    routes.set(fileUrl(path, hash), { source, sha256, soloPrensa: pressOnly, isOriginalReserved: pressOnly })
  }
  return routes
}
