/** A cell of a table that is exported. */
export type Celda = string | number | null

/** What a spreadsheet would take for a formula, however it was typed; also in the wide signs of Asian keyboards. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/
/** The same within a cell, where a spreadsheet whose separator is not our comma begins another one. */
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
