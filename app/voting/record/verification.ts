import { grownLimit } from '#app/voting/election/origin-rules.ts'
import { type Ballot, GENESIS_SEAL, MIN_BLOCK_BALLOTS, sealedText, sha256 } from './block-seal.ts'
import { checkClosingMoves } from './closing-moves.ts'
import { linesOf, type Row, readAsWhole, readLines, textOf } from './file-lines.ts'
import { type Cover, namesOf, parseAnnulledReceipts, parseBlock, parseCover, readingGuideOf } from './schema.ts'
import { isSignedBy, signedText } from './signature.ts'
import { type CheckedWitness, compareWitnesses, type Witness } from './witness.ts'

/** These options say what a published record is verified against besides its own file. */

interface Options {
  /** `witnesses` are receipt mails and sellos.json files that were saved while the vote was open. */
  witnesses?: readonly Witness[]
  /** `publicKeys` are public keys of the site that the caller knows from elsewhere. */
  publicKeys?: readonly string[]
  /** `onBlock` is called and awaited after each block, so that a page can show progress and stay responsive. */
  onBlock?: (ballotCount: number) => Promise<void> | void
}

export interface Verification {
  cover: Cover
  blockCount: number
  ballotCount: number
  /** `validBallotCount` leaves out the annulled ballots. */
  validBallotCount: number
  /**
   * `totals` holds the votes by the candidates' names in the record, then by names of no candidate; annulled votes are left out.
   */
  totals: Map<string, number>
  /** `faults` are Spanish sentences; without any, the file proves its record. */
  faults: string[]
  /**
   * `isPublished` tells that a known key or a witness shows that the site published this file; otherwise it is only consistent. A
   * file with faults can have it too.
   */
  isPublished: boolean
  checkedWitnesses: CheckedWitness[]
}

/** This text states the limits of a proof without a known key or a witness. */
export const UNPROVEN_ORIGIN_NOTE =
  'Pero este archivo solo no puede probar que sea el que publicó el sitio: quien cambie los votos también puede calcular otra vez todos los sellos. Compáralo con un correo de recibo o un sellos.json guardado durante la votación, o con la llave del sitio, que está en el acta de cero, en los recibos y en la página del acta.'

/** At most this many faults are listed one by one; the rest are only counted. */
const MAX_FAULTS = 40

/**
 * Verifies the record in a file. A file in the published layout is read line by line, however long it is; a file whose
 * layout was changed (pretty-printed, on one line) is read as a whole.
 * @param open begins to read the file; called again for reading it as a whole
 * @throws SyntaxError or TypeError when the file is no record; errors of `open`
 */
export async function verifyFile(open: () => AsyncIterable<Uint8Array>, options: Options = {}): Promise<Verification> {
  try {
    return await verifyLines(readLines(linesOf(textOf(open()))), options)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    let text = ''
    for await (const piece of textOf(open())) text += piece
    return verifyLines(readAsWhole(text), options)
  }
}

/** Verifies a file's lines as `verifyFile` does. @throws SyntaxError for another layout, and for lines of no record */
export const verifyRecord = (lines: AsyncIterable<string>, options: Options = {}): Promise<Verification> =>
  verifyLines(readLines(lines), options)

async function verifyLines(
  rows: AsyncIterable<Row>,
  { witnesses = [], publicKeys = [], onBlock }: Options,
): Promise<Verification> {
  const faults: string[] = []
  let unlistedCount = 0
  const say = (fault: string) => {
    if (faults.includes(fault)) return
    if (faults.length < MAX_FAULTS) faults.push(fault)
    else unlistedCount++
  }
  const onUnknown = (where: string) => (path: string) => say(`${where} tiene un campo que ningún acta tiene: ${path}.`)
  const expect = (what: string, said: number, found: number) => {
    if (said !== found) say(`${what}: el acta dice ${said} y las papeletas dan ${found}.`)
  }

  let head: ReturnType<typeof parseCover> | undefined
  /** The map leads from the receipt of each ballot that is not annulled to the place of its name. */
  const receipts = new Map<string, number>()
  const witnessComparison = compareWitnesses(witnesses)
  const knownKeys = [...publicKeys, ...witnesses.flatMap((witness) => witness.publicKeys)]
  let isSignedByKnown = false
  let previousSeal = GENESIS_SEAL
  let blocks = 0
  let ballotCount = 0
  /** This is the number of the latest block if that block is too small, as only the vote's last block may be. */
  let smallBlock: number | undefined
  let annulments = 0
  let annulledVotes = 0
  const totals = new Map<string, number>()
  /** The map leads from every name on a candidate's ballots to the candidate's name in the record. */
  const recordNames = new Map<string, string>()
  const add = (name: string, votes: number) => {
    const ownName = recordNames.get(name) ?? name
    totals.set(ownName, (totals.get(ownName) ?? 0) + votes)
  }

  async function readHead(value: unknown): Promise<void> {
    head = parseCover(value, onUnknown('La portada'))
    const { acta, apertura, lectura, nombres, sello, selloApertura } = head.cover
    for (const candidate of acta.candidatas) {
      totals.set(candidate.nombre, 0)
      for (const name of namesOf(candidate)) {
        if (recordNames.has(name)) say(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, candidate.nombre)
      }
    }
    for (const withdrawnCandidate of acta.retiradas ?? []) checkWithdrawnCandidate(withdrawnCandidate, head.cover)
    const ids = acta.candidatas.flatMap(({ id }) => id ?? [])
    if (new Set(ids).size < ids.length) say('El acta cuenta dos veces a una candidata.')
    if (new Set(nombres).size < nombres.length) say('La lista de nombres tiene uno dos veces.')
    for (const [one, other] of listLookalikes([...recordNames.keys(), ...nombres]))
      if (recordNames.get(one) !== recordNames.get(other) || !recordNames.has(one))
        say(`«${one}» y «${other}» se leen igual y se cuentan aparte.`)
    if ((await sha256(head.sealed.record)) !== sello) say('El sello del acta no corresponde a lo que dice.')
    if ((await sha256(head.sealed.opening)) !== selloApertura || acta.apertura !== selloApertura)
      say('El acta de cero no es la que el acta de cierre nombra.')
    const moves = await Promise.all(
      (head.cover.movidos ?? []).map(async (one, at) => ({
        ...one,
        sello: await sha256(head!.sealed.closingMoves[at]!),
      })),
    )
    for (const fault of checkClosingMoves({ ...apertura, sello: selloApertura }, moves)) say(fault)
    const declared = ({ antes, ahora, motivo, levantada, sello: its }: NonNullable<typeof acta.movidos>[number]) => [
      antes,
      ahora,
      motivo,
      levantada,
      its,
    ]
    if (JSON.stringify(moves.map(declared)) !== JSON.stringify((acta.movidos ?? []).map(declared)))
      say('Las actas del cierre movido no son las que el acta de cierre nombra.')
    const lastMove = moves.at(-1)
    if (lastMove && !(Date.parse(acta.levantada) > Date.parse(lastMove.ahora)))
      say('El acta se levantó antes del cierre, que se había movido.')
    await checkSignature(head.cover)
    if (apertura.edicion !== acta.edicion) say('El acta de cero es de otra edición.')
    if (apertura.papeletas !== 0) say('El acta de cero no empieza en cero.')
    if (lectura !== readingGuideOf(acta)) say('La explicación de cómo leer el archivo no es la de este sitio.')
    if (apertura.reglas && JSON.stringify(apertura.reglas) !== JSON.stringify(acta.reglas))
      say('Las reglas del acta no son las que el acta de cero publicó antes.')
    for (const fault of checkFlags(head.cover)) say(fault)
    if ((acta.minimo ?? MIN_BLOCK_BALLOTS) < MIN_BLOCK_BALLOTS)
      say(`El acta permite cajas de menos de ${MIN_BLOCK_BALLOTS} papeletas.`)
  }

  async function checkSignature({ acta, apertura, sello, llave, firma }: Cover): Promise<void> {
    if (apertura.llave !== undefined && llave !== apertura.llave)
      say('El acta no está firmada con la llave que el acta de cero publicó.')
    if (knownKeys.length > 0 && (firma === undefined || !knownKeys.includes(llave ?? '')))
      return say('El acta no está firmada con la llave del sitio que tú conoces: no es el archivo que publicó.')
    if (llave === undefined || firma === undefined) return
    const isSigned = await isSignedBy(llave, signedText(acta.edicion, sello), firma)
    if (isSigned === false) say('La firma no es de esta acta: lo que dice se cambió después de firmarse.')
    isSignedByKnown = isSigned === true && knownKeys.length > 0
  }

  function checkWithdrawnCandidate(
    withdrawnCandidate: NonNullable<Cover['acta']['retiradas']>[number],
    { acta: { candidatas, reglas, retiradas = [] } }: Cover,
  ): void {
    const { id, nombre, antes = [], votos, regla } = withdrawnCandidate
    const who = nombre ?? id
    if (regla !== (reglas?.retiro ?? 'nulos')) say(`Los votos de ${who} no siguen la regla publicada.`)
    if (retiradas.filter((one) => one.id === id).length > 1) say(`El acta retira dos veces a ${who}.`)
    if (nombre === undefined && (votos > 0 || antes.length > 0)) say(`El acta cuenta votos de ${who} sin su nombre.`)
    const line = candidatas.find((one) => one.id === id)
    if (nombre === undefined || regla === 'nulos') {
      if (line) say(`El acta cuenta entre las candidatas a ${who}, que se retiró.`)
      for (const name of namesOf(withdrawnCandidate)) {
        if (recordNames.has(name)) say(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, who)
      }
    } else if (line?.nombre !== nombre || line.votos !== votos || String(line.antes ?? []) !== String(antes))
      say(`El acta no cuenta a ${who} como dice su regla.`)
  }

  async function readBlockLine(value: unknown, { nombres, acta }: Cover): Promise<void> {
    const block = parseBlock(value, onUnknown(`La caja ${blocks + 1}`))
    const places = block.papeletas.map((text) => Number(text.slice(65)))
    let before = ''
    const ballots: Ballot[] = block.papeletas.map((text, at) => {
      const receipt = text.slice(0, 64)
      const candidate = nombres[places[at]!]
      if (candidate === undefined) say(`Una papeleta de la caja ${block.numero} no nombra a nadie.`)
      if (receipt < before) say(`La caja ${block.numero} desordena papeletas.`)
      before = receipt
      return { recibo: receipt, candidata: candidate ?? '' }
    })
    blocks++
    ballotCount += ballots.length
    if (smallBlock !== undefined) say(`La caja ${smallBlock} tiene menos papeletas de las que una caja debe tener.`)
    smallBlock = ballots.length < (acta.minimo ?? MIN_BLOCK_BALLOTS) ? block.numero : undefined
    if (ballots.length === 0) say(`La caja ${block.numero} está vacía.`)
    if (block.numero !== blocks || block.anterior !== previousSeal)
      say(`La caja ${block.numero} no sigue a la anterior.`)
    if ((await sha256(sealedText(block.numero, block.anterior, ballots))) !== block.sello)
      say(`El sello de la caja ${block.numero} no corresponde a sus papeletas.`)
    previousSeal = block.sello
    witnessComparison.addBlock({ numero: block.numero, papeletas: ballots.length, sello: block.sello })
    for (const [at, { recibo, candidata }] of ballots.entries()) {
      add(candidata, 1)
      if (receipts.has(recibo)) say(`Un recibo está dos veces: ${recibo}.`)
      else receipts.set(recibo, places[at]!)
      witnessComparison.addBallot(recibo, block.numero)
    }
  }

  async function readAnnulment(value: unknown, { acta, nombres }: Cover): Promise<void> {
    const at = annulments++
    const annulledReceipts = parseAnnulledReceipts(value, onUnknown(`La anulación ${at + 1}`))
    const said = acta.anulaciones[at]
    if (!said) return
    if ((await sha256(annulledReceipts.join('\n'))) !== said.huella || annulledReceipts.length !== said.votos)
      say(`La anulación ${at + 1} no nombra los recibos que el acta dice.`)
    const counts = new Map<string, number>()
    for (const receipt of annulledReceipts) {
      const place = receipts.get(receipt)
      receipts.delete(receipt)
      witnessComparison.addAnnulled(receipt, said.motivo)
      if (place === undefined) {
        say(`La anulación ${at + 1} nombra una papeleta que no está en la cadena, o ya anulada.`)
        continue
      }
      const candidate = nombres[place] ?? ''
      annulledVotes++
      add(candidate, -1)
      counts.set(candidate, (counts.get(candidate) ?? 0) + 1)
    }
    const isAsRecorded =
      Object.keys(said.conteo).length === counts.size &&
      [...counts].every(([name, votes]) => Object.hasOwn(said.conteo, name) && said.conteo[name] === votes)
    if (!isAsRecorded) say(`La anulación ${at + 1} quita otros votos que los que el acta dice.`)
  }

  for await (const { section, value, isExact } of rows) {
    if (!isExact) say('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
    if (section === 'portada') await readHead(value)
    else if (!head) throw new SyntaxError('It is no act of this site')
    else if (section === 'caja') {
      await readBlockLine(value, head.cover)
      await onBlock?.(ballotCount)
    } else await readAnnulment(value, head.cover)
  }
  if (!head) throw new SyntaxError('The file is empty')

  const { acta } = head.cover
  if (acta.cajas !== blocks || acta.ultimoSello !== previousSeal) say('La cadena no termina donde el acta dice.')
  expect('Papeletas', acta.papeletas, ballotCount)
  expect('Anulaciones', acta.anulaciones.length, annulments)
  expect('Anuladas', acta.anulados, annulledVotes)
  let candidateVotes = 0
  for (const { nombre, votos } of acta.candidatas) {
    const found = totals.get(nombre) ?? 0
    expect(nombre, votos, found)
    candidateVotes += found
  }
  for (const { nombre, votos, regla } of acta.retiradas ?? [])
    if (nombre !== undefined && regla === 'nulos') expect(nombre, votos, totals.get(nombre) ?? 0)
  const validBallots = ballotCount - annulledVotes
  expect('Otros / inválidos', acta.otros, validBallots - candidateVotes)
  if (unlistedCount > 0) faults.push(`Y ${unlistedCount} fallas más.`)
  const checkedWitnesses = witnessComparison.end(acta)
  const isPublished = isSignedByKnown || checkedWitnesses.some(({ isProof }) => isProof)
  return {
    cover: head.cover,
    blockCount: blocks,
    ballotCount,
    validBallotCount: validBallots,
    totals,
    faults,
    isPublished,
    checkedWitnesses,
  }
}

/** Each kind of flag here has a published rule. Other kinds (disposable addresses, flags of earlier versions) have none. */
const RULE_OF = {
  dominio: 'dominio',
  servicio: 'servicio',
  receptor: 'receptor',
  alojamiento: 'alojamientoPorRed',
  'rafaga-red': 'rafagaPorRed',
  'rafaga-bloque': 'rafagaPorBloque',
} as const

/**
 * Checks that flags and annulments follow the published rules, as far as the record shows. @returns faults in Spanish sentences
 */
function checkFlags({ acta, apertura }: Cover): string[] {
  const faults: string[] = []
  const { reglas, marcas = [] } = acta
  const annulledVotes = marcas.map(() => 0)
  for (const [at, { marca, votos }] of acta.anulaciones.entries()) {
    if (marca === undefined) {
      if (apertura.reglas) faults.push(`La anulación ${at + 1} no es de ninguna marca.`)
    } else if (annulledVotes[marca] === undefined)
      faults.push(`La anulación ${at + 1} nombra una marca que el acta no tiene.`)
    else annulledVotes[marca] += votos
  }
  const seen = new Set<string>()
  for (const [at, { clase, origen, tramo, umbral, votos, anulados }] of marcas.entries()) {
    const rule = Object.hasOwn(RULE_OF, clase) ? reglas?.[RULE_OF[clase as keyof typeof RULE_OF]] : undefined
    const grownThreshold =
      clase === 'dominio' || clase === 'servicio' ? grownLimit(rule ?? 0, reglas!, acta.papeletas) : rule
    const byRule =
      rule === undefined ? umbral === 0 : umbral >= rule && umbral <= (grownThreshold ?? rule) && votos > umbral
    if (!byRule) faults.push(`La marca ${at + 1} no sigue las reglas publicadas.`)
    if (anulados > votos || annulledVotes[at]! > anulados)
      faults.push(`La marca ${at + 1} tiene otros votos anulados que sus anulaciones.`)
    const key = JSON.stringify([clase, origen, tramo])
    if (seen.has(key)) faults.push(`La marca ${at + 1} está dos veces.`)
    seen.add(key)
  }
  return faults
}

/** Returns the pairs of names that look alike: the same letters, but other blanks, case or invisible characters. */
function listLookalikes(names: readonly string[]): [string, string][] {
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
