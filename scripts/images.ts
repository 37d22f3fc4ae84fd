import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { ensurePng } from '#app/cms/media/ensure-png.server.ts'
import {
  cardPath,
  type DescribedFile,
  IMAGES_FOLDER,
  type ImageFormat,
  type ImageManifest,
  type ImageVariant,
  listPressPngs,
  listVariants,
  manifestOf,
} from '#app/cms/media/image-manifest.server.ts'
import type { ShareCardDesign } from '#app/cms/media/share-cards.server.ts'
import {
  CONTENT_FOLDER,
  ContentError,
  type ContentFault,
  isPhotoField,
  listNamedFiles,
  readEdition,
} from '#app/cms/schema/read-content.server.ts'
import { claimFile } from '#app/core/process/data-folder-lock.server.ts'
import { readConfined } from '#app/core/storage/confined-read.server.ts'
import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'
import { endWithFault } from '../server/end-with-fault.ts'
import { drawCard } from './build-steps/share-cards.ts'
import { makeFonts } from './fonts.ts'

/**
 * Width in pixels from which AVIF's effort 1 gives files of the same size as effort 3 in a third of the time. Below it, files would
 * be a tenth larger.
 */
const MIN_LOW_EFFORT_WIDTH = 960

const encoderByFormat: Record<ImageFormat, (picture: Sharp, width: number) => Sharp> = {
  // Effort 4 takes five times as long for 1 to 5 % fewer bytes.
  avif: (picture, width) =>
    picture.avif({ quality: 48, effort: width < MIN_LOW_EFFORT_WIDTH ? 3 : 1, chromaSubsampling: '4:2:0' }),
  webp: (picture) => picture.webp({ quality: 72, effort: 4 }),
  jpg: (picture) => picture.jpeg({ quality: 74, mozjpeg: true }),
}

export interface ShareCard {
  file: string
  source: string
  diseno: ShareCardDesign
}

interface MakeOptions {
  /** `first-view` means only the AVIFs of the two posters of the home video, which visitors see first; `cards` only the share cards. */
  only: 'first-view' | 'cards' | 'all'
  onProgress?: (done: number, total: number) => void
}

/** Longest wait for another process that is generating pictures in the same folder. */
const MAX_CLAIM_WAIT_MS = HOUR_MS
/** Age at which a half-written file is removed, since a killed process left it. */
const MAX_TEMP_FILE_AGE_MS = HOUR_MS
/** Age at which a file that content/ does not name is removed; a younger one may belong to a page that a visitor has open. */
const MAX_UNNAMED_AGE_MS = 30 * DAY_MS

/**
 * Describes every file that the edition in content/ names, and its share cards; makes those of the missing cards and sizes that `only`
 * selects. `all` also makes the press's PNGs, removes old files that content/ does not name, and runs in one process at a time.
 * @returns the number of new cards and sizes; 0 also if another process holds the claim for MAX_CLAIM_WAIT_MS
 * @throws ContentError if a photograph cannot be shown
 */
export async function makeImages({ only, onProgress }: MakeOptions): Promise<number> {
  await mkdir(IMAGES_FOLDER, { recursive: true })
  if (only === 'first-view') {
    const { variants, firstView } = await describeSample()
    // AVIF, which nearly every browser takes, is enough at first: the server sends originals to the other browsers meanwhile.
    return makeMissing(
      variants.filter(({ source, format }) => firstView.has(source) && format === 'avif'),
      { onProgress },
    )
  }
  if (only === 'cards') return makeMissing((await describeSample()).cards, { onProgress })
  const release = await claimFile(`${IMAGES_FOLDER}.pid`, '', MAX_CLAIM_WAIT_MS)
  if (typeof release !== 'function') return 0
  try {
    const { variants, cards, pngs } = await describeSample()
    const madeCount = await makeMissing([...cards, ...variants], { onProgress })
    for (const { source, file } of pngs) await ensurePng(source, file)
    await removeOldFiles(new Set([...cards, ...variants, ...pngs].map(({ file }) => file)))
    return madeCount
  } finally {
    await release()
  }
}

/**
 * Makes the pictures whose files are missing, one at a time: libvips may use every core for one, and the site may be serving
 * meanwhile.
 * @param beforeEach is awaited before each picture
 * @returns the number of new pictures
 */
export async function makeMissing(
  pictures: (Pick<ImageVariant, 'file' | 'source' | 'width' | 'format'> | ShareCard)[],
  { onProgress, beforeEach }: Pick<MakeOptions, 'onProgress'> & { beforeEach?: () => Promise<void> } = {},
): Promise<number> {
  const missingPictures = pictures.filter(({ file }) => !existsSync(file))
  if (missingPictures.some((picture) => 'diseno' in picture)) await makeFonts()
  for (const [index, picture] of missingPictures.entries()) {
    await beforeEach?.()
    const bytes = 'diseno' in picture ? await drawCard(picture.diseno, picture.source) : await resize(picture)
    await writeAtomically(picture.file, bytes)
    onProgress?.(index + 1, missingPictures.length)
  }
  return missingPictures.length
}

/** Returns the cards that a manifest names, as `makeMissing` takes them. */
export const cardsOf = ({ manifest, designs }: { manifest: ImageManifest; designs: ShareCardDesign[] }): ShareCard[] =>
  designs.map((design) => {
    const { source, hash } = manifest.cards[design.nombre]!
    return { diseno: design, source, file: cardPath(design.nombre, hash) }
  })

/**
 * Returns the paths of the photographs, which get sizes and formats, and of the files that are served unchanged, such as a
 * sponsor's PNG.
 */
function pathsOf(documents: unknown): { photos: Set<string>; files: Set<string> } {
  const namedFiles = listNamedFiles(documents)
  const pathsWhere = (isPhoto: boolean) =>
    new Set(namedFiles.flatMap(({ path, field }) => (isPhotoField(field) === isPhoto ? [path] : [])))
  return { photos: pathsWhere(true), files: pathsWhere(false) }
}

/** Lists every file of .cache/images that belongs to content/, whether it exists or not: pictures, cards, PNGs and their manifest. */
export async function listSampleImageFiles(): Promise<string[]> {
  const { variants, cards, pngs } = await describeSample()
  const files = [...cards, ...variants, ...pngs].map(({ file }) => file)
  return [...new Set(files), join(IMAGES_FOLDER, 'manifest.json')]
}

/** Describes the files of content/, and writes the pictures' manifest. @throws ContentError if a photograph cannot be shown */
async function describeSample() {
  const { folder, documents, faults: contentFaults } = await readEdition()
  const { photos, files } = pathsOf(documents)
  const previousManifest = JSON.parse(
    await readFile(join(IMAGES_FOLDER, 'manifest.json'), 'utf8').catch(() => '{"photos":{}}'),
  ) as Pick<ImageManifest, 'photos'>
  const faults: ContentFault[] = []
  const describedFiles = new Map<string, DescribedFile>()
  for (const path of new Set([...photos, ...files])) {
    const source = relative('.', join(folder, path))
    const bytes = await readConfined(folder, path, MAX_FILE_BYTES)
    // A file that cannot be opened is among `contentFaults`; a file beyond MAX_FILE_BYTES is left out.
    if (typeof bytes === 'string') continue
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (!photos.has(path)) describedFiles.set(path, { source, sha256, bytes: bytes.byteLength })
    else {
      const previousPhoto = previousManifest.photos[path]
      const examinedPicture =
        previousPhoto?.sha256 === sha256 ? { ok: true as const, photo: previousPhoto } : await examinePicture(bytes)
      if (!examinedPicture.ok) faults.push({ archivo: source, campo: '', remedio: examinedPicture.remedio })
      else {
        const { width, height, preview } = examinedPicture.photo
        describedFiles.set(path, { source, sha256, photo: { width, height, preview } })
      }
    }
  }
  if (faults.length > 0) throw new ContentError(faults)
  const describedSample = manifestOf(describedFiles, documents, contentFaults.length === 0)
  const { manifest } = describedSample
  await writeAtomically(join(IMAGES_FOLDER, 'manifest.json'), JSON.stringify(manifest))
  const video = documents['inicio.yaml']?.video
  const posters = video ? [video.ancho.cartel.foto, video.vertical.cartel.foto] : []
  return {
    firstView: new Set(posters.map((path) => manifest.photos[path]?.source)),
    cards: cardsOf(describedSample),
    pngs: listPressPngs(manifest, documents),
    variants: listVariants(manifest),
  }
}

/** Size above which files in content/ are not read. */
const MAX_FILE_BYTES = 200 * 1_048_576

/** A larger picture would fill a small machine's memory. The limit is some 12 000 pixels across in the usual proportions. */
const MAX_PIXELS = 120_000_000

type ExaminedPicture = { ok: true; photo: NonNullable<DescribedFile['photo']> } | { ok: false; remedio: string }

/** Returns a picture's upright size and a preview of some hundred bytes, or the remedy for a picture that cannot be shown. */
async function examinePicture(bytes: Buffer): Promise<ExaminedPicture> {
  try {
    const { autoOrient, format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
    if (format !== 'jpeg' && format !== 'png')
      return { ok: false, remedio: `no es JPEG ni PNG, aunque así se llame (es ${format}): guárdala como JPEG` }
    if (width * height > MAX_PIXELS)
      return { ok: false, remedio: `mide ${width} × ${height} puntos: redúcela a 6000 de ancho o menos` }
    const preview = await sharp(bytes)
      .autoOrient()
      .resize(14, 14, { fit: 'inside' })
      .webp({ quality: 30, effort: 6 })
      .toBuffer()
    const previewUrl = `data:image/webp;base64,${preview.toString('base64')}`
    return { ok: true, photo: { width: autoOrient.width, height: autoOrient.height, preview: previewUrl } }
  } catch {
    return { ok: false, remedio: 'no se puede abrir, o está a medias: vuelve a guardarla como JPEG y reemplázala' }
  }
}

/** Lists the photographs of an edition that cannot be shown, and the remedy for each photograph. */
export async function findBrokenPhotos({
  folder,
  documents,
}: Pick<Awaited<ReturnType<typeof readEdition>>, 'folder' | 'documents'>): Promise<ContentFault[]> {
  const faults: ContentFault[] = []
  for (const path of pathsOf(documents).photos) {
    const bytes = await readConfined(folder, path, MAX_FILE_BYTES)
    if (typeof bytes === 'string') continue
    const examinedPicture = await examinePicture(bytes)
    if (!examinedPicture.ok)
      faults.push({ archivo: relative('.', join(folder, path)), campo: '', remedio: examinedPicture.remedio })
  }
  return faults
}

const resize = ({ source, width, format }: Pick<ImageVariant, 'source' | 'width' | 'format'>): Promise<Buffer> =>
  encoderByFormat[format](sharp(source).autoOrient().resize({ width, withoutEnlargement: true }), width).toBuffer()

export async function writeAtomically(file: string, body: Buffer | string) {
  const tempFile = `${file}.${process.pid}.parte`
  await writeFile(tempFile, body)
  await rename(tempFile, file)
}

async function removeOldFiles(keptFiles: Set<string>) {
  for (const name of await readdir(IMAGES_FOLDER)) {
    const file = join(IMAGES_FOLDER, name)
    if (name === 'manifest.json' || keptFiles.has(file)) continue
    const stats = await stat(file).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > (name.endsWith('.parte') ? MAX_TEMP_FILE_AGE_MS : MAX_UNNAMED_AGE_MS))
      await rm(file, { force: true })
  }
}

async function run(): Promise<void> {
  const only = process.argv.includes('--primera-vista')
    ? 'first-view'
    : process.argv.includes('--tarjetas')
      ? 'cards'
      : 'all'
  const madeCount = await makeImages({
    only,
    onProgress: (done, total) => {
      if (process.stdout.isTTY) process.stdout.write(`\rImágenes de ${CONTENT_FOLDER}: ${done} de ${total}`)
    },
  })
  console.log(`${process.stdout.isTTY ? '\r' : ''}Imágenes hechas: ${madeCount}.`)
}

if (import.meta.main) await run().catch(endWithFault)
