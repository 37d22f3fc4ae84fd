import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'

/** A cell of a table that is exported; a Date is a moment, told by the clocks of Mexico City. */
export type Cell = string | number | Date | null

/**
 * A cell that a spreadsheet would take for a formula, however it was typed; also in the wide signs of Asian keyboards.
 */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/**
 * Digits that a spreadsheet would take for a number and change: a telephone loses the zero it begins with, a long one its end.
 * They get the sign that a formula gets; `="044…"`, which Excel alone shows without a sign, would be a formula.
 */
const CHANGED = /^(?:0\d+|\d{12,}|\d+e\d+)$/i
/** What would be a formula in the middle of a cell: a spreadsheet with another separator than our comma begins a new cell there. */
const FORMULA_WITHIN = /[;|\r\n][\s"]*(?=[=+\-@＝＋－＠])/g

/** One line of a CSV (RFC 4180), with nothing in it that a spreadsheet would run. */
export const csvLine = (cells: readonly Cell[]): string =>
  `${cells
    .map((cell) => {
      if (cell === null) return ''
      if (typeof cell === 'number') return String(cell)
      if (cell instanceof Date) return formatNumericDateTime(cell)
      const text = (FORMULA.test(cell) || CHANGED.test(cell) ? `'${cell}` : cell).replace(FORMULA_WITHIN, "$&'")
      return /["\r\n,;]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(',')}\r\n`
