import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'

/** A cell of an exported table; a Date is written in Mexico City's time. */
export type Cell = string | number | Date | null

/** Matches cells that a spreadsheet would take for a formula, also with the fullwidth signs of Asian keyboards. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/**
 * Matches digits that a spreadsheet would change as a number: a phone number loses its leading zero, a long number its last
 * digits. They get an apostrophe like a formula. `="044…"` would show without an apostrophe in Excel, but is a formula.
 */
const NUMBER_LIKE = /^(?:0\d+|\d{12,}|\d+e\d+)$/i
/** Matches where a spreadsheet that separates cells by another sign than the comma would begin a cell with a formula. */
const FORMULA_WITHIN = /[;|\r\n][\s"]*(?=[=+\-@＝＋－＠])/g

/** Writes one line of a CSV (RFC 4180), without anything that a spreadsheet would run. */
export const csvLine = (cells: readonly Cell[]): string =>
  `${cells
    .map((cell) => {
      if (cell === null) return ''
      if (typeof cell === 'number') return String(cell)
      if (cell instanceof Date) return formatNumericDateTime(cell)
      const text = (FORMULA.test(cell) || NUMBER_LIKE.test(cell) ? `'${cell}` : cell).replace(FORMULA_WITHIN, "$&'")
      return /["\r\n,;]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(',')}\r\n`
