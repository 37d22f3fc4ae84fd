import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'

/** A cell of an exported table. A Date is written in Mexico City's time. */
export type TableCell = string | number | Date | null

/** Matches cells that a spreadsheet would take for a formula, including those with the fullwidth signs of Asian keyboards. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/**
 * Matches text that a spreadsheet would change by taking it for a number: a phone number loses its leading zero, a long number its
 * last digits, and 1e5 becomes 100000. An apostrophe keeps it as text. Excel would show `="044…"` without the apostrophe, but that
 * is itself a formula.
 */
const NUMBER_LIKE = /^(?:0\d+|\d{12,}|\d+e\d+)$/i
/** Matches places at which a spreadsheet that splits cells at `;`, `|` or line breaks would begin a cell with a formula. */
const FORMULA_WITHIN = /[;|\r\n][\s"]*(?=[=+\-@＝＋－＠])/g

/** Writes one line of a CSV (RFC 4180) in which a spreadsheet finds no formulas. */
export const csvLine = (cells: readonly TableCell[]): string =>
  `${cells
    .map((cell) => {
      if (cell === null) return ''
      if (typeof cell === 'number') return String(cell)
      if (cell instanceof Date) return formatNumericDateTime(cell)
      const text = (FORMULA.test(cell) || NUMBER_LIKE.test(cell) ? `'${cell}` : cell).replace(FORMULA_WITHIN, "$&'")
      return /["\r\n,;]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(',')}\r\n`
