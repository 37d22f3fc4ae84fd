import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'

/** A cell of an exported table may be a Date, which is written in Mexico City's time. */
export type Cell = string | number | Date | null

/** A spreadsheet would take such a cell for a formula, also with the fullwidth signs of Asian keyboards. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/**
 * A spreadsheet would take these digits for a number and change them: a phone number loses its leading zero, a long number its
 * end. They get the same apostrophe as a formula; `="044…"`, which Excel alone shows without a sign, would be a formula.
 */
const NUMBER_LIKE = /^(?:0\d+|\d{12,}|\d+e\d+)$/i
/** A formula may begin within a cell: a spreadsheet that separates by another sign than the comma begins a new cell there. */
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
