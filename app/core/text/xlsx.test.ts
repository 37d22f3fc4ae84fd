import { expect, test } from 'vitest'
import { xlsxFiles } from './xlsx.ts'

async function* rows() {
  yield ['Recibida', 'Celular']
  yield [new Date('2025-09-26T05:59:00Z'), '0443312345678']
}

test('a moment is a date that a spreadsheet counts with, by the clocks of Mexico City; a telephone is a text', async () => {
  const files = xlsxFiles('Hoja', [17, 16], rows())
  const sheet = files.find(({ name }) => name.endsWith('sheet1.xml'))!.input
  let xml = ''
  for await (const piece of sheet) xml += piece
  // 25 September 2025 is the day 45925, and 23:59 its last minute.
  const [, style, serial] = /<row><c s="(\d)"><v>([\d.]+)<\/v><\/c>/.exec(xml)!
  expect(Number(serial)).toBeCloseTo(45_925 + 1439 / 1440, 8)
  expect(xml).toContain('<t xml:space="preserve">0443312345678</t>')
  const styles = String(files.find(({ name }) => name.endsWith('styles.xml'))!.input)
  const formats = [...styles.matchAll(/<xf xfId="0"[^>]*\/>/g)].map(([xf]) => xf)
  expect(formats[Number(style)]).toContain('numFmtId="164"')
  expect(styles).toContain('formatCode="yyyy\\-mm\\-dd\\ hh:mm"')
})
