import { fechaYHora } from '#app/core/time/mexico-dates.ts'

/** A cell of a table that is exported; a Date is a moment, told by the clocks of Mexico City. */
export type Celda = string | number | Date | null

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
export const lineaCsv = (celdas: readonly Celda[]): string =>
  `${celdas
    .map((celda) => {
      if (celda === null) return ''
      if (typeof celda === 'number') return String(celda)
      if (celda instanceof Date) return fechaYHora(celda)
      const texto = (FORMULA.test(celda) || CHANGED.test(celda) ? `'${celda}` : celda).replace(FORMULA_WITHIN, "$&'")
      return /["\r\n,;]/.test(texto) || texto !== texto.trim() ? `"${texto.replaceAll('"', '""')}"` : texto
    })
    .join(',')}\r\n`
