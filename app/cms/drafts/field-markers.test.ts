import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { type DocumentName, descriptorOf } from '#app/cms/schema/faults.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { markerOf, markersIn, withMarkers, withoutMarkers } from './field-markers.ts'

test('a marker is read back as its number, anywhere in a text', () => {
  for (const number of [0, 1, 3, 4, 255, 1_024, 99_999])
    expect(markersIn(`Hola${markerOf(number)} y adiós${markerOf(number + 1)}`)).toEqual([number, number + 1])
  expect(withoutMarkers(`Hola${markerOf(7)}`)).toBe('Hola')
  expect(markersIn('Hola')).toEqual([])
})

test.each(
  Object.keys(DOCUMENT_SCHEMAS) as DocumentName[],
)('%s keeps its texts, and its ids, dates and addresses get no marker', async (document) => {
  const value: unknown = v.parse(DOCUMENT_SCHEMAS[document], parse(await readFile(`content/2025/${document}`, 'utf8')))
  const places: Parameters<typeof withMarkers>[3] = []
  const signed = withMarkers(document, descriptorOf(document), value, places)
  const clean = (value: unknown): unknown => JSON.parse(withoutMarkers(JSON.stringify(value)))
  expect(clean(signed)).toEqual(JSON.parse(JSON.stringify(value)))
  // Each marker leads back to its own text.
  for (const [number, { campo }] of places.entries()) {
    const said = valueAt(signed, campo)
    expect(JSON.stringify(said), campo.join('.')).toContain(markerOf(number))
  }
  const untouched = /"(id|mapa|red|facebook|instagram|foto|fecha|hora|cierra|abre|cumple|tono|candidata)":"[^"]*\u2060/
  expect(JSON.stringify(signed)).not.toMatch(untouched)
})

test('a name with a marker has the same slug as without', () => {
  expect(slugOf(`Rocío Tabachín${markerOf(12)}`)).toBe('rocio-tabachin')
})
