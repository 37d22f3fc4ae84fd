import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { namesOf, type Portada, readAnulada, readCaja, readPortada } from './actas.server.ts'
import { hashText, type Papeleta, PRINCIPIO, sealOf } from './cadena.server.ts'

/** The outcome of counting a published file again. */
export interface Verificacion {
  portada: Portada
  cajas: number
  papeletas: number
  /** Votes by the candidates' names in the act, then by names that are nobody's; annulled ones taken out. */
  totales: Map<string, number>
  /** Spanish sentences; empty: the file proves what its act says. */
  fallas: string[]
}

/**
 * Counts the act in a file again. A file as published is read line by line; one that was laid out anew (pretty-printed,
 * on one line, with a byte order mark) is read as a whole.
 * @throws when there is no such file, or it is no act
 */
export async function verifyActaFile(file: string): Promise<Verificacion> {
  try {
    const input = createReadStream(file)
    return await verifyActa(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error
    return verifyActa(linesOf(JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))))
  }
}

/** A document's lines, as they are published. */
async function* linesOf({ portada, cajas, anuladas, ...rest }: Record<string, unknown>): AsyncGenerator<string> {
  if (!Array.isArray(cajas) || !Array.isArray(anuladas) || Object.keys(rest).length > 0)
    throw new SyntaxError('It is no act of this site')
  yield `{"portada":${JSON.stringify(portada)}`
  yield '"cajas":['
  for (const caja of cajas) yield JSON.stringify(caja)
  yield ']'
  yield '"anuladas":['
  for (const anulada of anuladas) yield JSON.stringify(anulada)
  yield ']}'
}

/**
 * Counts a published act again from its file alone: seals, order, totals, annulments.
 * @param lines of the file
 * @throws SyntaxError when it is no act
 */
export async function verifyActa(lines: AsyncIterable<string>): Promise<Verificacion> {
  let portada: Portada | undefined
  let sealed = { acta: '', apertura: '' }
  let section: 'cajas' | 'anuladas' | undefined
  let anterior = PRINCIPIO
  let cajas = 0
  let papeletas = 0
  const fallas: string[] = []
  const totales = new Map<string, number>()
  /** Hash of an annulled receipt → candidate of its ballot. */
  const candidataOf = new Map<string, string>()
  const annulled: string[][] = []
  /** Every name that a candidate's ballots bear → her name in the act. */
  const whose = new Map<string, string>()
  const add = (name: string, votos: number) => {
    const nombre = whose.get(name) ?? name
    totales.set(nombre, (totales.get(nombre) ?? 0) + votos)
  }
  let beforeRecibo = ''

  for await (const raw of lines) {
    const line = raw.replace(/,$/, '')
    if (!portada) {
      ;({ portada, sealed } = readPortada(line))
      for (const candidata of portada.acta.candidatas) {
        totales.set(candidata.nombre, 0)
        for (const name of namesOf(candidata)) {
          if (whose.has(name)) fallas.push(`El acta da el nombre «${name}» a dos candidatas.`)
          whose.set(name, candidata.nombre)
        }
      }
    } else if (line === '"cajas":[') section = 'cajas'
    else if (line === '"anuladas":[') section = 'anuladas'
    else if (line === ']' || line === ']}' || line === '') continue
    else if (section === 'cajas') {
      const caja = readCaja(line)
      const { nombres, acta } = portada
      beforeRecibo = ''
      const ballots: Papeleta[] = caja.papeletas.map((text) => {
        const [recibo = '', place = ''] = text.split(' ')
        const candidata = nombres[Number(place)]
        if (candidata === undefined) fallas.push(`Una papeleta de la caja ${caja.numero} no nombra a nadie.`)
        if (recibo <= beforeRecibo) fallas.push(`La caja ${caja.numero} repite o desordena papeletas.`)
        beforeRecibo = recibo
        return { recibo, candidata: candidata ?? '' }
      })
      cajas++
      papeletas += ballots.length
      if (caja.numero !== cajas || caja.anterior !== anterior)
        fallas.push(`La caja ${caja.numero} no sigue a la anterior.`)
      if (sealOf(caja.numero, caja.anterior, ballots) !== caja.sello)
        fallas.push(`El sello de la caja ${caja.numero} no corresponde a sus papeletas.`)
      anterior = caja.sello
      for (const { recibo, candidata } of ballots) {
        add(candidata, 1)
        if (acta.anulados > 0) candidataOf.set(recibo, candidata)
      }
    } else if (section === 'anuladas') annulled.push(readAnulada(line))
    else throw new SyntaxError('It is no act of this site')
  }
  if (!portada) throw new SyntaxError('The file is empty')

  const { acta, sello, selloApertura } = portada
  if (hashText(sealed.acta) !== sello) fallas.push('El sello del acta no corresponde a lo que dice.')
  if (hashText(sealed.apertura) !== selloApertura || acta.apertura !== selloApertura)
    fallas.push('El acta de cero no es la que el acta de cierre nombra.')
  if (acta.cajas !== cajas || acta.ultimoSello !== anterior) fallas.push('La cadena no termina donde el acta dice.')
  const expect = (what: string, said: number, found: number) => {
    if (said !== found) fallas.push(`${what}: el acta dice ${said} y las papeletas dan ${found}.`)
  }
  expect('Papeletas', acta.papeletas, papeletas)
  expect('Anulaciones', acta.anulaciones.length, annulled.length)
  const gone = new Set<string>()
  for (const [at, recibos] of annulled.entries()) {
    const said = acta.anulaciones[at]
    if (!said) continue
    if (hashText(recibos.join('\n')) !== said.huella || recibos.length !== said.votos)
      fallas.push(`La anulación ${at + 1} no nombra los recibos que el acta dice.`)
    for (const recibo of recibos) {
      const candidata = candidataOf.get(recibo)
      if (candidata === undefined || gone.has(recibo))
        fallas.push(`La anulación ${at + 1} nombra una papeleta que no está en la cadena, o ya anulada.`)
      else add(candidata, -1)
      gone.add(recibo)
    }
  }
  let counted = 0
  for (const { nombre, votos } of acta.candidatas) {
    expect(nombre, votos, totales.get(nombre) ?? 0)
    counted += totales.get(nombre) ?? 0
  }
  expect('Otros / inválidos', acta.otros, papeletas - gone.size - counted)
  return { portada, cajas, papeletas, totales, fallas }
}
