import { grownLimit } from '#app/voting/election/origin-rules.ts'
import { MIN_CAJA, type Papeleta, PRINCIPIO, sealedText, sha256 } from './block-seal.ts'
import { checkMovidos } from './closing-moves.ts'
import { linesOf, type Renglon, readAsWhole, readRenglones, textOf } from './file-lines.ts'
import { createRecibos } from './receipt-table.ts'
import { lecturaOf, namesOf, type Portada, readAnulada, readCaja, readPortada } from './schema.ts'
import { isSignedBy, signedText } from './signature.ts'
import { compareTestigos, type Testigo, type TestigoComprobado } from './witness.ts'

/** Counts a published act again, from its file alone; in a browser as under Node. */

interface Options {
  /** What people kept while the vote was open. */
  testigos?: readonly Testigo[]
  /** Public keys of the site, as somebody knows them from elsewhere. */
  publicKeys?: readonly string[]
  /** Called with each link, and waited for: so a page stays alive, and says how far the count has come. */
  onCaja?: (papeletas: number) => Promise<void> | void
}

export interface Verificacion {
  portada: Portada
  cajas: number
  papeletas: number
  /** Ballots that count: without those annulled. */
  validas: number
  /** Votes by the candidates' names in the act, then by names that are nobody's; annulled ones taken out. */
  totales: Map<string, number>
  /** Spanish sentences; empty: the file proves what its act says. */
  fallas: string[]
  /** Whether a known key or a witness shows that this is the file that the site published; else only that it fits in itself. */
  isPublished: boolean
  testigos: TestigoComprobado[]
}

/** What an act cannot prove by itself. */
export const OF_UNKNOWN_ORIGIN =
  'Pero este archivo solo no puede probar que sea el que publicó el sitio: quien cambie los votos también puede calcular otra vez todos los sellos. Compáralo con un correo de recibo o un sellos.json guardado durante la votación, o con la llave del sitio, que está en el acta de cero, en los recibos y en la página del acta.'

/** So many faults are said one by one. */
const MAX_FALLAS = 40

/**
 * Counts the act in a file again. A file as published is read line by line, whatever its length; one that was laid out
 * anew (pretty-printed, on one line) is read as a whole.
 * @param open begins to read the file; called again where it has to be read as a whole
 * @throws SyntaxError or TypeError when it is no act; whatever `open` throws
 */
export async function verifyFile(open: () => AsyncIterable<Uint8Array>, options: Options = {}): Promise<Verificacion> {
  try {
    return await verifyRenglones(readRenglones(linesOf(textOf(open()))), options)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    let text = ''
    for await (const piece of textOf(open())) text += piece
    return verifyRenglones(readAsWhole(text), options)
  }
}

/** The same for a file's lines. @throws SyntaxError when they are no act as the site publishes it */
export const verifyActa = (lines: AsyncIterable<string>, options: Options = {}): Promise<Verificacion> =>
  verifyRenglones(readRenglones(lines), options)

async function verifyRenglones(
  renglones: AsyncIterable<Renglon>,
  { testigos = [], publicKeys = [], onCaja }: Options,
): Promise<Verificacion> {
  const fallas: string[] = []
  let unsaid = 0
  const say = (falla: string) => {
    if (fallas.includes(falla)) return
    if (fallas.length < MAX_FALLAS) fallas.push(falla)
    else unsaid++
  }
  const onUnknown = (where: string) => (path: string) => say(`${where} tiene un campo que ningún acta tiene: ${path}.`)
  const expect = (what: string, said: number, found: number) => {
    if (said !== found) say(`${what}: el acta dice ${said} y las papeletas dan ${found}.`)
  }

  let head: ReturnType<typeof readPortada> | undefined
  const recibos = createRecibos()
  const kept = compareTestigos(testigos)
  const knownKeys = [...publicKeys, ...testigos.flatMap((testigo) => testigo.publicKeys)]
  let isSignedByKnown = false
  let anterior = PRINCIPIO
  let cajas = 0
  let papeletas = 0
  /** The last link so far, if it is too small: only the last of all may be. */
  let small: number | undefined
  let annulments = 0
  let annulled = 0
  const totales = new Map<string, number>()
  /** Every name that a candidate's ballots bear → her name in the act. */
  const whose = new Map<string, string>()
  const add = (name: string, votos: number) => {
    const nombre = whose.get(name) ?? name
    totales.set(nombre, (totales.get(nombre) ?? 0) + votos)
  }

  async function readHead(valor: unknown): Promise<void> {
    head = readPortada(valor, onUnknown('La portada'))
    const { acta, apertura, lectura, nombres, sello, selloApertura } = head.portada
    for (const candidata of acta.candidatas) {
      totales.set(candidata.nombre, 0)
      for (const name of namesOf(candidata)) {
        if (whose.has(name)) say(`El acta da el nombre «${name}» a dos candidatas.`)
        whose.set(name, candidata.nombre)
      }
    }
    for (const retirada of acta.retiradas ?? []) checkRetirada(retirada, head.portada)
    const ids = acta.candidatas.flatMap(({ id }) => id ?? [])
    if (new Set(ids).size < ids.length) say('El acta cuenta dos veces a una candidata.')
    if (new Set(nombres).size < nombres.length) say('La lista de nombres tiene uno dos veces.')
    for (const [one, other] of lookalikes([...whose.keys(), ...nombres]))
      if (whose.get(one) !== whose.get(other) || !whose.has(one))
        say(`«${one}» y «${other}» se leen igual y se cuentan aparte.`)
    if ((await sha256(head.sealed.acta)) !== sello) say('El sello del acta no corresponde a lo que dice.')
    if ((await sha256(head.sealed.apertura)) !== selloApertura || acta.apertura !== selloApertura)
      say('El acta de cero no es la que el acta de cierre nombra.')
    const moves = await Promise.all(
      (head.portada.movidos ?? []).map(async (one, at) => ({ ...one, sello: await sha256(head!.sealed.movidos[at]!) })),
    )
    for (const falla of checkMovidos({ ...apertura, sello: selloApertura }, moves)) say(falla)
    const listed = moves.map(({ antes, ahora, motivo, levantada, sello: its }) => [
      antes,
      ahora,
      motivo,
      levantada,
      its,
    ])
    const declared = (acta.movidos ?? []).map(({ antes, ahora, motivo, levantada, sello: its }) => [
      ...[antes, ahora, motivo, levantada, its],
    ])
    if (JSON.stringify(listed) !== JSON.stringify(declared))
      say('Las actas del cierre movido no son las que el acta de cierre nombra.')
    const ultimo = moves.at(-1)
    if (ultimo && !(Date.parse(acta.levantada) > Date.parse(ultimo.ahora)))
      say('El acta se levantó antes del cierre, que se había movido.')
    await checkSignature(head.portada)
    if (apertura.edicion !== acta.edicion) say('El acta de cero es de otra edición.')
    if (apertura.papeletas !== 0) say('El acta de cero no empieza en cero.')
    if (lectura !== lecturaOf(acta)) say('La explicación de cómo leer el archivo no es la de este sitio.')
    if (apertura.reglas && JSON.stringify(apertura.reglas) !== JSON.stringify(acta.reglas))
      say('Las reglas del acta no son las que el acta de cero publicó antes.')
    for (const falla of checkMarcas(head.portada)) say(falla)
    if ((acta.minimo ?? MIN_CAJA) < MIN_CAJA) say(`El acta permite cajas de menos de ${MIN_CAJA} papeletas.`)
  }

  async function checkSignature({ acta, apertura, sello, llave, firma }: Portada): Promise<void> {
    if (apertura.llave !== undefined && llave !== apertura.llave)
      say('El acta no está firmada con la llave que el acta de cero publicó.')
    if (knownKeys.length > 0 && (firma === undefined || !knownKeys.includes(llave ?? '')))
      return say('El acta no está firmada con la llave del sitio que tú conoces: no es el archivo que publicó.')
    if (llave === undefined || firma === undefined) return
    const isSigned = await isSignedBy(llave, signedText(acta.edicion, sello), firma)
    if (isSigned === false) say('La firma no es de esta acta: lo que dice se cambió después de firmarse.')
    isSignedByKnown = isSigned === true && knownKeys.length > 0
  }

  function checkRetirada(
    retirada: NonNullable<Portada['acta']['retiradas']>[number],
    { acta: { candidatas, reglas, retiradas = [] } }: Portada,
  ): void {
    const { id, nombre, antes = [], votos, regla } = retirada
    const quien = nombre ?? id
    if (regla !== (reglas?.retiro ?? 'nulos')) say(`Los votos de ${quien} no siguen la regla publicada.`)
    if (retiradas.filter((una) => una.id === id).length > 1) say(`El acta retira dos veces a ${quien}.`)
    if (nombre === undefined && (votos > 0 || antes.length > 0)) say(`El acta cuenta votos de ${quien} sin su nombre.`)
    const line = candidatas.find((una) => una.id === id)
    if (nombre === undefined || regla === 'nulos') {
      if (line) say(`El acta cuenta entre las candidatas a ${quien}, que se retiró.`)
      for (const name of namesOf(retirada)) {
        if (whose.has(name)) say(`El acta da el nombre «${name}» a dos candidatas.`)
        whose.set(name, quien)
      }
    } else if (line?.nombre !== nombre || line.votos !== votos || String(line.antes ?? []) !== String(antes))
      say(`El acta no cuenta a ${quien} como dice su regla.`)
  }

  async function readLink(valor: unknown, { nombres, acta }: Portada): Promise<void> {
    const caja = readCaja(valor, onUnknown(`La caja ${cajas + 1}`))
    const places = caja.papeletas.map((text) => Number(text.slice(65)))
    let before = ''
    const ballots: Papeleta[] = caja.papeletas.map((text, at) => {
      const recibo = text.slice(0, 64)
      const candidata = nombres[places[at]!]
      if (candidata === undefined) say(`Una papeleta de la caja ${caja.numero} no nombra a nadie.`)
      if (recibo < before) say(`La caja ${caja.numero} desordena papeletas.`)
      before = recibo
      return { recibo, candidata: candidata ?? '' }
    })
    cajas++
    papeletas += ballots.length
    if (small !== undefined) say(`La caja ${small} tiene menos papeletas de las que una caja debe tener.`)
    small = ballots.length < (acta.minimo ?? MIN_CAJA) ? caja.numero : undefined
    if (ballots.length === 0) say(`La caja ${caja.numero} está vacía.`)
    if (caja.numero !== cajas || caja.anterior !== anterior) say(`La caja ${caja.numero} no sigue a la anterior.`)
    if ((await sha256(sealedText(caja.numero, caja.anterior, ballots))) !== caja.sello)
      say(`El sello de la caja ${caja.numero} no corresponde a sus papeletas.`)
    anterior = caja.sello
    kept.caja({ numero: caja.numero, papeletas: ballots.length, sello: caja.sello })
    for (const [at, { recibo, candidata }] of ballots.entries()) {
      add(candidata, 1)
      if (!recibos.add(recibo, places[at]!)) say(`Un recibo está dos veces: ${recibo}.`)
      kept.papeleta(recibo, caja.numero)
    }
  }

  async function readAnnulment(valor: unknown, { acta, nombres }: Portada): Promise<void> {
    const at = annulments++
    const gone = readAnulada(valor, onUnknown(`La anulación ${at + 1}`))
    const said = acta.anulaciones[at]
    if (!said) return
    if ((await sha256(gone.join('\n'))) !== said.huella || gone.length !== said.votos)
      say(`La anulación ${at + 1} no nombra los recibos que el acta dice.`)
    const conteo = new Map<string, number>()
    for (const recibo of gone) {
      const place = recibos.annul(recibo)
      kept.anulada(recibo, said.motivo)
      if (place === undefined) {
        say(`La anulación ${at + 1} nombra una papeleta que no está en la cadena, o ya anulada.`)
        continue
      }
      const candidata = nombres[place] ?? ''
      annulled++
      add(candidata, -1)
      conteo.set(candidata, (conteo.get(candidata) ?? 0) + 1)
    }
    const isAsSaid =
      Object.keys(said.conteo).length === conteo.size &&
      [...conteo].every(([name, votos]) => Object.hasOwn(said.conteo, name) && said.conteo[name] === votos)
    if (!isAsSaid) say(`La anulación ${at + 1} quita otros votos que los que el acta dice.`)
  }

  for await (const { es, valor, isExact } of renglones) {
    if (!isExact) say('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
    if (es === 'portada') await readHead(valor)
    else if (!head) throw new SyntaxError('It is no act of this site')
    else if (es === 'caja') {
      await readLink(valor, head.portada)
      await onCaja?.(papeletas)
    } else await readAnnulment(valor, head.portada)
  }
  if (!head) throw new SyntaxError('The file is empty')

  const { acta } = head.portada
  if (acta.cajas !== cajas || acta.ultimoSello !== anterior) say('La cadena no termina donde el acta dice.')
  expect('Papeletas', acta.papeletas, papeletas)
  expect('Anulaciones', acta.anulaciones.length, annulments)
  expect('Anuladas', acta.anulados, annulled)
  let counted = 0
  for (const { nombre, votos } of acta.candidatas) {
    const found = totales.get(nombre) ?? 0
    expect(nombre, votos, found)
    counted += found
  }
  for (const { nombre, votos, regla } of acta.retiradas ?? [])
    if (nombre !== undefined && regla === 'nulos') expect(nombre, votos, totales.get(nombre) ?? 0)
  const validas = papeletas - annulled
  expect('Otros / inválidos', acta.otros, validas - counted)
  if (unsaid > 0) fallas.push(`Y ${unsaid} fallas más.`)
  const compared = kept.end(acta)
  const isPublished = isSignedByKnown || compared.some(({ isProof }) => isProof)
  return { portada: head.portada, cajas, papeletas, validas, totales, fallas, isPublished, testigos: compared }
}

/** The published rule that each kind of mark goes by; the others (throw-away addresses, marks of before) have none. */
const REGLA_DE = {
  dominio: 'dominio',
  servicio: 'servicio',
  receptor: 'receptor',
  alojamiento: 'alojamientoPorRed',
  'rafaga-red': 'rafagaPorRed',
  'rafaga-bloque': 'rafagaPorBloque',
} as const

/** Whether votes were marked and annulled by the rules that were published, as far as the act tells. @returns faults */
function checkMarcas({ acta, apertura }: Portada): string[] {
  const fallas: string[] = []
  const { reglas, marcas = [] } = acta
  const annulled = marcas.map(() => 0)
  for (const [at, { marca, votos }] of acta.anulaciones.entries()) {
    if (marca === undefined) {
      if (apertura.reglas) fallas.push(`La anulación ${at + 1} no es de ninguna marca.`)
    } else if (annulled[marca] === undefined)
      fallas.push(`La anulación ${at + 1} nombra una marca que el acta no tiene.`)
    else annulled[marca] += votos
  }
  const seen = new Set<string>()
  for (const [at, { clase, origen, tramo, umbral, votos, anulados }] of marcas.entries()) {
    const rule = Object.hasOwn(REGLA_DE, clase) ? reglas?.[REGLA_DE[clase as keyof typeof REGLA_DE]] : undefined
    const grown = clase === 'dominio' || clase === 'servicio' ? grownLimit(rule ?? 0, reglas!, acta.papeletas) : rule
    const byRule = rule === undefined ? umbral === 0 : umbral >= rule && umbral <= (grown ?? rule) && votos > umbral
    if (!byRule) fallas.push(`La marca ${at + 1} no sigue las reglas publicadas.`)
    if (anulados > votos || annulled[at]! > anulados)
      fallas.push(`La marca ${at + 1} tiene otros votos anulados que sus anulaciones.`)
    const key = JSON.stringify([clase, origen, tramo])
    if (seen.has(key)) fallas.push(`La marca ${at + 1} está dos veces.`)
    seen.add(key)
  }
  return fallas
}

/** Names that people cannot tell apart, in pairs: the same letters, or more blanks, or signs that nobody sees. */
function lookalikes(names: readonly string[]): [string, string][] {
  const seen = new Map<string, string>()
  const pairs: [string, string][] = []
  for (const name of new Set(names)) {
    const looks = name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLocaleLowerCase('es')
    const other = seen.get(looks)
    if (other === undefined) seen.set(looks, name)
    else pairs.push([other, name])
  }
  return pairs
}
