import { createHash } from 'node:crypto'
import { PRINCIPIO } from '#app/voting/record/block-seal.ts'
import type { CajaPublicada, Cierre, Portada } from '#app/voting/record/schema.ts'
import { lecturaOf } from '#app/voting/record/schema.ts'
import { publicKeyOf, signAct } from '#app/voting/tally/record-signature.server.ts'
import { ELECCION, REGLAS } from './votos.ts'

/** Acts as whoever has no key could write them: every seal that anybody can compute fits. */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A receipt as its voter sees it, and a different one for each number. */
export function reciboDe(number: number): string {
  const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
  const digest = createHash('sha256').update(`recibo ${number}`).digest()
  const text = Array.from(digest.subarray(0, 12), (byte) => letters[byte % letters.length]).join('')
  return text.replace(/(.{4})(?=.)/g, '$1-')
}
export const huellaDe = (recibo: string) => sha256(recibo)

/** Ballots «hash place» of so many receipts from a number on, for the candidates by turns. */
export const papeletasDe = (from: number, count: number, place = (at: number) => at % 5): string[] =>
  Array.from({ length: count }, (_, at) => `${huellaDe(reciboDe(from + at))} ${place(from + at)}`).sort()

export interface Borrador {
  /** Ballots of each link. */
  cajas: string[][]
  nombres: string[]
  anuladas: { motivo: string; recibos: string[] }[]
  /** Changes what the act says before it is sealed. */
  acta?: (acta: Cierre) => Cierre | Record<string, unknown>
  /** Changes a link before it is sealed. */
  caja?: (caja: CajaPublicada) => CajaPublicada | Record<string, unknown>
  /** Changes the first line behind all seals. */
  portada?: (portada: Portada) => unknown
  apertura?: object
  /** The site that signs it; without one it is signed by none. */
  signedBy?: Parameters<typeof signAct>[0]
}

export const borrador = (some: Partial<Borrador> = {}): Borrador => ({
  cajas: [papeletasDe(0, 200), papeletasDe(200, 230), papeletasDe(430, 12)],
  nombres: ELECCION.candidatas.map(({ nombre }) => nombre),
  anuladas: [],
  ...some,
})

/** The file of an act that counts just what its ballots say, sealed from end to end. */
export function actaDe({ cajas, nombres, anuladas, ...change }: Borrador): string {
  const count = new Map<string, number>()
  const nameOf = new Map<string, string>()
  let anterior = PRINCIPIO
  const links = cajas.map((papeletas, at) => {
    const numero = at + 1
    let text = `${numero}\n${anterior}\n`
    for (const ballot of papeletas) {
      const [recibo = '', place = ''] = ballot.split(' ')
      const nombre = nombres[Number(place)] ?? ''
      text += `${recibo} ${nombre}\n`
      count.set(nombre, (count.get(nombre) ?? 0) + 1)
      nameOf.set(recibo, nombre)
    }
    const caja = { numero, anterior, sello: sha256(text), papeletas }
    anterior = caja.sello
    return JSON.stringify(change.caja?.(caja) ?? caja)
  })
  const anulaciones = anuladas.map(({ motivo, recibos }, marca) => {
    const conteo: Record<string, number> = {}
    for (const recibo of recibos) {
      const nombre = nameOf.get(recibo) ?? ''
      conteo[nombre] = (conteo[nombre] ?? 0) + 1
      count.set(nombre, (count.get(nombre) ?? 0) - 1)
    }
    return { marca, motivo, votos: recibos.length, conteo, huella: sha256(recibos.join('\n')) }
  })
  const apertura = {
    clase: 'apertura',
    edicion: 2025,
    candidatas: ELECCION.candidatas.map(({ nombre }) => nombre),
    cierre: ELECCION.cierre,
    reglas: REGLAS,
    papeletas: 0,
    minimo: 200,
    levantada: '2025-09-20T18:20:00.000Z',
    ...change.apertura,
  }
  const selloApertura = sha256(JSON.stringify(apertura))
  const papeletas = cajas.flat().length
  const anulados = anuladas.flatMap(({ recibos }) => recibos).length
  const candidatas = ELECCION.candidatas.map(({ id, nombre }) => ({ id, nombre, votos: count.get(nombre) ?? 0 }))
  const plain: Cierre = {
    clase: 'cierre',
    edicion: 2025,
    apertura: selloApertura,
    candidatas,
    otros: papeletas - anulados - candidatas.reduce((sum, { votos }) => sum + votos, 0),
    papeletas,
    anulados,
    reglas: REGLAS,
    marcas: anuladas.map(({ recibos }, at) => ({
      ...{ clase: 'dominio', origen: `primo${at}.mx`, umbral: REGLAS.dominio },
      ...{ votos: REGLAS.dominio + 3, anulados: recibos.length },
    })),
    anulaciones,
    ajenos: 0,
    fallas: [],
    minimo: 200,
    cajas: cajas.length,
    ultimoSello: anterior,
    ultimoLote: sha256('lote'),
    levantada: '2025-09-26T06:05:00.000Z',
  }
  const acta = (change.acta?.(plain) ?? plain) as Cierre
  const portada = {
    lectura: lecturaOf(acta),
    acta,
    sello: sha256(JSON.stringify(acta)),
    ...(change.signedBy && {
      llave: publicKeyOf(change.signedBy),
      firma: signAct(change.signedBy, acta.edicion, sha256(JSON.stringify(acta))),
    }),
    apertura,
    selloApertura,
    nombres,
  } as Portada
  const section = (lines: string[]) => lines.map((line) => `\n${line}`).join(',')
  return [
    `{"portada":${JSON.stringify(change.portada?.(portada) ?? portada)},\n"cajas":[`,
    section(links),
    '\n],\n"anuladas":[',
    section(anuladas.map(({ recibos }) => JSON.stringify({ recibos }))),
    '\n]}\n',
  ].join('')
}
