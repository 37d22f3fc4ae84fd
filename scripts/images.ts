import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import {
  cardUrl,
  FORMATS,
  type Format,
  IMAGES_FOLDER,
  type ImageManifest,
  type PhotoEntry,
  photoBase,
  pngFile,
  variantsOf,
} from '#app/edicion/imagenes.server.ts'
import {
  type Archivos,
  CONTENT_FOLDER,
  ContentError,
  type Falla,
  filesNamed,
  readEdicion,
  soloPrensa,
} from '#app/edicion/lectura.server.ts'
import { makePng } from '#app/edicion/png.server.ts'
import { type DisenoTarjeta, tarjetasDe } from '#app/edicion/tarjetas.server.ts'
import { claim } from '#app/platform/site-lock.server.ts'
import { endWith } from './fault.ts'
import { makeFonts } from './fonts.ts'
import { CARD_RECIPE, drawCard } from './tarjetas.ts'

/** Changing how pictures are made changes their names, so that nobody keeps an old one. */
const RECIPE = 3

const encode: Record<Format, (picture: Sharp) => Sharp> = {
  // Effort 4 takes five times as long for 1 to 5 % fewer bytes.
  avif: (picture) => picture.avif({ quality: 48, effort: 3, chromaSubsampling: '4:2:0' }),
  webp: (picture) => picture.webp({ quality: 72, effort: 4 }),
  jpg: (picture) => picture.jpeg({ quality: 74, mozjpeg: true }),
}

interface Variant {
  file: string
  source: string
  width: number
  format: Format
}

interface Card {
  file: string
  source: string
  diseno: DisenoTarjeta
}

interface Options {
  /** The pictures a visitor sees first (the two posters of the home video), or every one. */
  only: 'first-view' | 'all'
  onProgress?: (done: number, total: number) => void
}

/** How long one process waits for another that is making pictures in the same folder. */
const PATIENCE_MS = 60 * 60_000
/** A half-written file older than this belongs to nobody any more. */
const ABANDONED_MS = 60 * 60_000

/**
 * Describes every photograph, mark and video that the edition names, and its cards for sharing; makes what is missing of
 * the cards and of the photographs' sizes.
 * With `all`, one process at a time: what no longer belongs to the edition is then removed, too.
 * @returns how many pictures were made
 */
export async function makeImages({ only, onProgress }: Options): Promise<number> {
  await mkdir(IMAGES_FOLDER, { recursive: true })
  if (only === 'first-view') {
    const { variants, firstView } = await describe()
    // Only the format that nearly every browser takes; meanwhile the server sends originals to the others.
    return makeMissing(
      variants.filter(({ source, format }) => firstView.has(source) && format === 'avif'),
      onProgress,
    )
  }
  const release = await claim(`${IMAGES_FOLDER}.pid`, '', PATIENCE_MS)
  if (typeof release !== 'function') return 0
  try {
    const { variants, cards, pngs } = await describe()
    // Cards first: they are few, and networks keep the first answer that they get.
    const made = await makeMissing([...cards, ...variants], onProgress)
    for (const { source, file } of pngs) await makePng(source, file)
    await sweep(new Set([...cards, ...variants, ...pngs].map(({ file }) => file)))
    return made
  } finally {
    await release()
  }
}

/** Makes pictures one at a time: libvips already uses every core, and the site may be serving meanwhile. */
async function makeMissing(wanted: (Variant | Card)[], onProgress: Options['onProgress']): Promise<number> {
  const missing = wanted.filter(({ file }) => !existsSync(file))
  if (missing.some((one) => 'diseno' in one)) await makeFonts()
  for (const [index, one] of missing.entries()) {
    await writeWhole(one.file, 'diseno' in one ? await drawCard(one.diseno, one.source) : await resized(one))
    onProgress?.(index + 1, missing.length)
  }
  return missing.length
}

const pathsOf = (archivos: unknown) => [...new Set(filesNamed(archivos).map(({ ruta }) => ruta))]
const isPhoto = (path: string) => /\.(jpe?g|png)$/.test(path)

async function describe() {
  const { folder, archivos, fallas } = await readEdicion()
  const paths = pathsOf(archivos).filter((path) => existsSync(join(folder, path)))
  const manifest: ImageManifest = { photos: {}, files: {}, cards: {}, prensa: soloPrensa(archivos) }
  const before = JSON.parse(
    await readFile(join(IMAGES_FOLDER, 'manifest.json'), 'utf8').catch(() => '{"photos":{}}'),
  ) as Pick<ImageManifest, 'photos'>
  const broken: Falla[] = []
  for (const path of paths) {
    const source = relative('.', join(folder, path))
    const bytes = await readFile(source)
    const hash = createHash('sha256').update(`${RECIPE}:`).update(bytes).digest('hex').slice(0, 10)
    if (!isPhoto(path)) manifest.files[path] = { source, hash }
    else {
      const same = before.photos[path]
      if (same?.hash === hash && same.source === source) manifest.photos[path] = same
      else {
        const seen = await look(bytes)
        if (seen.ok) manifest.photos[path] = { source, hash, ...seen.photo }
        else broken.push({ archivo: source, campo: '', remedio: seen.remedio })
      }
    }
  }
  if (broken.length > 0) throw new ContentError(broken)
  const cards = (fallas.length === 0 ? tarjetasDe(archivos as Archivos) : []).map((diseno): Card => {
    const { source, hash } = manifest.photos[diseno.foto.foto]!
    const own = cardHash(diseno, hash)
    manifest.cards[diseno.nombre] = { source, hash: own }
    return { diseno, source, file: join(IMAGES_FOLDER, cardUrl(diseno.nombre, own).slice('/img/'.length)) }
  })
  await writeWhole(join(IMAGES_FOLDER, 'manifest.json'), JSON.stringify(manifest))
  const video = archivos['inicio.yaml']?.video
  const posters = video ? [video.ancho.cartel.foto, video.vertical.cartel.foto] : []
  const firstView = new Set(posters.map((path) => manifest.photos[path]?.source))
  const variants = Object.entries(manifest.photos).flatMap(([path, entry]) => filesOf(path, entry))
  const prensa = archivos['candidatas.yaml']
  const pngs = filesNamed([prensa?.grupoPrensa, prensa?.candidatas.map((una) => una.prensa)]).flatMap(({ ruta }) => {
    const entry = manifest.photos[ruta]
    return entry ? [{ source: entry.source, file: pngFile(ruta, entry) }] : []
  })
  // Formats go in their order of preference, so that the one that most visitors get is complete first.
  return {
    firstView,
    cards,
    pngs,
    variants: FORMATS.flatMap((format) => variants.filter((variant) => variant.format === format)),
  }
}

/** Hash of a card: it changes with the text, the photograph and the way of drawing. */
const cardHash = (diseno: DisenoTarjeta, photoHash: string) =>
  createHash('sha256')
    .update(JSON.stringify([CARD_RECIPE, photoHash, diseno]))
    .digest('hex')
    .slice(0, 10)

/** Pixels of one picture at most: 12 000 across in the usual proportions. More would fill a small machine's memory. */
const MAX_PIXELS = 120_000_000

type Seen = { ok: true; photo: Omit<PhotoEntry, 'source' | 'hash'> } | { ok: false; remedio: string }

/** A picture's size as it stands upright, and a preview of some hundred bytes; or what keeps it from being shown. */
async function look(bytes: Buffer): Promise<Seen> {
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
    const data = `data:image/webp;base64,${preview.toString('base64')}`
    return { ok: true, photo: { width: autoOrient.width, height: autoOrient.height, preview: data } }
  } catch {
    return { ok: false, remedio: 'no se puede abrir, o está a medias: vuelve a guardarla como JPEG y reemplázala' }
  }
}

/** Photographs of an edition that cannot be shown, and the mend of each. */
export async function brokenPhotos({
  folder,
  archivos,
}: Pick<Awaited<ReturnType<typeof readEdicion>>, 'folder' | 'archivos'>): Promise<Falla[]> {
  const broken: Falla[] = []
  for (const path of pathsOf(archivos).filter(isPhoto)) {
    const file = join(folder, path)
    if (!existsSync(file)) continue
    const seen = await look(await readFile(file))
    if (!seen.ok) broken.push({ archivo: relative('.', file), campo: '', remedio: seen.remedio })
  }
  return broken
}

function filesOf(path: string, entry: PhotoEntry): Variant[] {
  const name = photoBase(path, entry).slice('/img/'.length)
  return variantsOf(entry.width).map(({ width, format }) => ({
    file: join(IMAGES_FOLDER, `${name}-${width}.${format}`),
    source: entry.source,
    width,
    format,
  }))
}

const resized = ({ source, width, format }: Variant): Promise<Buffer> =>
  encode[format](sharp(source).autoOrient().resize({ width, withoutEnlargement: true })).toBuffer()

/** Writes a file whole or not at all, even if the process ends in the middle. */
async function writeWhole(file: string, body: Buffer | string) {
  const part = `${file}.${process.pid}.parte`
  await writeFile(part, body)
  await rename(part, file)
}

async function sweep(keep: Set<string>) {
  for (const name of await readdir(IMAGES_FOLDER)) {
    const file = join(IMAGES_FOLDER, name)
    if (name === 'manifest.json' || keep.has(file)) continue
    const { mtimeMs } = await stat(file)
    if (!name.endsWith('.parte') || Date.now() - mtimeMs > ABANDONED_MS) await rm(file, { force: true })
  }
}

async function run(): Promise<void> {
  if (process.argv.includes('--detras')) {
    // Behind a running site, use one core, and end when the site ends.
    sharp.concurrency(1)
    process.on('disconnect', () => process.exit())
  }
  const only = process.argv.includes('--primera-vista') ? 'first-view' : 'all'
  const made = await makeImages({
    only,
    onProgress: (done, total) => {
      if (process.stdout.isTTY) process.stdout.write(`\rImágenes de ${CONTENT_FOLDER}: ${done} de ${total}`)
    },
  })
  console.log(`${process.stdout.isTTY ? '\r' : ''}Imágenes hechas: ${made}.`)
  // The channel to the site would keep this process alive.
  process.disconnect?.()
}

if (import.meta.main) await run().catch(endWith)
