import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ARCHIVOS } from '#app/cms/schema/edition-documents.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { type Documento, descriptorDe } from '#app/cms/schema/faults.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { conSenas, senaDe, senasEn, sinSenas } from './field-markers.ts'

test('a sign is read as the number that it was written with, wherever it stands', () => {
  for (const numero of [0, 1, 3, 4, 255, 1_024, 99_999])
    expect(senasEn(`Hola${senaDe(numero)} y adiós${senaDe(numero + 1)}`)).toEqual([numero, numero + 1])
  expect(sinSenas(`Hola${senaDe(7)}`)).toBe('Hola')
  expect(senasEn('Hola')).toEqual([])
})

test.each(
  Object.keys(ARCHIVOS) as Documento[],
)('%s keeps what it says, and its ids, dates and addresses whole', async (documento) => {
  const valor: unknown = v.parse(ARCHIVOS[documento], parse(await readFile(`content/2025/${documento}`, 'utf8')))
  const lugares: Parameters<typeof conSenas>[3] = []
  const signed = conSenas(documento, descriptorDe(documento), valor, lugares)
  const clean = (value: unknown): unknown => JSON.parse(sinSenas(JSON.stringify(value)))
  expect(clean(signed)).toEqual(JSON.parse(JSON.stringify(valor)))
  // Each sign leads back to the text that bears it.
  for (const [numero, { campo }] of lugares.entries()) {
    const said = valorEn(signed, campo)
    expect(JSON.stringify(said), campo.join('.')).toContain(senaDe(numero))
  }
  const untouched = /"(id|mapa|red|facebook|instagram|foto|fecha|hora|cierra|abre|cumple|tono|candidata)":"[^"]*\u2060/
  expect(JSON.stringify(signed)).not.toMatch(untouched)
})

test('a name with a sign has the same address as without', () => {
  expect(slugOf(`Rocío Tabachín${senaDe(12)}`)).toBe('rocio-tabachin')
})
