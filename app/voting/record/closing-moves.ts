import type { ClosingMove, OpeningRecord } from './schema.ts'

/** A moved closing must be announced at least this long before it takes place. */
export const MIN_NOTICE_MS = 10 * 60_000

/**
 * Checks the records of a vote's moved closings. Each must refer to the previous record, must have been drawn up before the
 * closing then in force and not before an earlier move, and must have announced the new closing MIN_NOTICE_MS ahead.
 * @param closingMoves in order, each with the seal of its text
 * @returns faults as Spanish sentences
 */
export function checkClosingMoves(
  opening: Pick<OpeningRecord, 'edicion' | 'cierre'> & { sello: string },
  closingMoves: readonly (ClosingMove & { sello: string })[],
): string[] {
  const faults: string[] = []
  let previousRecord = { sello: opening.sello, cierre: opening.cierre, levantada: Number.NEGATIVE_INFINITY }
  for (const [index, { edicion, numero, anterior, antes, ahora, levantada, sello }] of closingMoves.entries()) {
    const addFault = (predicate: string) => faults.push(`El acta ${index + 1} del cierre movido ${predicate}.`)
    const drawnUpMs = Date.parse(levantada)
    if (edicion !== opening.edicion) addFault('es de otra edición')
    if (numero !== index + 1 || anterior !== previousRecord.sello || antes !== previousRecord.cierre)
      addFault('no sigue a la anterior')
    if (!(drawnUpMs >= previousRecord.levantada && drawnUpMs <= Date.parse(antes)))
      addFault('no se levantó mientras la votación estaba abierta')
    if (!(Date.parse(ahora) >= drawnUpMs + MIN_NOTICE_MS)) addFault('no avisó con diez minutos')
    previousRecord = { sello, cierre: ahora, levantada: drawnUpMs }
  }
  return faults
}
