// npm run bench measures the numbers that the project promises, each beside a baseline of the same run, as a table and as JSON.
// With «-- votos paginas» it measures only these parts. «-- --vueltas 1» measures one load instead of the median of seven.
// «-- pantallas --solo /,/registro» measures only these screens.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { startSite } from '#tests/support/site/running-site.ts'
import { ensureBrowser } from '../browser.mjs'
import { build } from '../build.ts'
import { root } from '../prepare.mjs'
import { type Figure, ratio, reached } from './figure.ts'
import { memoryFigures } from './memory.ts'
import { weakLineFigures } from './registration.ts'
import { changeFigures, screenFigures } from './screens.ts'
import { missingPrograms, pageThroughput } from './throughput.ts'
import { voteFigures } from './vote-rush.ts'

const args = process.argv.slice(2)
const rounds = args.indexOf('--vueltas')
const RUNS = rounds === -1 ? 7 : Number(args.splice(rounds, 2)[1])
const only = args.indexOf('--solo')
const SCREENS = only === -1 ? undefined : args.splice(only, 2)[1]?.split(',')

const GROUPS: Record<string, () => Promise<Figure[]>> = {
  pantallas: () => screenFigures(RUNS, console.log, SCREENS),
  cambios: () => changeFigures(RUNS),
  paginas: pages,
  linea: weakLineFigures,
  votos: () => voteFigures(console.log),
  memoria: () => memoryFigures(console.log),
}

async function pages(): Promise<Figure[]> {
  const missing = missingPrograms('nginx', 'wrk')
  if (missing.length > 0) {
    console.log(`Falta ${missing.join(' y ')} para comparar con nginx (en Debian: apt-get install nginx-light wrk).`)
    return []
  }
  const site = await startSite()
  try {
    const figure = await pageThroughput(site.url)
    const share = ratio(figure) ?? 0
    return [
      figure,
      { name: `${figure.name}, en proporción a nginx`, value: share, unit: '×', target: { atLeast: 0.5 } },
    ]
  } finally {
    await site.stop()
  }
}

process.env.CHROMIUM = ensureBrowser()
const wanted = args
const unknown = wanted.filter((name) => !(name in GROUPS))
if (unknown.length > 0) {
  console.error(`No hay medida «${unknown[0]}». Las que hay: ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(2)
}
await build({ root, say: console.log })
const figures: Figure[] = []
for (const [name, measure] of Object.entries(GROUPS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`Midiendo: ${name}…`)
  figures.push(...(await measure()))
}

const round = (value: number) => Number(value.toPrecision(4))
console.table(
  figures.map((figure) => ({
    medida: figure.name,
    valor: `${round(figure.value)} ${figure.unit}`.trim(),
    base: figure.baseline ? `${round(figure.baseline.value)} (${figure.baseline.name})` : '',
    proporción: ratio(figure) === undefined ? '' : round(ratio(figure)!),
    meta: figure.target
      ? Object.entries(figure.target)
          .map(([kind, value]) => `${kind === 'atMost' ? '≤' : '≥'} ${value}`)
          .join(' ')
      : '',
    cumple: reached(figure) === undefined ? '' : reached(figure) ? 'sí' : 'NO',
  })),
)
await mkdir(join(root, 'build'), { recursive: true })
const machine = {
  cores: cpus().length,
  model: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
}
const file = join(root, 'build/bench.json')
await writeFile(file, `${JSON.stringify({ date: new Date().toISOString(), machine, figures }, null, 2)}\n`)
console.log(`Las mismas cifras: ${file}`)
