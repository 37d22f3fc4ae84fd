import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import subsetFont, { type AxisRange } from 'subset-font'

const FOLDER = '.cache/fonts'

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join('')
/** Characters of Spanish prose and of this site's numbers; other characters are shown in the next font. */
const CHARACTERS = `${ascii}¡¿ÁÉÍÓÚÜÑáéíóúüñÀÈÇàèçïöÏÖ«»“”‘’—–…·•°ºª×©®−´`
const FEATURES = ['kern', 'liga', 'lnum', 'tnum', 'locl', 'ccmp', 'mark']

interface Font {
  name: string
  package: string
  file: string
  axes: Record<string, AxisRange>
  /** woff2 for the browser, truetype for the share cards (scripts/build-steps/share-cards.ts). */
  format?: 'woff2' | 'truetype'
}

/** The optical size of Bodoni is at least 11, since below it the hairlines vanish on black. */
const FONTS: Font[] = [
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
 * Subsets the site's fonts to its characters and axes, into .cache/fonts, where the stylesheet and the share cards find them.
 * Fonts with the same source and settings as before are skipped.
 * @returns names of the new files
 */
export async function makeFonts(): Promise<string[]> {
  const require = createRequire(import.meta.url)
  const newFiles: string[] = []
  await mkdir(FOLDER, { recursive: true })
  for (const font of FONTS) {
    const source = await readFile(join(dirname(require.resolve(`${font.package}/package.json`)), 'files', font.file))
    const stamp = createHash('sha256')
      .update(source)
      .update(JSON.stringify([CHARACTERS, FEATURES, font.axes]))
      .digest('hex')
    const target = join(FOLDER, `${font.name}.${font.format === 'truetype' ? 'ttf' : 'woff2'}`)
    const stampFile = `${target}.sello`
    const previousStamp = await readFile(stampFile, 'utf8').catch(() => '')
    if (previousStamp === stamp && existsSync(target)) continue
    const subset = await subsetFont(source, CHARACTERS, {
      targetFormat: font.format ?? 'woff2',
      variationAxes: font.axes,
      keepFeatures: FEATURES,
      noHinting: true,
    })
    await writeFile(`${target}.parte`, subset)
    await rename(`${target}.parte`, target)
    await writeFile(stampFile, stamp)
    newFiles.push(basename(target))
  }
  return newFiles
}

if (import.meta.main) {
  const newFiles = await makeFonts()
  console.log(newFiles.length > 0 ? `Letras recortadas: ${newFiles.join(', ')}` : 'Las letras ya estaban recortadas.')
}
