/** A cell of a table that is exported. */
export type Celda = string | number | null

/**
 * A cell that a spreadsheet would take for a formula, however it was typed; also in the wide signs of Asian keyboards.
 */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/** The same in the middle of a cell: a spreadsheet with another separator than our comma begins a new cell there. */
const FORMULA_WITHIN = /[;|\r\n][\s"]*(?=[=+\-@＝＋－＠])/g

/** One line of a CSV (RFC 4180), with nothing in it that a spreadsheet would run. */
export const lineaCsv = (celdas: readonly Celda[]): string =>
  `${celdas
    .map((celda) => {
      if (celda === null) return ''
      if (typeof celda === 'number') return String(celda)
      const texto = (FORMULA.test(celda) ? `'${celda}` : celda).replace(FORMULA_WITHIN, "$&'")
      return /["\r\n,;]/.test(texto) || texto !== texto.trim() ? `"${texto.replaceAll('"', '""')}"` : texto
    })
    .join(',')}\r\n`
