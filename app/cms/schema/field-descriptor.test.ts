import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ARCHIVOS } from './edition-documents.ts'
import { conValor } from './edits.ts'
import { type Documento, descriptorDe, fallasDe, revisar } from './faults.ts'
import { campoEn, type Descriptor, enPalabras, hojasDe, vacioDe } from './field-descriptor.ts'

const DOCUMENTOS = Object.keys(ARCHIVOS) as Documento[]
const leer = async (documento: string): Promise<unknown> => parse(await readFile(`content/2025/${documento}`, 'utf8'))

const todos = (descriptor: Descriptor): Descriptor[] =>
  descriptor.clase === 'grupo'
    ? [descriptor, ...descriptor.campos.flatMap(({ campo }) => todos(campo))]
    : descriptor.clase === 'lista'
      ? [descriptor, ...todos(descriptor.de)]
      : [descriptor]

test.each(DOCUMENTOS)('every field of %s has a title and a class', (documento) => {
  for (const { rotulo, clase } of todos(descriptorDe(documento))) {
    expect(rotulo).toMatch(/^\p{Lu}/u)
    expect(clase).toBeTruthy()
  }
})

test.each(DOCUMENTOS)('every value of the sample’s %s has a field in the form, and is well', async (documento) => {
  const valor = await leer(documento)
  const descriptor = descriptorDe(documento)
  const visit = (value: unknown, camino: (string | number)[]): void => {
    const campo = campoEn(descriptor, camino)
    expect(campo, camino.join('.')).toBeDefined()
    if (campo!.clase === 'lista') for (const [at, item] of (value as unknown[]).entries()) visit(item, [...camino, at])
    else if (campo!.clase === 'grupo')
      for (const [name, item] of Object.entries(value as object))
        visit(item, [...camino, Array.isArray(value) ? Number(name) : name])
  }
  visit(valor, [])
  expect(fallasDe(documento, valor)).toEqual([])
})

test('a place is said in the words of the form', () => {
  expect(enPalabras(descriptorDe('inicio.yaml'), ['noticias', 1, 'titulo'])).toBe('Noticias › 2 › Título')
  expect(enPalabras(descriptorDe('patrocinadores.yaml'), [0, 'marca'])).toBe('Patrocinadores › 1 › Logotipo')
})

test('limits, choices, examples and what may be left away come from the schema', () => {
  const candidata = campoEn(descriptorDe('candidatas.yaml'), ['candidatas', 0])!
  expect(campoEn(candidata, ['nombre'])).toMatchObject({ clase: 'texto', max: 60, opcional: false })
  expect(campoEn(candidata, ['tono'])).toMatchObject({ clase: 'tono', opciones: expect.any(Array) })
  expect(campoEn(candidata, ['edad'])).toMatchObject({ clase: 'numero', min: 1, ejemplo: '22' })
  expect(campoEn(descriptorDe('candidatas.yaml'), ['candidatas'])).toMatchObject({ uno: 'candidata', max: 12 })
  expect(campoEn(descriptorDe('candidatas.yaml'), ['grupo'])).toMatchObject({ clase: 'foto', opcional: true })
  expect(campoEn(descriptorDe('inicio.yaml'), ['introduccion'])).toMatchObject({ enfasis: true })
  expect(campoEn(candidata, ['__proto__', 'x'])).toBeUndefined()
})

test('what is wrong is said by field, with what mends it', async () => {
  const inicio = conValor(await leer('inicio.yaml'), ['noticias', 1, 'titulo'], '  ')
  expect(fallasDe('inicio.yaml', inicio)).toEqual([
    {
      documento: 'inicio.yaml',
      campo: ['noticias', 1, 'titulo'],
      donde: 'Noticias › 2 › Título',
      remedio: 'está vacío: escribe el texto',
    },
  ])
  const long = conValor(await leer('inicio.yaml'), ['introduccion'], 'a'.repeat(1_800))
  expect(fallasDe('inicio.yaml', long)).toMatchObject([
    { donde: 'Introducción', remedio: 'tiene 1,800 caracteres y caben 600: acórtalo' },
  ])
})

test('an item that was just added says of each of its fields what it needs, once', async () => {
  const documento = 'candidatas.yaml'
  const nueva = vacioDe(campoEn(descriptorDe(documento), ['candidatas', 0])!)
  const valor = (await leer(documento)) as { candidatas: unknown[] }
  const fallas = fallasDe(documento, { ...valor, candidatas: [...valor.candidatas, nueva] })
  const said = Object.fromEntries(fallas.map(({ donde, remedio }) => [donde, remedio]))
  expect(said).toMatchObject({
    'Candidatas › 6 › Nombre completo': 'está vacío: escribe el texto',
    'Candidatas › 6 › Edad': 'está vacío: escribe un número',
    'Candidatas › 6 › Silueta': 'falta la fotografía: elige una',
    'Candidatas › 6 › Su color': 'está vacío: elige un color',
  })
  expect(Object.keys(said)).toHaveLength(fallas.length)
  const withoutAlt = conValor(valor, ['candidatas', 0, 'silueta', 'alt'], '')
  expect(fallasDe(documento, withoutAlt)).toMatchObject([
    { campo: ['candidatas', 0, 'silueta'], remedio: 'falta decir qué se ve en ella, para quien no la ve' },
  ])
})

test('a winner who is no candidate any more is said', async () => {
  const valores = Object.fromEntries(await Promise.all(DOCUMENTOS.map(async (name) => [name, await leer(name)])))
  expect(revisar(valores)).toEqual([])
  const other = conValor(valores['popularidad.yaml'], ['ganadora', 'candidata'], 'nadie')
  expect(revisar({ ...valores, 'popularidad.yaml': other })).toMatchObject([
    { documento: 'popularidad.yaml', donde: 'Las palabras de la ganadora › Quién ganó' },
  ])
})

test('every field has a place of its own', () => {
  for (const documento of DOCUMENTOS) {
    const places = hojasDe(descriptorDe(documento)).map(({ camino }) => camino.join('.'))
    expect(new Set(places).size).toBe(places.length)
  }
})
