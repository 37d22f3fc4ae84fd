import { type Ballot, GENESIS_SEAL, MIN_BLOCK_BALLOTS, sealedText, sha256 } from './block-seal.ts'
import { checkClosingMoves } from './closing-moves.ts'
import { linesOf, parseAsWhole, parseLineByLine, type RecordLine, textOf } from './file-lines.ts'
import { checkRecordedFlags } from './recorded-flags.ts'
import { ballotNamesOf, type Cover, parseAnnulledReceipts, parseBlock, parseCover, readingGuideOf } from './schema.ts'
import { signedText, verifySignature } from './signature.ts'
import { type CheckedWitness, compareWitnesses, type Witness } from './witness.ts'

/** Evidence from outside the file, with which its record is compared, and a callback for the progress. */
interface VerificationOptions {
  /** Receipt mails and sellos.json files that were saved while the vote was open. */
  witnesses?: readonly Witness[]
  /** The site's public keys, as the caller knows them from elsewhere. */
  publicKeys?: readonly string[]
  /** Is called and awaited after each block, so that a page can show progress and stay responsive. */
  onBlock?: (ballotCount: number) => Promise<void> | void
}

export interface Verification {
  cover: Cover
  blockCount: number
  ballotCount: number
  /** Number of ballots that are not annulled. */
  validBallotCount: number
  /** Valid votes by name: first the candidates' names in the record, then other names. */
  totals: Map<string, number>
  /** Spanish sentences, without those about witnesses; empty if the file fits its record and the known keys. */
  faults: string[]
  /**
   * Whether a known key signed this file, or a witness fits it (`CheckedWitness.isProof`). May be true for a file with faults.
   * Without key and witness, even a file without faults may be forged.
   */
  isPublished: boolean
  checkedWitnesses: CheckedWitness[]
}

/** Note for a file without faults that neither a key nor a witness proves to be the site's, so that it may still be forged. */
export const UNPROVEN_ORIGIN_NOTE =
  'Pero este archivo solo no puede probar que sea el que publicó el sitio: quien cambie los votos también puede calcular otra vez todos los sellos. Compáralo con un correo de recibo o un sellos.json guardado durante la votación, o con la llave del sitio, que está en el acta de cero, en los recibos y en la página del acta.'

/** At most this many faults are listed. Further faults are counted. */
const MAX_FAULTS = 40

/**
 * Verifies the record in a file. Reads a file in the published layout line by line, and any other file as a whole.
 * @param openFile opens the file; called a second time to read it as a whole
 * @throws SyntaxError or TypeError if the file is no record; RangeError if it is too long to be read as a whole; errors of
 * `openFile`
 */
export async function verifyFile(
  openFile: () => AsyncIterable<Uint8Array>,
  options: VerificationOptions = {},
): Promise<Verification> {
  try {
    return await verifyLines(parseLineByLine(linesOf(textOf(openFile()))), options)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    let text = ''
    for await (const piece of textOf(openFile())) text += piece
    return verifyLines(parseAsWhole(text), options)
  }
}

/** Verifies the lines of a file in the published layout, like `verifyFile`. @throws SyntaxError for other lines */
export const verifyRecord = (lines: AsyncIterable<string>, options: VerificationOptions = {}): Promise<Verification> =>
  verifyLines(parseLineByLine(lines), options)

async function verifyLines(
  recordLines: AsyncIterable<RecordLine>,
  { witnesses = [], publicKeys = [], onBlock }: VerificationOptions,
): Promise<Verification> {
  const faults: string[] = []
  let unlistedCount = 0
  const addFault = (fault: string) => {
    if (faults.includes(fault)) return
    if (faults.length < MAX_FAULTS) faults.push(fault)
    else unlistedCount++
  }
  const onUnknown = (part: string) => (path: string) =>
    addFault(`${part} tiene un campo que ningún acta tiene: ${path}.`)
  const compareCounts = (label: string, recorded: number, counted: number) => {
    if (recorded !== counted) addFault(`${label}: el acta dice ${recorded} y las papeletas dan ${counted}.`)
  }

  let parsedCover: ReturnType<typeof parseCover> | undefined
  /** Hashed receipt of each ballot without an annulment → index of its name. */
  const receipts = new Map<string, number>()
  const witnessComparison = compareWitnesses(witnesses)
  const knownKeys = [...publicKeys, ...witnesses.flatMap((witness) => witness.publicKeys)]
  let isSignedByKnown = false
  let previousSeal = GENESIS_SEAL
  let blockCount = 0
  let ballotCount = 0
  /** Number of the latest block if it is smaller than the minimum, which is a fault unless it is the last block. */
  let smallBlockNumber: number | undefined
  let annulmentCount = 0
  let annulledVotes = 0
  const totals = new Map<string, number>()
  /** Each name on a candidate's ballots → the candidate's name in the record. */
  const recordNames = new Map<string, string>()
  const addVotes = (name: string, votes: number) => {
    const recordName = recordNames.get(name) ?? name
    totals.set(recordName, (totals.get(recordName) ?? 0) + votes)
  }

  async function checkCover(value: unknown): Promise<void> {
    parsedCover = parseCover(value, onUnknown('La portada'))
    const { acta, apertura, lectura, nombres, sello, selloApertura } = parsedCover.cover
    for (const candidate of acta.candidatas) {
      totals.set(candidate.nombre, 0)
      for (const name of ballotNamesOf(candidate)) {
        if (recordNames.has(name)) addFault(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, candidate.nombre)
      }
    }
    for (const withdrawnCandidate of acta.retiradas ?? [])
      checkWithdrawnCandidate(withdrawnCandidate, parsedCover.cover)
    const ids = acta.candidatas.flatMap(({ id }) => id ?? [])
    if (new Set(ids).size < ids.length) addFault('El acta cuenta dos veces a una candidata.')
    if (new Set(nombres).size < nombres.length) addFault('La lista de nombres tiene uno dos veces.')
    for (const [name, lookalike] of listLookalikes([...recordNames.keys(), ...nombres]))
      if (recordNames.get(name) !== recordNames.get(lookalike) || !recordNames.has(name))
        addFault(`«${name}» y «${lookalike}» se leen igual y se cuentan aparte.`)
    if ((await sha256(parsedCover.sealed.record)) !== sello) addFault('El sello del acta no corresponde a lo que dice.')
    if ((await sha256(parsedCover.sealed.opening)) !== selloApertura || acta.apertura !== selloApertura)
      addFault('El acta de cero no es la que el acta de cierre nombra.')
    const moves = await Promise.all(
      (parsedCover.cover.movidos ?? []).map(async (move, index) => ({
        ...move,
        sello: await sha256(parsedCover!.sealed.closingMoves[index]!),
      })),
    )
    for (const fault of checkClosingMoves({ ...apertura, sello: selloApertura }, moves)) addFault(fault)
    const comparableMove = (move: NonNullable<typeof acta.movidos>[number]) => [
      move.antes,
      move.ahora,
      move.motivo,
      move.levantada,
      move.sello,
    ]
    if (JSON.stringify(moves.map(comparableMove)) !== JSON.stringify((acta.movidos ?? []).map(comparableMove)))
      addFault('Las actas del cierre movido no son las que el acta de cierre nombra.')
    const lastMove = moves.at(-1)
    if (lastMove && !(Date.parse(acta.levantada) > Date.parse(lastMove.ahora)))
      addFault('El acta se levantó antes del cierre, que se había movido.')
    await checkSignature(parsedCover.cover)
    if (apertura.edicion !== acta.edicion) addFault('El acta de cero es de otra edición.')
    if (apertura.papeletas !== 0) addFault('El acta de cero no empieza en cero.')
    if (lectura !== readingGuideOf(acta)) addFault('La explicación de cómo leer el archivo no es la de este sitio.')
    if (apertura.reglas && JSON.stringify(apertura.reglas) !== JSON.stringify(acta.reglas))
      addFault('Las reglas del acta no son las que el acta de cero publicó antes.')
    for (const fault of checkRecordedFlags(parsedCover.cover)) addFault(fault)
    if ((acta.minimo ?? MIN_BLOCK_BALLOTS) < MIN_BLOCK_BALLOTS)
      addFault(`El acta permite cajas de menos de ${MIN_BLOCK_BALLOTS} papeletas.`)
  }

  async function checkSignature({ acta, apertura, sello, llave, firma }: Cover): Promise<void> {
    if (apertura.llave !== undefined && llave !== apertura.llave)
      addFault('El acta no está firmada con la llave que el acta de cero publicó.')
    if (knownKeys.length > 0 && (firma === undefined || !knownKeys.includes(llave ?? '')))
      return addFault('El acta no está firmada con la llave del sitio que tú conoces: no es el archivo que publicó.')
    if (llave === undefined || firma === undefined) return
    const isSigned = await verifySignature(llave, signedText(acta.edicion, sello), firma)
    if (isSigned === false) addFault('La firma no es de esta acta: lo que dice se cambió después de firmarse.')
    isSignedByKnown = isSigned === true && knownKeys.length > 0
  }

  function checkWithdrawnCandidate(
    withdrawnCandidate: NonNullable<Cover['acta']['retiradas']>[number],
    { acta: { candidatas, reglas, retiradas = [] } }: Cover,
  ): void {
    const { id, nombre, antes = [], votos, regla } = withdrawnCandidate
    const withdrawnName = nombre ?? id
    if (regla !== (reglas?.retiro ?? 'nulos')) addFault(`Los votos de ${withdrawnName} no siguen la regla publicada.`)
    if (retiradas.filter((other) => other.id === id).length > 1)
      addFault(`El acta retira dos veces a ${withdrawnName}.`)
    if (nombre === undefined && (votos > 0 || antes.length > 0))
      addFault(`El acta cuenta votos de ${withdrawnName} sin su nombre.`)
    const recordedCandidate = candidatas.find((candidate) => candidate.id === id)
    if (nombre === undefined || regla === 'nulos') {
      if (recordedCandidate) addFault(`El acta cuenta entre las candidatas a ${withdrawnName}, que se retiró.`)
      for (const name of ballotNamesOf(withdrawnCandidate)) {
        if (recordNames.has(name)) addFault(`El acta da el nombre «${name}» a dos candidatas.`)
        recordNames.set(name, withdrawnName)
      }
    } else if (
      recordedCandidate?.nombre !== nombre ||
      recordedCandidate.votos !== votos ||
      String(recordedCandidate.antes ?? []) !== String(antes)
    )
      addFault(`El acta no cuenta a ${withdrawnName} como dice su regla.`)
  }

  async function readBlockLine(value: unknown, { nombres, acta }: Cover): Promise<void> {
    const block = parseBlock(value, onUnknown(`La caja ${blockCount + 1}`))
    const nameIndexes = block.papeletas.map((text) => Number(text.slice(65)))
    let previousReceipt = ''
    const ballots: Ballot[] = block.papeletas.map((text, index) => {
      const receipt = text.slice(0, 64)
      const candidate = nombres[nameIndexes[index]!]
      if (candidate === undefined) addFault(`Una papeleta de la caja ${block.numero} no nombra a nadie.`)
      if (receipt < previousReceipt) addFault(`La caja ${block.numero} desordena papeletas.`)
      previousReceipt = receipt
      return { recibo: receipt, candidata: candidate ?? '' }
    })
    blockCount++
    ballotCount += ballots.length
    if (smallBlockNumber !== undefined)
      addFault(`La caja ${smallBlockNumber} tiene menos papeletas de las que una caja debe tener.`)
    smallBlockNumber = ballots.length < (acta.minimo ?? MIN_BLOCK_BALLOTS) ? block.numero : undefined
    if (ballots.length === 0) addFault(`La caja ${block.numero} está vacía.`)
    if (block.numero !== blockCount || block.anterior !== previousSeal)
      addFault(`La caja ${block.numero} no sigue a la anterior.`)
    if ((await sha256(sealedText(block.numero, block.anterior, ballots))) !== block.sello)
      addFault(`El sello de la caja ${block.numero} no corresponde a sus papeletas.`)
    previousSeal = block.sello
    witnessComparison.addBlock({ numero: block.numero, papeletas: ballots.length, sello: block.sello })
    for (const [index, { recibo, candidata }] of ballots.entries()) {
      addVotes(candidata, 1)
      if (receipts.has(recibo)) addFault(`Un recibo está dos veces: ${recibo}.`)
      else receipts.set(recibo, nameIndexes[index]!)
      witnessComparison.addBallot(recibo, block.numero)
    }
  }

  async function readAnnulment(value: unknown, { acta, nombres }: Cover): Promise<void> {
    const index = annulmentCount++
    const annulledReceipts = parseAnnulledReceipts(value, onUnknown(`La anulación ${index + 1}`))
    const recordedAnnulment = acta.anulaciones[index]
    if (!recordedAnnulment) return
    if (
      (await sha256(annulledReceipts.join('\n'))) !== recordedAnnulment.huella ||
      annulledReceipts.length !== recordedAnnulment.votos
    )
      addFault(`La anulación ${index + 1} no nombra los recibos que el acta dice.`)
    const annulledByName = new Map<string, number>()
    for (const receipt of annulledReceipts) {
      const nameIndex = receipts.get(receipt)
      receipts.delete(receipt)
      witnessComparison.addAnnulled(receipt, recordedAnnulment.motivo)
      if (nameIndex === undefined) {
        addFault(`La anulación ${index + 1} nombra una papeleta que no está en la cadena, o ya anulada.`)
        continue
      }
      const candidate = nombres[nameIndex] ?? ''
      annulledVotes++
      addVotes(candidate, -1)
      annulledByName.set(candidate, (annulledByName.get(candidate) ?? 0) + 1)
    }
    const isAsRecorded =
      Object.keys(recordedAnnulment.conteo).length === annulledByName.size &&
      [...annulledByName].every(
        ([name, votes]) => Object.hasOwn(recordedAnnulment.conteo, name) && recordedAnnulment.conteo[name] === votes,
      )
    if (!isAsRecorded) addFault(`La anulación ${index + 1} quita otros votos que los que el acta dice.`)
  }

  for await (const { section, value, isExact } of recordLines) {
    if (!isExact)
      addFault('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
    if (section === 'portada') await checkCover(value)
    else if (!parsedCover) throw new SyntaxError('Not a record of this site')
    else if (section === 'caja') {
      await readBlockLine(value, parsedCover.cover)
      await onBlock?.(ballotCount)
    } else await readAnnulment(value, parsedCover.cover)
  }
  if (!parsedCover) throw new SyntaxError('The file is empty')

  const { acta } = parsedCover.cover
  if (acta.cajas !== blockCount || acta.ultimoSello !== previousSeal)
    addFault('La cadena no termina donde el acta dice.')
  compareCounts('Papeletas', acta.papeletas, ballotCount)
  compareCounts('Anulaciones', acta.anulaciones.length, annulmentCount)
  compareCounts('Anuladas', acta.anulados, annulledVotes)
  let candidateVotes = 0
  for (const { nombre, votos } of acta.candidatas) {
    const countedVotes = totals.get(nombre) ?? 0
    compareCounts(nombre, votos, countedVotes)
    candidateVotes += countedVotes
  }
  for (const { nombre, votos, regla } of acta.retiradas ?? [])
    if (nombre !== undefined && regla === 'nulos') compareCounts(nombre, votos, totals.get(nombre) ?? 0)
  const validBallotCount = ballotCount - annulledVotes
  compareCounts('Otros / inválidos', acta.otros, validBallotCount - candidateVotes)
  if (unlistedCount > 0) faults.push(`Y ${unlistedCount} fallas más.`)
  const checkedWitnesses = witnessComparison.finish(acta)
  const isPublished = isSignedByKnown || checkedWitnesses.some(({ isProof }) => isProof)
  return {
    cover: parsedCover.cover,
    blockCount,
    ballotCount,
    validBallotCount,
    totals,
    faults,
    isPublished,
    checkedWitnesses,
  }
}

/** Lists the pairs of names that differ only in blanks, case, compatibility forms (NFKC) or invisible characters. */
function listLookalikes(names: readonly string[]): [string, string][] {
  const seenNames = new Map<string, string>()
  const lookalikes: [string, string][] = []
  for (const name of new Set(names)) {
    const normalizedName = name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLocaleLowerCase('es')
    const earlierName = seenNames.get(normalizedName)
    if (earlierName === undefined) seenNames.set(normalizedName, name)
    else lookalikes.push([earlierName, name])
  }
  return lookalikes
}
