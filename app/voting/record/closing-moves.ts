import type { Apertura, Movido } from './schema.ts'

/** How long before its new moment the closing of a vote may be moved at the latest: nobody must find it closed at once. */
export const AVISO_MS = 10 * 60_000

/**
 * What is wrong with the acts by which a vote's closing was moved: each follows the one before, was drawn up while the
 * vote was open, and gives warning.
 * @param movidos in their order, each with the seal of its text
 * @returns Spanish sentences
 */
export function checkMovidos(
  apertura: Pick<Apertura, 'edicion' | 'cierre'> & { sello: string },
  movidos: readonly (Movido & { sello: string })[],
): string[] {
  const fallas: string[] = []
  let before = { sello: apertura.sello, cierre: apertura.cierre, levantada: Number.NEGATIVE_INFINITY }
  for (const [at, { edicion, numero, anterior, antes, ahora, levantada, sello }] of movidos.entries()) {
    const say = (what: string) => fallas.push(`El acta ${at + 1} del cierre movido ${what}.`)
    const moment = Date.parse(levantada)
    if (edicion !== apertura.edicion) say('es de otra edición')
    if (numero !== at + 1 || anterior !== before.sello || antes !== before.cierre) say('no sigue a la anterior')
    if (!(moment >= before.levantada && moment <= Date.parse(antes)))
      say('no se levantó mientras la votación estaba abierta')
    if (!(Date.parse(ahora) >= moment + AVISO_MS)) say('no avisó con diez minutos')
    before = { sello, cierre: ahora, levantada: moment }
  }
  return fallas
}
