import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DOCUMENT_SCHEMAS } from './edition-documents.ts'
import { type DocumentName, descriptorOf, fieldFaultsOf, findContradictions, formFaultOf } from './faults.ts'
import { descriptorAt, emptyValueOf, type FieldDescriptor, fieldInWords, leavesOf } from './field-descriptor.ts'
import { type FieldPath, withValueAt } from './field-path.ts'

const DOCUMENTS = Object.keys(DOCUMENT_SCHEMAS) as DocumentName[]
const readSample = async (document: string): Promise<unknown> =>
  parse(await readFile(`content/2025/${document}`, 'utf8'))

const allDescriptors = (descriptor: FieldDescriptor): FieldDescriptor[] =>
  descriptor.kind === 'group'
    ? [descriptor, ...descriptor.fields.flatMap(({ descriptor }) => allDescriptors(descriptor))]
    : descriptor.kind === 'list'
      ? [descriptor, ...allDescriptors(descriptor.item)]
      : [descriptor]

test.each(DOCUMENTS)('every field of %s has a title and a class', (document) => {
  for (const { label, kind } of allDescriptors(descriptorOf(document))) {
    expect(label).toMatch(/^\p{Lu}/u)
    expect(kind).toBeTruthy()
  }
})

test.each(DOCUMENTS)('every value of the sample’s %s has a field in the form, and is valid', async (document) => {
  const value = await readSample(document)
  const descriptor = descriptorOf(document)
  const visit = (value: unknown, path: (string | number)[]): void => {
    const field = descriptorAt(descriptor, path)
    expect(field, path.join('.')).toBeDefined()
    if (field!.kind === 'list') for (const [at, item] of (value as unknown[]).entries()) visit(item, [...path, at])
    else if (field!.kind === 'group')
      for (const [name, item] of Object.entries(value as object))
        visit(item, [...path, Array.isArray(value) ? Number(name) : name])
  }
  visit(value, [])
  expect(fieldFaultsOf(document, value)).toEqual([])
})

test.each(DOCUMENTS)('no group of %s asks for a film in two fields', (document) => {
  for (const descriptor of allDescriptors(descriptorOf(document))) {
    if (descriptor.kind !== 'group') continue
    const films = descriptor.fields.filter(({ descriptor }) => descriptor.kind === 'video' && !descriptor.isHidden)
    expect(films.length, descriptor.label).toBeLessThanOrEqual(1)
  }
})

test('a path is shown with the labels of the form', () => {
  const inWords = (document: DocumentName, path: FieldPath, value?: unknown) =>
    fieldInWords(descriptorOf(document), path, value)
  const home = {
    noticias: [{ titulo: 'Una' }, { titulo: 'Llegó el carrusel' }],
    galeria: [{ alt: '' }, { alt: 'La reina' }],
  }
  expect(inWords('inicio.yaml', ['noticias', 1, 'texto'], home)).toBe('Noticias › Llegó el carrusel › Texto')
  expect(inWords('inicio.yaml', ['galeria', 1], home)).toBe('Fotografías › La reina')
  expect(inWords('inicio.yaml', ['galeria', 0], home)).toBe('Fotografías › Fotografía 1')
  // A call's own titles change when its registration closes.
  const calls = { anuncios: [{ registro: 'candidatas', titulo: 'Convocatoria cerrada' }, { titulo: 'Foto' }] }
  expect(inWords('convocatorias.yaml', ['anuncios', 0, 'texto'], calls)).toBe(
    'Convocatorias › Convocatoria de candidatas › Texto',
  )
  expect(inWords('convocatorias.yaml', ['anuncios', 1, 'texto'], calls)).toBe('Convocatorias › Foto › Texto')
  expect(inWords('historia.yaml', ['parrafos', 1])).toBe('La crónica › Párrafo 2')
  expect(inWords('patrocinadores.yaml', [0, 'marca'])).toBe('Patrocinadores › Patrocinador sin nombre › Logotipo')
  expect(inWords('programa.yaml', ['dias', 0, 'eventos'], { dias: [{ fecha: '2025-09-12' }] })).toBe(
    'Días › 12 de septiembre de 2025 › Eventos',
  )
})

test('a fault that names its field as files do is told in the words of the form', () => {
  const values = { 'candidatas.yaml': { candidatas: [{ nombre: 'Ximena Agave', galeria: [{ alt: 'Ximena baila' }] }] } }
  const inWords = (archivo: string, campo: string) => formFaultOf({ archivo, campo, remedio: 'no está' }, values)
  expect(inWords('candidatas.yaml', 'candidatas[1].galeria[1].foto')).toEqual({
    documento: 'candidatas.yaml',
    campo: ['candidatas', 0, 'galeria', 0],
    donde: 'Candidatas › Ximena Agave › Fotografías › Ximena baila',
    remedio: 'no está',
  })
  expect(inWords('content/2025/candidatas.yaml', '').donde).toBe('Candidatas')
  expect(inWords('', '').donde).toBe('')
})

test('limits, choices, examples and optional fields come from the schema', () => {
  const candidate = descriptorAt(descriptorOf('candidatas.yaml'), ['candidatas', 0])!
  expect(descriptorAt(candidate, ['nombre'])).toMatchObject({ kind: 'text', max: 60, isOptional: false })
  expect(descriptorAt(candidate, ['tono'])).toMatchObject({ kind: 'tone', options: expect.any(Array) })
  expect(descriptorAt(candidate, ['edad'])).toMatchObject({ kind: 'number', min: 1, example: '22' })
  expect(descriptorAt(descriptorOf('candidatas.yaml'), ['candidatas'])).toMatchObject({
    itemName: 'candidata',
    max: 12,
  })
  expect(descriptorAt(descriptorOf('candidatas.yaml'), ['grupo'])).toMatchObject({ kind: 'photo', isOptional: true })
  expect(descriptorAt(descriptorOf('inicio.yaml'), ['introduccion'])).toMatchObject({ hasEmphasis: true })
  expect(descriptorAt(candidate, ['__proto__', 'x'])).toBeUndefined()
})

test('the list of candidates comes first in its form, before their group photographs', () => {
  const form = descriptorOf('candidatas.yaml')
  const shownFields = form.kind === 'group' ? form.fields.filter(({ descriptor }) => !descriptor.isHidden) : []
  expect(shownFields.map(({ name }) => name)).toEqual(['candidatas', 'grupo', 'grupoPrensa'])
})

test('a fault names its field and its remedy', async () => {
  const home = withValueAt(await readSample('inicio.yaml'), ['noticias', 1, 'titulo'], '  ')
  expect(fieldFaultsOf('inicio.yaml', home)).toEqual([
    {
      documento: 'inicio.yaml',
      campo: ['noticias', 1, 'titulo'],
      donde: 'Noticias › 18 de julio de 2025 › Título',
      remedio: 'está vacío: escribe el texto',
    },
  ])
  const long = withValueAt(await readSample('inicio.yaml'), ['introduccion'], 'a'.repeat(1_800))
  expect(fieldFaultsOf('inicio.yaml', long)).toMatchObject([
    { donde: 'Introducción', remedio: 'tiene 1,800 caracteres y caben 600: acórtalo' },
  ])
})

test('a newly added item has one fault for each required field', async () => {
  const document = 'candidatas.yaml'
  const newOne = emptyValueOf(descriptorAt(descriptorOf(document), ['candidatas', 0])!)
  const value = (await readSample(document)) as { candidatas: unknown[] }
  const faults = fieldFaultsOf(document, { ...value, candidatas: [...value.candidatas, newOne] })
  const said = Object.fromEntries(faults.map(({ donde, remedio }) => [donde, remedio]))
  expect(said).toMatchObject({
    'Candidatas › Candidata sin nombre › Nombre completo': 'está vacío: escribe el texto',
    'Candidatas › Candidata sin nombre › Edad': 'está vacío: escribe un número',
    'Candidatas › Candidata sin nombre › Silueta': 'falta la fotografía: elige una',
    'Candidatas › Candidata sin nombre › Su color': 'está vacío: elige un color',
  })
  expect(Object.keys(said)).toHaveLength(faults.length)
  const withoutAlt = withValueAt(value, ['candidatas', 0, 'silueta', 'alt'], '')
  expect(fieldFaultsOf(document, withoutAlt)).toMatchObject([
    {
      campo: ['candidatas', 0, 'silueta'],
      remedio: 'falta el texto alternativo: describe la fotografía para quien no la ve',
    },
  ])
})

test('a winner who is no longer a candidate is a fault', async () => {
  const values = Object.fromEntries(await Promise.all(DOCUMENTS.map(async (name) => [name, await readSample(name)])))
  expect(DOCUMENTS.flatMap((name) => fieldFaultsOf(name, values[name]))).toEqual([])
  expect(findContradictions(values)).toEqual([])
  const other = withValueAt(values['popularidad.yaml'], ['ganadora', 'candidata'], 'nadie')
  expect(findContradictions({ ...values, 'popularidad.yaml': other })).toMatchObject([
    { documento: 'popularidad.yaml', donde: 'Las palabras de la ganadora › Quién ganó' },
  ])
})

test('every field has a path that no other field has', () => {
  for (const document of DOCUMENTS) {
    const places = leavesOf(descriptorOf(document)).map(({ path }) => path.join('.'))
    expect(new Set(places).size).toBe(places.length)
  }
})
