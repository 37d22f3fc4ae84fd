// npm run bench: the figures that the project promises, each beside its baseline of the same run, as a table and as JSON.
//   npm run bench                all of them        npm run bench -- inicio paginas      only these
//   npm run bench -- --vueltas 1  a quick look: one load instead of the median of seven
//   npm run bench -- pantallas --solo /,/registro    only these screens
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { startSite } from '../../tests/running-site.ts'
import { ensureBrowser } from '../browser.mjs'
import { build } from '../build.ts'
import { root } from '../prepare.mjs'
import { closingFigures } from './cierre.ts'
import { startClientRendered } from './client-rendered.ts'
import { codeFigures } from './codigos.ts'
import { copyFigures } from './copias.ts'
import { mailFigures } from './correo.ts'
import { accountFigures } from './cuentas.ts'
import { type Figure, ratio, reached } from './figure.ts'
import { memoryFigures } from './memoria.ts'
import { compareLoads } from './page-load.ts'
import { panelFigures } from './panel.ts'
import { publishFigures } from './publicar.ts'
import { pressFigures } from './pulsaciones.ts'
import { killFigures, weakLineFigures } from './registro.ts'
import { changeFigures, screenFigures } from './screens.ts'
import { missingPrograms, pageThroughput, visitThroughput } from './throughput.ts'
import { ballotStuffingFigures } from './urna.ts'
import { voteFigures } from './votos.ts'

const args = process.argv.slice(2)
const rounds = args.indexOf('--vueltas')
const RUNS = rounds === -1 ? 7 : Number(args.splice(rounds, 2)[1])
const only = args.indexOf('--solo')
const SCREENS = only === -1 ? undefined : args.splice(only, 2)[1]?.split(',')

const GROUPS: Record<string, () => Promise<Figure[]>> = {
  inicio: homeLoad,
  pantallas: () => screenFigures(RUNS, console.log, SCREENS),
  cambios: () => changeFigures(RUNS),
  pulsaciones: () => pressFigures(RUNS, console.log),
  paginas: pages,
  visitas: visits,
  linea: weakLineFigures,
  apagones: () => killFigures(console.log),
  correo: mailFigures,
  votos: () => voteFigures(console.log),
  urna: () => ballotStuffingFigures(console.log),
  cierre: () => closingFigures(console.log, 10_000_000),
  codigos: codeFigures,
  cuentas: accountFigures,
  panel: panelFigures,
  publicar: () => publishFigures(console.log),
  copias: () => copyFigures(console.log),
  memoria: () => memoryFigures(console.log),
}

/** Cold load of the home on a slow phone, beside the client-rendered home. */
async function homeLoad(): Promise<Figure[]> {
  const [site, baseline] = await Promise.all([startSite(), startClientRendered(root)])
  try {
    const [ours, theirs] = await compareLoads([`${site.url}/`, baseline.url], RUNS)
    if (!ours || !theirs) throw new Error('no loads')
    const beside = (value: number) => ({ name: 'dibujado por el navegador', value })
    const of = (name: string, value: number, unit: string, target: Figure['target'], base?: number): Figure => ({
      name: `inicio, 4G lento y CPU ÷ 4: ${name}`,
      value,
      unit,
      ...(target ? { target } : {}),
      ...(base === undefined ? {} : { baseline: beside(base) }),
    })
    return [
      of('LCP', ours.lcpMs, 'ms', { atMost: 800 }, theirs.lcpMs),
      of('LCP, en proporción', ours.lcpMs / theirs.lcpMs, '×', { atMost: 0.5 }),
      of('FCP', ours.fcpMs, 'ms', { atMost: 500 }, theirs.fcpMs),
      of('TBT', ours.tbtMs, 'ms', { atMost: 30 }, theirs.tbtMs),
      of('CLS', ours.cls, '', { atMost: 0.01 }, theirs.cls),
      of('JavaScript, brotli', ours.scriptBytes / 1024, 'KB', { atMost: 105 }, theirs.scriptBytes / 1024),
      of('JavaScript pedido antes de la primera imagen', Number(ours.scriptBeforePicture), '', { atMost: 0 }),
      of('todo sin el video', ours.totalBytes / 1024, 'KB', undefined, theirs.totalBytes / 1024),
    ]
  } finally {
    baseline.stop()
    await site.stop()
  }
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

async function visits(): Promise<Figure[]> {
  if (missingPrograms('wrk').length > 0) {
    console.log('Falta wrk para medir páginas (en Debian: apt-get install wrk).')
    return []
  }
  const site = await startSite()
  try {
    return await visitThroughput(site.url)
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
