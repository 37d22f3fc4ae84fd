import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import subsetFont, { type AxisRange } from 'subset-font'

const FOLDER = '.cache/fonts'

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i)).join('')
/** Characters of Spanish prose and of this site's numbers; other characters are shown in the next font. */
const TEXT = `${ascii}¡¿ÁÉÍÓÚÜÑáéíóúüñÀÈÇàèçïöÏÖ«»“”‘’—–…·•°ºª×©®−´`
const FEATURES = ['kern', 'liga', 'lnum', 'tnum', 'locl', 'ccmp', 'mark']

interface Face {
  name: string
  package: string
  file: string
  axes: Record<string, AxisRange>
  /** woff2 for the browser, truetype for the share cards (scripts/build-steps/share-cards.ts). */
  format?: 'woff2' | 'truetype'
}

/** The optical size of a face is at least 11, since Bodoni's hairlines vanish on black below it. */
const FACES: Face[] = [
  {
    name: 'bodoni',
    package: '@fontsource-variable/bodoni-moda',
    file: 'bodoni-moda-latin-standard-normal.woff2',
    axes: { wght: 440, opsz: { min: 11, max: 30 } },
  },
  {
    name: 'bodoni-italica',
    package: '@fontsource-variable/bodoni-moda',
    file: 'bodoni-moda-latin-standard-italic.woff2',
    axes: { wght: 440, opsz: 18 },
  },
  {
    name: 'instrument',
    package: '@fontsource-variable/instrument-sans',
    file: 'instrument-sans-latin-wght-normal.woff2',
    axes: { wght: { min: 400, max: 600 } },
  },
  {
    name: 'bodoni-tarjeta',
    package: '@fontsource-variable/bodoni-moda',
    file: 'bodoni-moda-latin-standard-normal.woff2',
    // Cards are shown small, so the optical size is small, too.
    axes: { wght: 440, opsz: 18 },
    format: 'truetype',
  },
  {
    name: 'instrument-tarjeta',
    package: '@fontsource-variable/instrument-sans',
    file: 'instrument-sans-latin-wght-normal.woff2',
    axes: { wght: 500 },
    format: 'truetype',
  },
]

/**
 * Subsets the site's fonts to its characters and axes, into .cache/fonts, from where the stylesheet takes them. Fonts with the same
 * source and settings as before are skipped.
 * @returns names of the new files
 */
export async function makeFonts(): Promise<string[]> {
  const require = createRequire(import.meta.url)
  const made: string[] = []
  await mkdir(FOLDER, { recursive: true })
  for (const face of FACES) {
    const source = await readFile(join(dirname(require.resolve(`${face.package}/package.json`)), 'files', face.file))
    const stamp = createHash('sha256')
      .update(source)
      .update(JSON.stringify([TEXT, FEATURES, face.axes]))
      .digest('hex')
    const target = join(FOLDER, `${face.name}.${face.format === 'truetype' ? 'ttf' : 'woff2'}`)
    const stampFile = `${target}.sello`
    const before = await readFile(stampFile, 'utf8').catch(() => '')
    if (before === stamp && existsSync(target)) continue
    const cut = await subsetFont(source, TEXT, {
      targetFormat: face.format ?? 'woff2',
      variationAxes: face.axes,
      keepFeatures: FEATURES,
      noHinting: true,
    })
    await writeFile(`${target}.parte`, cut)
    await rename(`${target}.parte`, target)
    await writeFile(stampFile, stamp)
    made.push(basename(target))
  }
  return made
}

if (import.meta.main) {
  const made = await makeFonts()
  console.log(made.length > 0 ? `Letras recortadas: ${made.join(', ')}` : 'Las letras ya estaban recortadas.')
}
