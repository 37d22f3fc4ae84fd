import { DAY_MS } from '#app/core/time/durations.ts'
import { wallClock } from '#app/core/time/mexico-dates.ts'
import type { Cell } from './csv.ts'

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds characters to remove
const FORBIDDEN_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(FORBIDDEN_CHARACTERS, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** A Sheet is one table of a workbook; its rows are written as they come, the first as the heading. */
export interface Sheet {
  name: string
  /** The widths of the columns are in characters. */
  widths: readonly number[]
  rows: AsyncIterable<readonly Cell[]>
}

/**
 * Makes a workbook (ECMA-376), as the files of its ZIP archive. Each sheet has its heading frozen, with a filter for every column.
 * Text cells have the type text, so that no spreadsheet takes them for a formula or a number; a Date is written in Mexico City's
 * time.
 */
export function xlsxFiles(sheets: readonly Sheet[]): { name: string; input: string | AsyncIterable<string> }[] {
  const type = (part: string, kind: string) =>
    `<Override PartName="${part}" ContentType="${CONTENT_TYPES}.${kind}+xml"/>`
  const forEachSheet = (write: (number: number, sheet: Sheet) => string) =>
    sheets.map((sheet, index) => write(index + 1, sheet)).join('')
  return [
    {
      name: '[Content_Types].xml',
      input: `${HEADER}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('/xl/workbook.xml', 'sheet.main')}${forEachSheet((number) => type(`/xl/worksheets/sheet${number}.xml`, 'worksheet'))}${type('/xl/styles.xml', 'styles')}</Types>`,
    },
    {
      name: '_rels/.rels',
      input: `${HEADER}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      input: `${HEADER}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${forEachSheet((number, { name }) => `<sheet name="${escapeXml(name)}" sheetId="${number}" r:id="h${number}"/>`)}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      input: `${HEADER}<Relationships xmlns="${PACKAGE}/relationships">${forEachSheet((number) => `<Relationship Id="h${number}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="e1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      input: `${HEADER}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    },
    ...sheets.map((sheet, at) => ({ name: `xl/worksheets/sheet${at + 1}.xml`, input: sheetXml(sheet) })),
  ]
}

/** Days from day 0 of spreadsheets, 30 December 1899, to 1970. */
const EPOCH_DAYS = 25_569

/** Returns a moment as a spreadsheet's day number. Spreadsheets have no time zones: the value is Mexico City's wall-clock time. */
const serialOf = (at: Date) => wallClock(at).getTime() / DAY_MS + EPOCH_DAYS

/** Excel shows at most this many characters in one cell; longer text is cut off. */
const MAX_CELL_CHARACTERS = 32_767

/** Names a column as spreadsheets do: A to Z, then AA. @param number from 1 */
const columnName = (number: number): string =>
  number > 26
    ? columnName(Math.floor((number - 1) / 26)) + columnName(((number - 1) % 26) + 1)
    : String.fromCharCode(64 + number)

async function* sheetXml({ widths, rows }: Sheet): AsyncGenerator<string> {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  yield `${HEADER}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
  let rowCount = 0
  for await (const row of rows) {
    const style = rowCount === 0 ? ' s="1"' : ''
    rowCount++
    const cells = row.map((cell) => {
      if (cell === null) return '<c/>'
      if (typeof cell === 'number') return `<c${style}><v>${cell}</v></c>`
      if (cell instanceof Date) return `<c s="2"><v>${serialOf(cell)}</v></c>`
      const text = escapeXml(cell.slice(0, MAX_CELL_CHARACTERS))
      return `<c${style} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
    })
    yield `<row>${cells.join('')}</row>`
  }
  yield `</sheetData><autoFilter ref="A1:${columnName(widths.length)}${rowCount}"/></worksheet>`
}
