import type { Database } from '#app/platform/database.server.ts'
import { boxed } from './cadena.server.ts'
import { readActa } from './data.server.ts'
import { annulmentsOf, ballots } from './recuento.server.ts'
import { type Apertura, type CajaPublicada, type Cierre, LECTURA, type Portada } from './schema.ts'

/**
 * The published file, line by line: one JSON document, and each of its lines by itself, so that ten million ballots are
 * neither held in memory here nor by whoever recounts them. It says no person, no address and no time of any ballot.
 * @returns undefined while the act is not sealed
 */
export async function actaLines(db: Database, edicion: number): Promise<AsyncGenerator<string> | undefined> {
  const [apertura, cierre] = [await readActa(db, edicion, 'apertura'), await readActa(db, edicion, 'cierre')]
  if (!apertura || !cierre) return undefined
  const acta = JSON.parse(cierre.contenido) as Cierre
  // Ballots may name whoever is no candidate any more.
  const names = new Map(acta.candidatas.map(({ nombre }, place) => [nombre, place]))
  const placeOf = (nombre: string) => {
    if (!names.has(nombre)) names.set(nombre, names.size)
    return names.get(nombre)!
  }
  return lines()

  async function* lines() {
    for await (const lote of ballots(db, edicion)) for (const { candidata } of lote) placeOf(candidata)
    const portada: Portada = {
      lectura: LECTURA,
      acta,
      sello: cierre!.sello,
      apertura: JSON.parse(apertura!.contenido) as Apertura,
      selloApertura: apertura!.sello,
      nombres: [...names.keys()],
    }
    yield `{"portada":${JSON.stringify(portada)},\n"cajas":[`
    let separator = '\n'
    for await (const { numero, anterior, sello, papeletas } of boxed(ballots(db, edicion))) {
      const caja: CajaPublicada = {
        numero,
        anterior,
        sello,
        papeletas: papeletas.map(({ recibo, candidata }) => `${recibo} ${placeOf(candidata)}`),
      }
      yield `${separator}${JSON.stringify(caja)}`
      separator = ',\n'
    }
    yield '\n],\n"anuladas":['
    separator = '\n'
    for (const { recibos } of await annulmentsOf(db, edicion)) {
      yield `${separator}${JSON.stringify({ recibos })}`
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}
