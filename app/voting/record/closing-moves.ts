import type { ClosingMove, OpeningRecord } from './schema.ts'

/** Minimum of time between the announcement of another closing and that closing. */
export const MIN_NOTICE_MS = 10 * 60_000

/**
 * Checks the records that moved a vote's closing: each must follow the previous one, have been drawn up while the vote was open,
 * and give notice.
 * @param closingMoves in order, each with the seal of its text
 * @returns faults as Spanish sentences
 */
export function checkClosingMoves(
  opening: Pick<OpeningRecord, 'edicion' | 'cierre'> & { sello: string },
  closingMoves: readonly (ClosingMove & { sello: string })[],
): string[] {
  const faults: string[] = []
  let before = { sello: opening.sello, cierre: opening.cierre, levantada: Number.NEGATIVE_INFINITY }
  for (const [index, { edicion, numero, anterior, antes, ahora, levantada, sello }] of closingMoves.entries()) {
    const addFault = (predicate: string) => faults.push(`El acta ${index + 1} del cierre movido ${predicate}.`)
    const moment = Date.parse(levantada)
    if (edicion !== opening.edicion) addFault('es de otra edición')
    if (numero !== index + 1 || anterior !== before.sello || antes !== before.cierre) addFault('no sigue a la anterior')
    if (!(moment >= before.levantada && moment <= Date.parse(antes)))
      addFault('no se levantó mientras la votación estaba abierta')
    if (!(Date.parse(ahora) >= moment + MIN_NOTICE_MS)) addFault('no avisó con diez minutos')
    before = { sello, cierre: ahora, levantada: moment }
  }
  return faults
}
