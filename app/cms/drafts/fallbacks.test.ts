import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ARCHIVOS } from '#app/cms/schema/edition-documents.ts'
import { conValor, valorEn } from '#app/cms/schema/edits.ts'
import { type Documento, descriptorDe, revisar } from '#app/cms/schema/faults.ts'
import { campoEn, vacioDe } from '#app/cms/schema/field-descriptor.ts'
import type { Valores } from '#app/cms/schema/read-content.server.ts'
import { FOTO_QUE_FALTA, LOGO_QUE_FALTA, sanar } from './fallbacks.ts'

let muestra: Valores
beforeAll(async () => {
  const names = Object.keys(ARCHIVOS)
  muestra = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, parse(await readFile(`content/2025/${name}`, 'utf8'))] as const),
    ),
  )
})

const con = (documento: string, campo: (string | number)[], ahora: unknown): Valores => ({
  ...muestra,
  [documento]: conValor(muestra[documento], campo, ahora),
})
const sano = (valores: Valores, existe: (ruta: string) => boolean = () => true) => sanar(valores, muestra, existe)

test('what is well stays as it is', () => {
  expect(sano(muestra)).toEqual(muestra)
  const other = con('historia.yaml', ['entrada'], 'Otra entrada')
  expect(sano(other)).toEqual(other)
})

test('an empty field is as it is published; one that was too long is cut', () => {
  const healed = sano(con('historia.yaml', ['entrada'], ''))
  expect(healed).toEqual(muestra)
  const long = sano(con('inicio.yaml', ['introduccion'], 'a'.repeat(5_000)))
  expect(valorEn(long['inicio.yaml'], ['introduccion'])).toBe('a'.repeat(600))
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
] as [Documento, string[]][])('something new in %s of which nothing is known yet can be shown', (documento, campo) => {
  const list = valorEn(muestra[documento], campo) as unknown[]
  const nuevo = vacioDe(campoEn(descriptorDe(documento), [...campo, 0])!)
  const healed = sano(con(documento, campo, [...list, nuevo]))
  expect(revisar(healed)).toEqual([])
  expect(valorEn(healed[documento], campo)).toHaveLength(list.length + 1)
})

test('a new candidate says what is missing of her', () => {
  const { candidatas } = muestra['candidatas.yaml'] as { candidatas: unknown[] }
  const nueva = vacioDe(campoEn(descriptorDe('candidatas.yaml'), ['candidatas', 0])!)
  const healed = sano(con('candidatas.yaml', ['candidatas'], [...candidatas, nueva]))
  expect(valorEn(healed['candidatas.yaml'], ['candidatas', 5])).toMatchObject({
    nombre: 'Nombre completo (falta)',
    silueta: { foto: FOTO_QUE_FALTA, alt: 'Silueta (falta)', foco: [50, 50] },
  })
})

test('a file that is not there is as published, else something grey', () => {
  const gone = con('inicio.yaml', ['galeria', 0, 'foto'], 'fotos/000000000000.jpg')
  const isThere = (ruta: string) => ruta !== 'fotos/000000000000.jpg'
  expect(valorEn(sano(gone, isThere)['inicio.yaml'], ['galeria', 0, 'foto'])).toBe('inicio/ga1.jpg')
  const list = muestra['patrocinadores.yaml'] as unknown[]
  const nuevo = { id: 'otro', nombre: 'Otro', marca: '', red: 'https://www.facebook.com/otro' }
  const healed = sano({ ...muestra, 'patrocinadores.yaml': [...list, nuevo] })
  expect(valorEn(healed['patrocinadores.yaml'], [list.length, 'marca'])).toBe(LOGO_QUE_FALTA)
})

test('a winner who is no candidate any more is nobody', () => {
  const healed = sano(con('popularidad.yaml', ['ganadora', 'candidata'], 'nadie'))
  expect(valorEn(healed['popularidad.yaml'], ['ganadora'])).toBeUndefined()
})

test('no value of any shape keeps a screen from being shown', () => {
  for (const [documento, schema] of Object.entries(ARCHIVOS))
    for (const bad of [null, 7, 'x', [], {}, { a: 1 }]) {
      const healed = sano({ ...muestra, [documento]: bad })
      expect(v.is(schema, healed[documento]), `${documento} ${JSON.stringify(bad)}`).toBe(true)
    }
})
