import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { type DocumentName, descriptorOf, fieldFaultsOf, findContradictions } from '#app/cms/schema/faults.ts'
import { descriptorAt, emptyValueOf } from '#app/cms/schema/field-descriptor.ts'
import { valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { MISSING_LOGO_PATH, MISSING_PHOTO_PATH, withFallbacks } from './fallbacks.server.ts'

let sample: EditionValues
beforeAll(async () => {
  const names = Object.keys(DOCUMENT_SCHEMAS)
  sample = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, parse(await readFile(`content/2025/${name}`, 'utf8'))] as const),
    ),
  )
})

const withField = (document: string, field: (string | number)[], now: unknown): EditionValues => ({
  ...sample,
  [document]: withValueAt(sample[document], field, now),
})
const mended = (values: EditionValues, exists: (path: string) => boolean = () => true) =>
  withFallbacks(values, sample, exists)

test('valid documents stay as they are', () => {
  expect(mended(sample)).toEqual(sample)
  const other = withField('historia.yaml', ['entrada'], 'Otra entrada')
  expect(mended(other)).toEqual(other)
})

test('an empty field takes its published value; a text that is too long is cut', () => {
  const healed = mended(withField('historia.yaml', ['entrada'], ''))
  expect(healed).toEqual(sample)
  const long = mended(withField('inicio.yaml', ['introduccion'], 'a'.repeat(5_000)))
  expect(valueAt(long['inicio.yaml'], ['introduccion'])).toBe('a'.repeat(600))
})

test.each([
  ['inicio.yaml', ['noticias']],
  ['candidatas.yaml', ['candidatas']],
  ['maestros.yaml', ['maestros']],
  ['patrocinadores.yaml', []],
  ['programa.yaml', ['dias']],
  ['convocatorias.yaml', ['anuncios']],
  ['privacidad.yaml', ['secciones']],
  ['registro.yaml', ['notas']],
] as [DocumentName, string[]][])('a new, empty item of %s can be displayed', (document, field) => {
  const list = valueAt(sample[document], field) as unknown[]
  const newOne = emptyValueOf(descriptorAt(descriptorOf(document), [...field, 0])!)
  const healed = mended(withField(document, field, [...list, newOne]))
  const names = Object.keys(DOCUMENT_SCHEMAS) as DocumentName[]
  expect(names.flatMap((name) => fieldFaultsOf(name, healed[name]))).toEqual([])
  expect(findContradictions(healed)).toEqual([])
  expect(valueAt(healed[document], field)).toHaveLength(list.length + 1)
})

test('a new candidate has placeholders for her missing fields', () => {
  const { candidatas } = sample['candidatas.yaml'] as { candidatas: unknown[] }
  const newOne = emptyValueOf(descriptorAt(descriptorOf('candidatas.yaml'), ['candidatas', 0])!)
  const healed = mended(withField('candidatas.yaml', ['candidatas'], [...candidatas, newOne]))
  expect(valueAt(healed['candidatas.yaml'], ['candidatas', 5])).toMatchObject({
    nombre: 'Nombre completo (falta)',
    silueta: { foto: MISSING_PHOTO_PATH, alt: 'Silueta (falta)', foco: [50, 50] },
  })
})

test('a missing file is replaced by the published one, else by a placeholder', () => {
  const gone = withField('inicio.yaml', ['galeria', 0, 'foto'], 'fotos/000000000000.jpg')
  const isThere = (path: string) => path !== 'fotos/000000000000.jpg'
  expect(valueAt(mended(gone, isThere)['inicio.yaml'], ['galeria', 0, 'foto'])).toBe('inicio/ga1.jpg')
  const list = sample['patrocinadores.yaml'] as unknown[]
  const newOne = { id: 'otro', nombre: 'Otro', marca: '', red: 'https://www.facebook.com/otro' }
  const healed = mended({ ...sample, 'patrocinadores.yaml': [...list, newOne] })
  expect(valueAt(healed['patrocinadores.yaml'], [list.length, 'marca'])).toBe(MISSING_LOGO_PATH)
})

test('a winner who is no longer a candidate is removed', () => {
  const healed = mended(withField('popularidad.yaml', ['ganadora', 'candidata'], 'nadie'))
  expect(valueAt(healed['popularidad.yaml'], ['ganadora'])).toBeUndefined()
})

test('a document of any shape is repaired into a valid one', () => {
  for (const [document, schema] of Object.entries(DOCUMENT_SCHEMAS))
    for (const bad of [null, 7, 'x', [], {}, { a: 1 }]) {
      const healed = mended({ ...sample, [document]: bad })
      expect(v.is(schema, healed[document]), `${document} ${JSON.stringify(bad)}`).toBe(true)
    }
})
