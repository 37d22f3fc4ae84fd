import type { ClosingMove, OpeningRecord } from './schema.ts'

/** A closing is moved with at least this notice, in milliseconds, so that no voter finds the vote suddenly closed. */
export const MIN_NOTICE_MS = 10 * 60_000

/**
 * Checks the records that moved a vote's closing: each follows the previous one, was drawn up while the vote was open, and gives
 * notice.
 * @param closingMoves in their order, each with the seal of its text
 * @returns the faults as Spanish sentences; empty if there are none
 */
export function checkClosingMoves(
  opening: Pick<OpeningRecord, 'edicion' | 'cierre'> & { sello: string },
  closingMoves: readonly (ClosingMove & { sello: string })[],
): string[] {
  const faults: string[] = []
  let before = { sello: opening.sello, cierre: opening.cierre, levantada: Number.NEGATIVE_INFINITY }
  for (const [at, { edicion, numero, anterior, antes, ahora, levantada, sello }] of closingMoves.entries()) {
    const say = (what: string) => faults.push(`El acta ${at + 1} del cierre movido ${what}.`)
    const moment = Date.parse(levantada)
    if (edicion !== opening.edicion) say('es de otra edición')
    if (numero !== at + 1 || anterior !== before.sello || antes !== before.cierre) say('no sigue a la anterior')
    if (!(moment >= before.levantada && moment <= Date.parse(antes)))
      say('no se levantó mientras la votación estaba abierta')
    if (!(Date.parse(ahora) >= moment + MIN_NOTICE_MS)) say('no avisó con diez minutos')
    before = { sello, cierre: ahora, levantada: moment }
  }
  return faults
}
