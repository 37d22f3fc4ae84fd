// npm run bench measures the numbers that the project promises, some of them beside a baseline of the same run, as a table and as JSON.
// With «-- votos paginas» it measures only these groups. «-- --vueltas 1» measures one load instead of the median of seven.
// «-- pantallas --solo /,/registro» measures only these screens.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { startSite } from '#tests/support/site/running-site.ts'
import { ensureBrowser } from '../browser.mjs'
import { build } from '../build.ts'
import { root } from '../prepare.mjs'
import { type Figure, isTargetReached, ratioToBaseline } from './figure.ts'
import { measureMemory } from './memory.ts'
import { measureRegistration } from './registration.ts'
import { measureScreenChanges, measureScreens } from './screens.ts'
import { missingPrograms, pageThroughput } from './throughput.ts'
import { measureVotes } from './vote-rush.ts'

const groupNames = process.argv.slice(2)
const runsIndex = groupNames.indexOf('--vueltas')
const RUNS = runsIndex === -1 ? 7 : Number(groupNames.splice(runsIndex, 2)[1])
const screensIndex = groupNames.indexOf('--solo')
const SCREENS = screensIndex === -1 ? undefined : groupNames.splice(screensIndex, 2)[1]?.split(',')

const GROUPS: Record<string, () => Promise<Figure[]>> = {
  pantallas: () => measureScreens(RUNS, console.log, SCREENS),
  cambios: () => measureScreenChanges(RUNS),
  paginas: measurePages,
  linea: measureRegistration,
  votos: () => measureVotes(console.log),
  memoria: () => measureMemory(console.log),
}

async function measurePages(): Promise<Figure[]> {
  const missingNames = missingPrograms('nginx', 'wrk')
  if (missingNames.length > 0) {
    console.log(
      `Falta ${missingNames.join(' y ')} para comparar con nginx (en Debian: apt-get install nginx-light wrk).`,
    )
    return []
  }
  const site = await startSite()
  try {
    const figure = await pageThroughput(site.url)
    const share = ratioToBaseline(figure) ?? 0
    return [
      figure,
      { name: `${figure.name}, en proporción a nginx`, value: share, unit: '×', target: { atLeast: 0.5 } },
    ]
  } finally {
    await site.stop()
  }
}

process.env.CHROMIUM = ensureBrowser()
const unknownName = groupNames.find((name) => !(name in GROUPS))
if (unknownName !== undefined) {
  console.error(`No hay medida «${unknownName}». Las que hay: ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(2)
}
await build({ root, say: console.log })
const figures: Figure[] = []
for (const [name, measure] of Object.entries(GROUPS)) {
  if (groupNames.length > 0 && !groupNames.includes(name)) continue
  console.log(`Midiendo: ${name}…`)
  figures.push(...(await measure()))
}

const round = (value: number) => Number(value.toPrecision(4))
console.table(
  figures.map((figure) => ({
    medida: figure.name,
    valor: `${round(figure.value)} ${figure.unit}`.trim(),
    base: figure.baseline ? `${round(figure.baseline.value)} (${figure.baseline.name})` : '',
    proporción: ratioToBaseline(figure) === undefined ? '' : round(ratioToBaseline(figure)!),
    meta: figure.target
      ? Object.entries(figure.target)
          .map(([kind, value]) => `${kind === 'atMost' ? '≤' : '≥'} ${value}`)
          .join(' ')
      : '',
    cumple: isTargetReached(figure) === undefined ? '' : isTargetReached(figure) ? 'sí' : 'NO',
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
