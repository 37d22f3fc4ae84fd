import { createHash } from 'node:crypto'
import { GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import type { ClosingRecord, Cover, PublishedBlock } from '#app/voting/record/schema.ts'
import { readingGuideOf } from '#app/voting/record/schema.ts'
import { publicKeyOf, signClosingRecord } from '#app/voting/sealing/record-signature.server.ts'
import { ELECTION, RULES } from './votes.ts'

// Builds records as a forger without the site's key can: every seal is valid, since seals are plain hashes.

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Makes a receipt in the form that its voter sees; each number gives a different receipt. */
export function receiptOf(number: number): string {
  const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
  const digest = createHash('sha256').update(`recibo ${number}`).digest()
  const text = Array.from(digest.subarray(0, 12), (byte) => alphabet[byte % alphabet.length]).join('')
  return text.replace(/(.{4})(?=.)/g, '$1-')
}
export const fingerprintOf = (receipt: string) => sha256(receipt)

/** Makes ballots, «hash of the receipt, place of the candidate», in a block's order. @param firstNumber of the first receipt */
export const ballotsOf = (firstNumber: number, count: number, placeOf = (number: number) => number % 5): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${fingerprintOf(receiptOf(firstNumber + index))} ${placeOf(firstNumber + index)}`,
  ).sort()

export interface ForgedParts {
  /** Ballots of each block. */
  cajas: string[][]
  nombres: string[]
  anuladas: { motivo: string; recibos: string[] }[]
  /** Changes the record before it is sealed. */
  changeRecord?: (record: ClosingRecord) => ClosingRecord | Record<string, unknown>
  /** Changes a block after it is sealed. */
  changeBlock?: (block: PublishedBlock) => PublishedBlock | Record<string, unknown>
  /** Changes the cover, which is the file's first line, after every seal is computed. */
  changeCover?: (cover: Cover) => unknown
  apertura?: object
  /** Key of the site that signs the record; undefined for an unsigned record. */
  signedBy?: Parameters<typeof signClosingRecord>[0]
}

export const forgedParts = (changes: Partial<ForgedParts> = {}): ForgedParts => ({
  cajas: [ballotsOf(0, 200), ballotsOf(200, 230), ballotsOf(430, 12)],
  nombres: ELECTION.candidatas.map(({ nombre }) => nombre),
  anuladas: [],
  ...changes,
})

/** Writes the file of a closing record whose counts follow from its ballots, with every seal. @param changes of `forgedParts` */
export function forgeRecord(changes: Partial<ForgedParts> = {}): string {
  const { cajas, nombres, anuladas, ...otherChanges } = forgedParts(changes)
  const countByName = new Map<string, number>()
  const nameByReceipt = new Map<string, string>()
  let previous = GENESIS_SEAL
  const blockLines = cajas.map((ballots, index) => {
    const number = index + 1
    let text = `${number}\n${previous}\n`
    for (const ballot of ballots) {
      const [receipt = '', place = ''] = ballot.split(' ')
      const name = nombres[Number(place)] ?? ''
      text += `${receipt} ${name}\n`
      countByName.set(name, (countByName.get(name) ?? 0) + 1)
      nameByReceipt.set(receipt, name)
    }
    const block = { numero: number, anterior: previous, sello: sha256(text), papeletas: ballots }
    previous = block.sello
    return JSON.stringify(otherChanges.changeBlock?.(block) ?? block)
  })
  const annulments = anuladas.map(({ motivo, recibos }, markNumber) => {
    const counts: Record<string, number> = {}
    for (const receipt of recibos) {
      const name = nameByReceipt.get(receipt) ?? ''
      counts[name] = (counts[name] ?? 0) + 1
      countByName.set(name, (countByName.get(name) ?? 0) - 1)
    }
    return { marca: markNumber, motivo, votos: recibos.length, conteo: counts, huella: sha256(recibos.join('\n')) }
  })
  const opening = {
    clase: 'apertura',
    edicion: 2025,
    candidatas: ELECTION.candidatas.map(({ nombre }) => nombre),
    cierre: ELECTION.cierre,
    reglas: RULES,
    papeletas: 0,
    minimo: 200,
    levantada: '2025-09-20T18:20:00.000Z',
    ...otherChanges.apertura,
  }
  const openingSeal = sha256(JSON.stringify(opening))
  const ballotCount = cajas.flat().length
  const annulledCount = anuladas.flatMap(({ recibos }) => recibos).length
  const candidates = ELECTION.candidatas.map(({ id, nombre }) => ({ id, nombre, votos: countByName.get(nombre) ?? 0 }))
  const plainRecord: ClosingRecord = {
    clase: 'cierre',
    edicion: 2025,
    apertura: openingSeal,
    candidatas: candidates,
    otros: ballotCount - annulledCount - candidates.reduce((sum, { votos }) => sum + votos, 0),
    papeletas: ballotCount,
    anulados: annulledCount,
    reglas: RULES,
    marcas: anuladas.map(({ recibos }, index) => ({
      clase: 'dominio',
      origen: `primo${index}.mx`,
      umbral: RULES.dominio,
      votos: RULES.dominio + 3,
      anulados: recibos.length,
    })),
    anulaciones: annulments,
    ajenos: 0,
    fallas: [],
    minimo: 200,
    cajas: cajas.length,
    ultimoSello: previous,
    ultimoLote: sha256('lote'),
    levantada: '2025-09-26T06:05:00.000Z',
  }
  const record = (otherChanges.changeRecord?.(plainRecord) ?? plainRecord) as ClosingRecord
  const cover = {
    lectura: readingGuideOf(record),
    acta: record,
    sello: sha256(JSON.stringify(record)),
    ...(otherChanges.signedBy && {
      llave: publicKeyOf(otherChanges.signedBy),
      firma: signClosingRecord(otherChanges.signedBy, record.edicion, sha256(JSON.stringify(record))),
    }),
    apertura: opening,
    selloApertura: openingSeal,
    nombres,
  } as Cover
  const section = (lines: string[]) => lines.map((line) => `\n${line}`).join(',')
  return [
    `{"portada":${JSON.stringify(otherChanges.changeCover?.(cover) ?? cover)},\n"cajas":[`,
    section(blockLines),
    '\n],\n"anuladas":[',
    section(anuladas.map(({ recibos }) => JSON.stringify({ recibos }))),
    '\n]}\n',
  ].join('')
}
