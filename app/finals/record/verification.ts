import { GENESIS_SEAL, sha256 } from '#app/voting/record/block-seal.ts'
import { isExact } from '#app/voting/record/file-lines.ts'
import { type RecordEntry, readingGuideFor, readRecordEntry, readRecordFile } from './record-entries.ts'
import { REFUSAL_MESSAGES, refusalOf } from './record-entry-rules.ts'
import { finalOrder, formatPoints, orderOf } from './scoring.ts'
import { applyRecordEntry, type Final, hasTiebreakRound, initialState, nameOf, type State } from './state.ts'

/** A final verification is the result of counting a final's record again from its file alone, in a browser or under Node. */
export interface FinalVerification {
  state: State
  entries: RecordEntry[]
  /** The seal of the last entry, as the file states it and the notary prints it. */
  seal: string
  /** Spanish sentences; without any, the sheets confirm the record. */
  faults: string[]
}

/** Draws lots from the seal of an opening. @returns lots by candidate; in a tie, the smaller text goes first */
export async function drawLots(
  { candidatas }: { candidatas: readonly { id: string }[] },
  seal: string,
): Promise<Map<string, string>> {
  return new Map(await Promise.all(candidatas.map(async ({ id }) => [id, await sha256(`${seal}\n${id}`)] as const)))
}

/** Returns whether a text begins like the file of a final's record. */
export const looksLikeFinalRecord = (text: string): boolean => /^\uFEFF?\s*\{\s*"final"\s*:/.test(text)

/** Counts a final's record again. @throws SyntaxError when the text is no record of a final */
export async function verifyFinal(text: string): Promise<FinalVerification> {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  const { final: cover, asientos: fileEntries } = readRecordFile(value)
  const faults: string[] = []
  if (!isExact(text.replace(/^\uFEFF/, ''), value))
    faults.push('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
  const recordEntries = fileEntries.map(readRecordEntry)
  let previousSeal = GENESIS_SEAL
  let state = initialState()
  for (const [at, recordEntry] of recordEntries.entries()) {
    const addFault = (fault: string) => faults.push(`Asiento ${at + 1} (${NAMES[recordEntry.clase]}): ${fault}`)
    if (recordEntry.numero !== at + 1) addFault(`lleva el número ${recordEntry.numero}.`)
    if (recordEntry.anterior !== previousSeal)
      addFault('no sigue al anterior: ese, o el orden, se cambió después de sellarse.')
    if (recordEntry.edicion !== recordEntries[0]!.edicion) addFault('es de otra edición.')
    const refusal = refusalOf(state, recordEntry)
    if (refusal === 'orden') for (const fault of listDifferences(state.final!, recordEntry)) addFault(fault)
    else if (refusal) addFault(REFUSAL_MESSAGES[refusal])
    const seal = await sha256(JSON.stringify(fileEntries[at]))
    state = applyRecordEntry(
      state,
      recordEntry,
      recordEntry.clase === 'final-abierta' ? await drawLots(recordEntry, seal) : undefined,
    )
    previousSeal = seal
  }
  if (previousSeal !== cover.sello) faults.push('El último asiento no tiene el sello que el archivo dice.')
  if (cover.lectura !== readingGuideFor(state.final !== undefined && hasTiebreakRound(state.final)))
    faults.push('La explicación de cómo leer el archivo no es la de este sitio.')
  if (!state.final?.closing) faults.push('El acta no está cerrada: le falta el último asiento.')
  return { state, entries: recordEntries, seal: cover.sello, faults }
}

const NAMES: Readonly<Record<RecordEntry['clase'], string>> = {
  'final-abierta': 'se abrió la final',
  'ronda-abierta': 'se abrió una ronda',
  hoja: 'hoja de un juez',
  'hoja-reabierta': 'se reabrió una hoja',
  telefono: 'cambió el teléfono de un juez',
  retiro: 'se retiró una candidata',
  'ronda-cerrada': 'se cerró una ronda',
  'final-anulada': 'se anuló lo anterior',
  cierre: 'se selló el acta',
}

/** Returns Spanish sentences about each place where the record's order or points differ from the sheets. */
function listDifferences(final: Final, recordEntry: RecordEntry): string[] {
  const recordedOrder = recordEntry.clase === 'ronda-cerrada' || recordEntry.clase === 'cierre' ? recordEntry.orden : []
  const lastRound = final.rounds.at(-1)
  const countedOrder: { candidata: string; total: number; titulo?: string }[] =
    recordEntry.clase === 'cierre' ? finalOrder(final) : lastRound ? orderOf(final, lastRound).order : []
  const differences = countedOrder.flatMap(({ candidata, total }, at) => {
    const recordedHere = recordedOrder[at]
    const declared = recordedOrder.find((one) => one.candidata === candidata)
    const candidateName = nameOf(final, candidata)
    return [
      ...(declared && declared.total !== total
        ? [
            `el acta da a ${candidateName} ${formatPoints(declared.total)} puntos, y las hojas dan ${formatPoints(total)}.`,
          ]
        : []),
      ...(recordedHere?.candidata !== candidata
        ? [
            `en el lugar ${at + 1} el acta dice ${recordedHere ? nameOf(final, recordedHere.candidata) : 'nadie'}, y las hojas dan a ${candidateName}.`,
          ]
        : []),
    ]
  })
  return differences.length > 0 ? differences : ['los títulos, o las rondas, no son los que dan las reglas.']
}
