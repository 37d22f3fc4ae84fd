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
  /** Called and awaited after each block, so that a page can show progress and stay responsive. */
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
  /** Spanish sentences; without any, the file proves its record. */
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
  const report = (fault: string) => {
    if (faults.includes(fault)) return
    if (faults.length < MAX_FAULTS) faults.push(fault)
    else unlistedCount++
  }
  const onUnknown = (part: string) => (path: string) => report(`${part} tiene un campo que ningún acta tiene: ${path}.`)
  const compareCounts = (label: string, recorded: number, counted: number) => {
    if (recorded !== counted) report(`${label}: el acta dice ${recorded} y las papeletas dan ${counted}.`)
  }

  let head: ReturnType<typeof parseCover> | undefined
  /** The map leads from the receipt of each ballot that is not annulled to the place of its name. */
  const receipts = new Map<string, number>()
  const witnessComparison = compareWitnesses(witnesses)
  const knownKeys = [...publicKeys, ...witnesses.flatMap((witness) => witness.publicKeys)]
  let isSignedByKnown = false
  let previousSeal = GENESIS_SEAL
  let blockCount = 0
  let ballotCount = 0
  /** The number of the latest block if that block is too small, as only the vote's last block may be. */
  let smallBlockNumber: number | undefined
  let annulmentCount = 0
  let annulledVotes = 0
  const totals = new Map<string, number>()
  /** The map leads from every name on a candidate's ballots to the candidate's name in the record. */
  const recordNames = new Map<string, string>()
  const addVotes = (name: string, votes: number) => {
    const ownName = recordNames.get(name) ?? name
    totals.set(ownName, (totals.get(ownName) ?? 0) + votes)
  }

  async function readHead(value: unknown): Promise<void> {
    head = parseCover(value, onUnknown('La portada'))
    const { acta, apertura, lectura, nombres, sello, selloApertura } = head.cover
    for (const candidate of acta.candidatas) {
      totals.set(candidate.nombre, 0)
      for (const name of namesOf(candidate)) {
        if (recordNames.has(name)) report(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, candidate.nombre)
      }
    }
    for (const withdrawnCandidate of acta.retiradas ?? []) checkWithdrawnCandidate(withdrawnCandidate, head.cover)
    const ids = acta.candidatas.flatMap(({ id }) => id ?? [])
    if (new Set(ids).size < ids.length) report('El acta cuenta dos veces a una candidata.')
    if (new Set(nombres).size < nombres.length) report('La lista de nombres tiene uno dos veces.')
    for (const [one, other] of listLookalikes([...recordNames.keys(), ...nombres]))
      if (recordNames.get(one) !== recordNames.get(other) || !recordNames.has(one))
        report(`«${one}» y «${other}» se leen igual y se cuentan aparte.`)
    if ((await sha256(head.sealed.record)) !== sello) report('El sello del acta no corresponde a lo que dice.')
    if ((await sha256(head.sealed.opening)) !== selloApertura || acta.apertura !== selloApertura)
      report('El acta de cero no es la que el acta de cierre nombra.')
    const moves = await Promise.all(
      (head.cover.movidos ?? []).map(async (one, index) => ({
        ...one,
        sello: await sha256(head!.sealed.closingMoves[index]!),
      })),
    )
    for (const fault of checkClosingMoves({ ...apertura, sello: selloApertura }, moves)) report(fault)
    const comparableMove = ({
      antes,
      ahora,
      motivo,
      levantada,
      sello: its,
    }: NonNullable<typeof acta.movidos>[number]) => [antes, ahora, motivo, levantada, its]
    if (JSON.stringify(moves.map(comparableMove)) !== JSON.stringify((acta.movidos ?? []).map(comparableMove)))
      report('Las actas del cierre movido no son las que el acta de cierre nombra.')
    const lastMove = moves.at(-1)
    if (lastMove && !(Date.parse(acta.levantada) > Date.parse(lastMove.ahora)))
      report('El acta se levantó antes del cierre, que se había movido.')
    await checkSignature(head.cover)
    if (apertura.edicion !== acta.edicion) report('El acta de cero es de otra edición.')
    if (apertura.papeletas !== 0) report('El acta de cero no empieza en cero.')
    if (lectura !== readingGuideOf(acta)) report('La explicación de cómo leer el archivo no es la de este sitio.')
    if (apertura.reglas && JSON.stringify(apertura.reglas) !== JSON.stringify(acta.reglas))
      report('Las reglas del acta no son las que el acta de cero publicó antes.')
    for (const fault of checkFlags(head.cover)) report(fault)
    if ((acta.minimo ?? MIN_BLOCK_BALLOTS) < MIN_BLOCK_BALLOTS)
      report(`El acta permite cajas de menos de ${MIN_BLOCK_BALLOTS} papeletas.`)
  }

  async function checkSignature({ acta, apertura, sello, llave, firma }: Cover): Promise<void> {
    if (apertura.llave !== undefined && llave !== apertura.llave)
      report('El acta no está firmada con la llave que el acta de cero publicó.')
    if (knownKeys.length > 0 && (firma === undefined || !knownKeys.includes(llave ?? '')))
      return report('El acta no está firmada con la llave del sitio que tú conoces: no es el archivo que publicó.')
    if (llave === undefined || firma === undefined) return
    const isSigned = await isSignedBy(llave, signedText(acta.edicion, sello), firma)
    if (isSigned === false) report('La firma no es de esta acta: lo que dice se cambió después de firmarse.')
    isSignedByKnown = isSigned === true && knownKeys.length > 0
  }

  function checkWithdrawnCandidate(
    withdrawnCandidate: NonNullable<Cover['acta']['retiradas']>[number],
    { acta: { candidatas, reglas, retiradas = [] } }: Cover,
  ): void {
    const { id, nombre, antes = [], votos, regla } = withdrawnCandidate
    const withdrawnName = nombre ?? id
    if (regla !== (reglas?.retiro ?? 'nulos')) report(`Los votos de ${withdrawnName} no siguen la regla publicada.`)
    if (retiradas.filter((one) => one.id === id).length > 1) report(`El acta retira dos veces a ${withdrawnName}.`)
    if (nombre === undefined && (votos > 0 || antes.length > 0))
      report(`El acta cuenta votos de ${withdrawnName} sin su nombre.`)
    const line = candidatas.find((one) => one.id === id)
    if (nombre === undefined || regla === 'nulos') {
      if (line) report(`El acta cuenta entre las candidatas a ${withdrawnName}, que se retiró.`)
      for (const name of namesOf(withdrawnCandidate)) {
        if (recordNames.has(name)) report(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, withdrawnName)
      }
    } else if (line?.nombre !== nombre || line.votos !== votos || String(line.antes ?? []) !== String(antes))
      report(`El acta no cuenta a ${withdrawnName} como dice su regla.`)
  }

  async function readBlockLine(value: unknown, { nombres, acta }: Cover): Promise<void> {
    const block = parseBlock(value, onUnknown(`La caja ${blockCount + 1}`))
    const nameIndexes = block.papeletas.map((text) => Number(text.slice(65)))
    let before = ''
    const ballots: Ballot[] = block.papeletas.map((text, index) => {
      const receipt = text.slice(0, 64)
      const candidate = nombres[nameIndexes[index]!]
      if (candidate === undefined) report(`Una papeleta de la caja ${block.numero} no nombra a nadie.`)
      if (receipt < before) report(`La caja ${block.numero} desordena papeletas.`)
      before = receipt
      return { recibo: receipt, candidata: candidate ?? '' }
    })
    blockCount++
    ballotCount += ballots.length
    if (smallBlockNumber !== undefined)
      report(`La caja ${smallBlockNumber} tiene menos papeletas de las que una caja debe tener.`)
    smallBlockNumber = ballots.length < (acta.minimo ?? MIN_BLOCK_BALLOTS) ? block.numero : undefined
    if (ballots.length === 0) report(`La caja ${block.numero} está vacía.`)
    if (block.numero !== blockCount || block.anterior !== previousSeal)
      report(`La caja ${block.numero} no sigue a la anterior.`)
    if ((await sha256(sealedText(block.numero, block.anterior, ballots))) !== block.sello)
      report(`El sello de la caja ${block.numero} no corresponde a sus papeletas.`)
    previousSeal = block.sello
    witnessComparison.addBlock({ numero: block.numero, papeletas: ballots.length, sello: block.sello })
    for (const [index, { recibo, candidata }] of ballots.entries()) {
      addVotes(candidata, 1)
      if (receipts.has(recibo)) report(`Un recibo está dos veces: ${recibo}.`)
      else receipts.set(recibo, nameIndexes[index]!)
      witnessComparison.addBallot(recibo, block.numero)
    }
  }

  async function readAnnulment(value: unknown, { acta, nombres }: Cover): Promise<void> {
    const index = annulmentCount++
    const annulledReceipts = parseAnnulledReceipts(value, onUnknown(`La anulación ${index + 1}`))
    const recorded = acta.anulaciones[index]
    if (!recorded) return
    if ((await sha256(annulledReceipts.join('\n'))) !== recorded.huella || annulledReceipts.length !== recorded.votos)
      report(`La anulación ${index + 1} no nombra los recibos que el acta dice.`)
    const counts = new Map<string, number>()
    for (const receipt of annulledReceipts) {
      const nameIndex = receipts.get(receipt)
      receipts.delete(receipt)
      witnessComparison.addAnnulled(receipt, recorded.motivo)
      if (nameIndex === undefined) {
        report(`La anulación ${index + 1} nombra una papeleta que no está en la cadena, o ya anulada.`)
        continue
      }
      const candidate = nombres[nameIndex] ?? ''
      annulledVotes++
      addVotes(candidate, -1)
      counts.set(candidate, (counts.get(candidate) ?? 0) + 1)
    }
    const isAsRecorded =
      Object.keys(recorded.conteo).length === counts.size &&
      [...counts].every(([name, votes]) => Object.hasOwn(recorded.conteo, name) && recorded.conteo[name] === votes)
    if (!isAsRecorded) report(`La anulación ${index + 1} quita otros votos que los que el acta dice.`)
  }

  for await (const { section, value, isExact } of rows) {
    if (!isExact) report('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
    if (section === 'portada') await readHead(value)
    else if (!head) throw new SyntaxError('Not a record of this site')
    else if (section === 'caja') {
      await readBlockLine(value, head.cover)
      await onBlock?.(ballotCount)
    } else await readAnnulment(value, head.cover)
  }
  if (!head) throw new SyntaxError('The file is empty')

  const { acta } = head.cover
  if (acta.cajas !== blockCount || acta.ultimoSello !== previousSeal) report('La cadena no termina donde el acta dice.')
  compareCounts('Papeletas', acta.papeletas, ballotCount)
  compareCounts('Anulaciones', acta.anulaciones.length, annulmentCount)
  compareCounts('Anuladas', acta.anulados, annulledVotes)
  let candidateVotes = 0
  for (const { nombre, votos } of acta.candidatas) {
    const counted = totals.get(nombre) ?? 0
    compareCounts(nombre, votos, counted)
    candidateVotes += counted
  }
  for (const { nombre, votos, regla } of acta.retiradas ?? [])
    if (nombre !== undefined && regla === 'nulos') compareCounts(nombre, votos, totals.get(nombre) ?? 0)
  const validBallots = ballotCount - annulledVotes
  compareCounts('Otros / inválidos', acta.otros, validBallots - candidateVotes)
  if (unlistedCount > 0) faults.push(`Y ${unlistedCount} fallas más.`)
  const checkedWitnesses = witnessComparison.end(acta)
  const isPublished = isSignedByKnown || checkedWitnesses.some(({ isProof }) => isProof)
  return {
    cover: head.cover,
    blockCount,
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
  for (const [index, { marca, votos }] of acta.anulaciones.entries()) {
    if (marca === undefined) {
      if (apertura.reglas) faults.push(`La anulación ${index + 1} no es de ninguna marca.`)
    } else if (annulledVotes[marca] === undefined)
      faults.push(`La anulación ${index + 1} nombra una marca que el acta no tiene.`)
    else annulledVotes[marca] += votos
  }
  const seenFlags = new Set<string>()
  for (const [index, { clase, origen, tramo, umbral, votos, anulados }] of marcas.entries()) {
    const rule = Object.hasOwn(RULE_OF, clase) ? reglas?.[RULE_OF[clase as keyof typeof RULE_OF]] : undefined
    const grownThreshold =
      clase === 'dominio' || clase === 'servicio' ? grownLimit(rule ?? 0, reglas!, acta.papeletas) : rule
    const followsRule =
      rule === undefined ? umbral === 0 : umbral >= rule && umbral <= (grownThreshold ?? rule) && votos > umbral
    if (!followsRule) faults.push(`La marca ${index + 1} no sigue las reglas publicadas.`)
    if (anulados > votos || annulledVotes[index]! > anulados)
      faults.push(`La marca ${index + 1} tiene otros votos anulados que sus anulaciones.`)
    const key = JSON.stringify([clase, origen, tramo])
    if (seenFlags.has(key)) faults.push(`La marca ${index + 1} está dos veces.`)
    seenFlags.add(key)
  }
  return faults
}

/** Returns the pairs of names that look alike: the same letters, but other blanks, case or invisible characters. */
function listLookalikes(names: readonly string[]): [string, string][] {
  const seenNames = new Map<string, string>()
  const pairs: [string, string][] = []
  for (const name of new Set(names)) {
    const looks = name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLocaleLowerCase('es')
    const other = seenNames.get(looks)
    if (other === undefined) seenNames.set(looks, name)
    else pairs.push([other, name])
  }
  return pairs
}
