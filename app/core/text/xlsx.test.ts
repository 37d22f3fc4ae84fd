import { expect, test } from 'vitest'
import { buildXlsxFiles } from './xlsx.ts'

async function* rows() {
  yield ['Recibida', 'Celular']
  yield [new Date('2025-09-26T05:59:00Z'), '0443312345678']
}

test('a moment is a date that a spreadsheet counts with, by the clocks of Mexico City; a telephone is a text', async () => {
  const files = buildXlsxFiles([{ name: 'Hoja', widths: [17, 16], rows: rows() }])
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

test('each sheet of a workbook has its heading frozen and a filter over all its columns and rows', async () => {
  const sheet = (name: string, columns: number) => ({ name, widths: Array<number>(columns).fill(9), rows: rows() })
  const files = buildXlsxFiles([sheet('Candidatas', 2), sheet('Trajes', 28)])
  const texts = new Map<string, string>()
  for (const { name, input } of files) {
    let text = ''
    for await (const piece of typeof input === 'string' ? [input] : input) text += piece
    texts.set(name, text)
  }
  expect(texts.get('xl/workbook.xml')).toMatch(/<sheet name="Candidatas" sheetId="1".*<sheet name="Trajes" sheetId="2"/)
  expect(texts.get('xl/_rels/workbook.xml.rels')).toContain('Target="worksheets/sheet2.xml"')
  expect(texts.get('[Content_Types].xml')).toContain('/xl/worksheets/sheet2.xml')
  expect(texts.get('xl/worksheets/sheet1.xml')).toContain('</sheetData><autoFilter ref="A1:B2"/>')
  expect(texts.get('xl/worksheets/sheet2.xml')).toContain('<autoFilter ref="A1:AB2"/>')
  expect(texts.get('xl/worksheets/sheet2.xml')).toContain('state="frozen"')
})
