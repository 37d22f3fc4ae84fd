import { DAY_MS } from '#app/core/time/durations.ts'
import { wallClock } from '#app/core/time/mexico-dates.ts'
import type { TableCell } from './csv.ts'

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
const MAIN_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE_RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE_NAMESPACE_PREFIX = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT_TYPE_PREFIX = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

// Indexes into cellXfs of xl/styles.xml.
const HEADING_STYLE = 1
const DATE_STYLE = 2

/** One table of a workbook. The first row is its heading. */
export interface Worksheet {
  name: string
  /** Widths of the columns, in characters. */
  widths: readonly number[]
  rows: AsyncIterable<readonly TableCell[]>
}

/**
 * Returns a workbook (ECMA-376), as the files of its ZIP archive. Each worksheet has a frozen heading with a filter for every
 * column. Text cells have the type text, so that no spreadsheet takes them for a formula or a number. A Date is written in Mexico
 * City's time.
 */
export function buildXlsxFiles(
  sheets: readonly Worksheet[],
): { name: string; input: string | AsyncIterable<string> }[] {
  const overrideFor = (partName: string, contentType: string) =>
    `<Override PartName="${partName}" ContentType="${CONTENT_TYPE_PREFIX}.${contentType}+xml"/>`
  const joinSheets = (write: (number: number, sheet: Worksheet) => string) =>
    sheets.map((sheet, index) => write(index + 1, sheet)).join('')
  return [
    {
      name: '[Content_Types].xml',
      input: `${HEADER}<Types xmlns="${PACKAGE_NAMESPACE_PREFIX}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrideFor('/xl/workbook.xml', 'sheet.main')}${joinSheets((number) => overrideFor(`/xl/worksheets/sheet${number}.xml`, 'worksheet'))}${overrideFor('/xl/styles.xml', 'styles')}</Types>`,
    },
    {
      name: '_rels/.rels',
      input: `${HEADER}<Relationships xmlns="${PACKAGE_NAMESPACE_PREFIX}/relationships"><Relationship Id="r1" Type="${OFFICE_RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      input: `${HEADER}<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE_RELATIONSHIPS}"><sheets>${joinSheets((number, { name }) => `<sheet name="${escapeXml(name)}" sheetId="${number}" r:id="h${number}"/>`)}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      input: `${HEADER}<Relationships xmlns="${PACKAGE_NAMESPACE_PREFIX}/relationships">${joinSheets((number) => `<Relationship Id="h${number}" Type="${OFFICE_RELATIONSHIPS}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="e1" Type="${OFFICE_RELATIONSHIPS}/styles" Target="styles.xml"/></Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      input: `${HEADER}<styleSheet xmlns="${MAIN_NAMESPACE}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    },
    ...sheets.map((sheet, index) => ({ name: `xl/worksheets/sheet${index + 1}.xml`, input: sheetXml(sheet) })),
  ]
}

/** Number of days from 30 December 1899, which is day 0 of spreadsheets, to 1970. */
const EPOCH_DAYS = 25_569

/** Returns a moment as a spreadsheet's day number, in Mexico City's wall-clock time, since spreadsheets have no time zones. */
const serialOf = (moment: Date) => wallClock(moment).getTime() / DAY_MS + EPOCH_DAYS

/** Maximum length of a cell's text in Excel. Longer text is cut off. */
const MAX_CELL_CHARACTERS = 32_767

/** Returns a column's name in spreadsheets: A to Z, then AA. @param number from 1 */
const columnName = (number: number): string =>
  number > 26
    ? columnName(Math.floor((number - 1) / 26)) + columnName(((number - 1) % 26) + 1)
    : String.fromCharCode(64 + number)

async function* sheetXml({ widths, rows }: Worksheet): AsyncGenerator<string> {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  yield `${HEADER}<worksheet xmlns="${MAIN_NAMESPACE}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
  let rowCount = 0
  for await (const row of rows) {
    const style = rowCount === 0 ? ` s="${HEADING_STYLE}"` : ''
    rowCount++
    const cells = row.map((cell) => {
      if (cell === null) return '<c/>'
      if (typeof cell === 'number') return `<c${style}><v>${cell}</v></c>`
      if (cell instanceof Date) return `<c s="${DATE_STYLE}"><v>${serialOf(cell)}</v></c>`
      const text = escapeXml(cell.slice(0, MAX_CELL_CHARACTERS))
      return `<c${style} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
    })
    yield `<row>${cells.join('')}</row>`
  }
  yield `</sheetData><autoFilter ref="A1:${columnName(widths.length)}${rowCount}"/></worksheet>`
}
