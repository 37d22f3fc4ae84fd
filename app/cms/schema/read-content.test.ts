import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyTexts } from '#tests/support/site/content-copy.ts'
import {
  describeContentFault,
  type EditionDocuments,
  listNamedFiles,
  listPressOnlyFiles,
  readEdition,
} from './read-content.server.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'contenido-'))
  await copyTexts(root)
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Changes one file of the copy. @returns the faults that the check then finds */
async function faultsAfter(file: string, change: (text: string) => string) {
  const path = join(root, 'content', file)
  const before = await readFile(path, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  await writeFile(path, after)
  return (await readEdition(root)).faults.map(describeContentFault)
}

describe('readEdition', () => {
  it('finds nothing wrong with the sample edition', async () => {
    const { name, faults, documents } = await readEdition(root)
    expect(faults).toEqual([])
    expect(name).toBe(2025)
    expect(documents['edicion.yaml']?.anio).toBe(2025)
  })

  it('reads decomposed letters composed, and leaves out invisible characters', async () => {
    const path = join(root, 'content/2025/candidatas.yaml')
    const there = (await readEdition(root)).documents['candidatas.yaml']!.candidatas[0]!.nombre
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(there, 'Zoé \u200bMuñoz\u00a0Peña'.normalize('NFD')))
    const { values, documents } = await readEdition(root)
    expect(documents['candidatas.yaml']!.candidatas[0]!.nombre).toBe('Zoé Muñoz Peña')
    expect(values).toHaveProperty(['candidatas.yaml', 'candidatas', 0, 'nombre'], 'Zoé Muñoz Peña')
  })

  it('mends the address of a page that a telephone copied', async () => {
    const path = join(root, 'content/2025/edicion.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/facebook: \S+/, 'facebook: http://es-la.facebook.com/azahares'))
    const { faults, documents } = await readEdition(root)
    expect(faults).toEqual([])
    expect(documents['edicion.yaml']!.redes.facebook).toBe('https://www.facebook.com/azahares')
  })

  it('keeps the counts of the specification in the sample edition', async () => {
    const files = (await readEdition(root)).documents as EditionDocuments
    const { galeria, noticias } = files['inicio.yaml']
    const { candidatas } = files['candidatas.yaml']
    const { maestros } = files['maestros.yaml']
    expect([galeria.length, noticias.length, candidatas.length, maestros.length]).toEqual([4, 3, 5, 5])
    expect(files['patrocinadores.yaml']).toHaveLength(24)
    expect(files['popularidad.yaml'].patrocinadores).toHaveLength(4)
    expect(files['convocatorias.yaml'].anuncios).toHaveLength(2)
    for (const { galeria, prensa } of candidatas)
      expect([galeria.length, Object.keys(prensa)]).toEqual([3, ['b', 'normal', 'vestido']])
    for (const { galeria, video, retratoBn } of maestros)
      expect([galeria.length, !!video, !!retratoBn]).toEqual([3, true, true])
  })

  it('names file, field and remedy of a wrong value', async () => {
    expect(await faultsAfter('2025/edicion.yaml', (text) => text.replace('numero: 101', 'numero: ciento uno'))).toEqual(
      ['  content/2025/edicion.yaml › numero: debe ser un número, sin comillas; dice "ciento uno"'],
    )
  })

  it('counts list items from one', async () => {
    const faults = await faultsAfter('2025/patrocinadores.yaml', (text) =>
      text.replace(/red: https:\/\/www\.facebook[^\n]+/, 'red: https://ejemplo.mx'),
    )
    expect(faults).toEqual([
      '  content/2025/patrocinadores.yaml › [1].red: debe ser una página de Facebook, Instagram, TikTok, YouTube, X, WhatsApp, Threads, como https://www.facebook.com/azahares',
    ])
  })

  it('refuses an unknown field', async () => {
    const faults = await faultsAfter('2025/edicion.yaml', (text) => `${text}lema: Cien años\n`)
    expect(faults).toEqual(['  content/2025/edicion.yaml › lema: sobra: bórralo o corrige su nombre'])
  })

  it('reports a missing field', async () => {
    const faults = await faultsAfter('2025/edicion.yaml', (text) => text.replace(/^nombre:.*\n/m, ''))
    expect(faults).toEqual(['  content/2025/edicion.yaml › nombre: falta: agrégalo'])
  })

  it.each([
    ['patrocinadores.yaml', /[\s\S]*/, '[]\n'],
    ['popularidad.yaml', /^patrocinadores:\n[\s\S]*/m, 'patrocinadores: []\n'],
    ['inicio.yaml', /^galeria:\n[\s\S]*?\n(?=noticias)/m, 'galeria: []\n'],
    ['inicio.yaml', /^noticias:\n[\s\S]*/m, 'noticias: []\n'],
    ['maestros.yaml', /^maestros:\n[\s\S]*/m, 'maestros: []\n'],
    ['convocatorias.yaml', /^anuncios:\n[\s\S]*?\n(?=oficial)/m, 'anuncios: []\n'],
    ['programa.yaml', /^dias:\n[\s\S]*/m, 'dias: []\n'],
    ['patrocinadores.yaml', /[\s\S]*/, (text: string) => text + text.replaceAll(/id: (.*)/g, 'id: otra-$1')],
  ])('accepts an empty list and a long one: %s', async (file, from, to?: unknown) => {
    const faults = await faultsAfter(`2025/${file}`, (text) =>
      to === undefined ? String(from) : text.replace(from, to as string),
    )
    expect(faults).toEqual([])
  })

  it('takes further networks, each on its own domain', async () => {
    const further = [
      'tiktok: https://www.tiktok.com/@azahares',
      'youtube: https://youtube.com/@azahares',
      'x: https://x.com/azahares',
      'whatsapp: https://wa.me/523480000000',
      'threads: https://www.threads.net/@azahares',
    ]
    const add = (lines: string[]) => (text: string) =>
      text.replace(/^( +)instagram:.*\n/m, (line, indent) => line + lines.map((one) => `${indent}${one}\n`).join(''))
    expect(await faultsAfter('2025/edicion.yaml', add(further))).toEqual([])
    expect(await faultsAfter('2025/maestros.yaml', add(['tiktok: https://www.youtube.com/@lorena']))).toEqual([
      '  content/2025/maestros.yaml › maestros[1].redes.tiktok: debe ser una página de TikTok, como https://www.tiktok.com/azahares',
    ])
  })

  it('reports a missing photograph', async () => {
    const faults = await faultsAfter('2025/inicio.yaml', (text) => text.replace('inicio/ga3.jpg', 'inicio/ga33.jpg'))
    expect(faults).toEqual([
      '  content/2025/inicio.yaml › galeria[3].foto: no existe el archivo content/2025/inicio/ga33.jpg: agrégalo o corrige la ruta',
    ])
  })

  it('does not leave the folder of the edition', async () => {
    const [fault] = await faultsAfter('2025/inicio.yaml', (text) => text.replace('inicio/ga3.jpg', '../../secreto.jpg'))
    expect(fault).toContain('debe ser una ruta dentro de la carpeta de la edición')
  })

  it('names the line of a YAML error', async () => {
    const faults = await faultsAfter('2025/edicion.yaml', (text) => text.replace('rotulo: [', 'rotulo: ['.repeat(2)))
    expect(faults).toEqual([expect.stringMatching(/edicion\.yaml: no se entiende en la línea \d+: revisa sangrías/)])
  })

  it('opens a new edition with a new folder and one changed line', async () => {
    await cp(join(root, 'content/2025'), join(root, 'content/2026'), { recursive: true })
    expect(await faultsAfter('actual.yaml', (text) => text.replace('2025', '2026'))).toEqual([])
    expect((await readEdition(root)).name).toBe(2026)
  })

  it('reports a missing folder of the edition', async () => {
    expect(await faultsAfter('actual.yaml', (text) => text.replace('2025', '2031'))).toEqual([
      '  content/actual.yaml › edicion: no existe la carpeta content/2031: créala o corrige el año',
    ])
  })
})

describe('filesNamed', () => {
  it('finds files wherever they stand, and nothing else', () => {
    const found = listNamedFiles({
      a: 'x/uno.jpg',
      b: [{ c: 'x/dos.webm' }],
      d: 'Lee inicio/tres.jpg',
      e: 'https://a.mx/x.jpg',
    })
    expect(found).toEqual([
      { path: 'x/uno.jpg', field: 'a' },
      { path: 'x/dos.webm', field: 'b[1].c' },
    ])
  })
})

describe('pressOnly', () => {
  it('lists files that only the press pages offer, including portraits in black and white', () => {
    const files = {
      'maestros.yaml': { maestros: [{ foto: { archivo: 'm/a.jpg' }, retratoBn: { archivo: 'm/a-bn.jpg' } }] },
      'candidatas.yaml': {
        grupoPrensa: 'c/grupo.jpg',
        candidatas: [{ foto: 'c/una.jpg', prensa: { b: 'c/b.jpg', normal: 'c/una.jpg' } }],
      },
    } as unknown as Parameters<typeof listPressOnlyFiles>[0]
    expect(listPressOnlyFiles(files)).toEqual(['m/a-bn.jpg', 'c/grupo.jpg', 'c/b.jpg'])
  })
})

describe('values of the content', () => {
  it.each([
    [
      'candidatas.yaml',
      /cumple: 7 de agosto/,
      'cumple: 7/8',
      'candidatas[1].cumple: debe ser un día y un mes, como «7 de agosto»',
    ],
    [
      'candidatas.yaml',
      /cumple: 7 de agosto/,
      'cumple: 31 de junio',
      'candidatas[1].cumple: debe ser un día y un mes, como «7 de agosto»',
    ],
    [
      'candidatas.yaml',
      /tono: oro/,
      'tono: plata',
      'candidatas[2].tono: debe ser uno de: fucsia, oro, turquesa, violeta, coral',
    ],
    [
      'edicion.yaml',
      /termina: "[^"]+"/,
      'termina: "2025-09-31"',
      'feria.termina: debe ser un día que exista, entre comillas, como "2025-09-12"',
    ],
    [
      'edicion.yaml',
      /termina: "[^"]+"/,
      'termina: "2025-09-01"',
      'feria.termina: es anterior al día en que inicia la feria',
    ],
    [
      'edicion.yaml',
      /cierreVotacion: ("[^"]+")/,
      'aperturaVotacion: $1\n  cierreVotacion: $1',
      'fechas.aperturaVotacion: debe ser antes de «Cierra la votación»: cambia una de las dos',
    ],
    ['maestros.yaml', /\.mp4/, '.avi', 'maestros[1].video.archivo: debe terminar en .mp4 o .webm'],
    [
      'programa.yaml',
      /hora: "18:00"/,
      'hora: "6 pm"',
      'dias[1].eventos[1].hora: debe ser una hora de 00:00 a 23:59, entre comillas, como "19:30"',
    ],
    [
      'programa.yaml',
      /fecha: "2025-09-13"/,
      'fecha: "2025-09-12"',
      'dias: tiene dos veces el mismo día: júntalos en uno',
    ],
    [
      'edicion.yaml',
      /^descripcion/m,
      'acento: rosa\ndescripcion',
      'acento: debe ser un color de seis cifras, entre comillas, como "#ff2d8f"',
    ],
    [
      'edicion.yaml',
      /^descripcion/m,
      'acento: "#5b1030"\ndescripcion',
      'acento: no se distingue del fondo (contraste 1.2; hacen falta 3): elige uno más claro, como "#c72369"',
    ],
  ])('%s: %s → %s', async (file, from, to, fault) => {
    const faults = await faultsAfter(`2025/${file}`, (text) => text.replace(from, to))
    expect(faults).toContain(`  content/2025/${file} › ${fault}`)
  })

  /** Replaces the sample's candidates by `howMany` copies with distinct ids and names. */
  const withCandidates = (howMany: number) => (text: string) => {
    const [head = '', ...blocks] = text.split(/^(?= {2}- id: )/m)
    if (howMany === 0) return head.replace(/^candidatas:$/m, 'candidatas: []')
    return (
      head +
      Array.from({ length: howMany }, (_, at) =>
        blocks[at % blocks.length]!.replace(/id: .*/, `id: una-${at}`).replace(
          /nombre: .*/,
          `nombre: Inés Biznaga ${at}`,
        ),
      ).join('')
    )
  }
  it.each([
    [0, undefined],
    [2, undefined],
    [12, undefined],
    [1, 'debe tener al menos 2 candidatas, o ninguna mientras no se anuncien'],
    [13, 'debe tener a lo más 12 candidatas'],
  ])('takes two to twelve candidates: %i', async (howMany, fault) => {
    const faults = await faultsAfter('2025/candidatas.yaml', withCandidates(howMany))
    expect(faults.filter((one) => one.startsWith('  content/2025/candidatas.yaml'))).toEqual(
      fault ? [`  content/2025/candidatas.yaml › candidatas: ${fault}`] : [],
    )
  })

  it.each([
    ['no id', /^ {2}- id: renata.*\n {4}nombre/m, '  - nombre', 'candidatas[2].id: falta: agrégalo'],
    [
      'an id that is no part of an address',
      /id: renata.*/,
      'id: Renata Cempasúchil',
      'candidatas[2].id: debe ir en minúsculas, sin acentos y con guiones',
    ],
    [
      'an id twice',
      /id: renata.*/,
      'id: valeria-bugambilia-olmos',
      'candidatas: tiene dos candidatas con el mismo id: los votos de una contarían para la otra',
    ],
    [
      'a former name that is another candidate’s name',
      /nombre: Renata.*/,
      'nombre: Renata Cempasúchil\n    antes: [Ximena Agave Montaño]',
      'candidatas: tiene un nombre, de ahora o de «antes», en dos candidatas: los votos con él no serían de ninguna',
    ],
  ])('refuses %s, which would part votes from their candidate', async (_what, from, to, fault) => {
    const faults = await faultsAfter('2025/candidatas.yaml', (text) => text.replace(from, to))
    expect(faults).toContain(`  content/2025/candidatas.yaml › ${fault}`)
  })

  it('refuses a name that is too long for the screens', async () => {
    const faults = await faultsAfter('2025/candidatas.yaml', (text) =>
      text.replace(/nombre: Valeria.*/, `nombre: ${'Bugambilia '.repeat(6)}`),
    )
    expect(faults[0]).toContain('candidatas[1].nombre: tiene más de 60 caracteres')
  })

  it('refuses a winner who is no candidate', async () => {
    const faults = await faultsAfter('2025/popularidad.yaml', (text) =>
      text.replace('ximena-agave-montano', 'Ximena Agave Montaño'),
    )
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain('popularidad.yaml › ganadora.candidata: no es ninguna de las candidatas')
  })
})
