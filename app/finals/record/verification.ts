import { GENESIS_SEAL, sha256 } from '#app/voting/record/block-seal.ts'
import { isExact } from '#app/voting/record/file-lines.ts'
import { parseRecordEntry, parseRecordFile, type RecordEntry, readingGuideOf } from './record-entries.ts'
import { RECORD_REFUSAL_MESSAGES, refusalOfEntry } from './record-entry-rules.ts'
import { finalRanking, formatPoints, rankingAfter } from './scoring.ts'
import {
  applyRecordEntry,
  candidateNameOf,
  type Final,
  hasTiebreakRound,
  initialState,
  type RecordState,
} from './state.ts'

/** The result of verifying a final's record from its file alone. */
export interface FinalVerification {
  state: RecordState
  entries: RecordEntry[]
  /** Seal of the last entry, as the file states it and the notary prints it. */
  seal: string
  /** Spanish sentences; empty if the record is sealed, seals and rules confirm all entries, and the file is as the site writes it. */
  faults: string[]
}

/** Draws lots from the seal of an opening. @returns lots by candidate; in a tie, the smaller text goes first */
export async function drawLots(
  { candidatas }: { candidatas: readonly { id: string }[] },
  seal: string,
): Promise<Map<string, string>> {
  return new Map(await Promise.all(candidatas.map(async ({ id }) => [id, await sha256(`${seal}\n${id}`)] as const)))
}

/** Returns whether a text begins like the file of a record of a final. */
export const looksLikeFinalRecord = (text: string): boolean => /^\uFEFF?\s*\{\s*"final"\s*:/.test(text)

/** Verifies a record of a final by counting it again. @throws SyntaxError if the text is no record of a final */
export async function verifyFinal(text: string): Promise<FinalVerification> {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  const { final: cover, asientos: entryValues } = parseRecordFile(value)
  const faults: string[] = []
  if (!isExact(text.replace(/^\uFEFF/, ''), value))
    faults.push('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
  const recordEntries = entryValues.map(parseRecordEntry)
  let previousSeal = GENESIS_SEAL
  let state = initialState()
  for (const [index, recordEntry] of recordEntries.entries()) {
    const addFault = (fault: string) =>
      faults.push(`Asiento ${index + 1} (${ENTRY_NAMES[recordEntry.clase]}): ${fault}`)
    if (recordEntry.numero !== index + 1) addFault(`lleva el número ${recordEntry.numero}.`)
    if (recordEntry.anterior !== previousSeal)
      addFault('no sigue al anterior: ese, o el orden, se cambió después de sellarse.')
    if (recordEntry.edicion !== recordEntries[0]!.edicion) addFault('es de otra edición.')
    const refusal = refusalOfEntry(state, recordEntry)
    if (refusal === 'orden') for (const fault of listRankingDifferences(state.final!, recordEntry)) addFault(fault)
    else if (refusal) addFault(RECORD_REFUSAL_MESSAGES[refusal])
    const seal = await sha256(JSON.stringify(entryValues[index]))
    state = applyRecordEntry(
      state,
      recordEntry,
      recordEntry.clase === 'final-abierta' ? await drawLots(recordEntry, seal) : undefined,
    )
    previousSeal = seal
  }
  if (previousSeal !== cover.sello) faults.push('El último asiento no tiene el sello que el archivo dice.')
  if (cover.lectura !== readingGuideOf(state.final !== undefined && hasTiebreakRound(state.final)))
    faults.push('La explicación de cómo leer el archivo no es la de este sitio.')
  if (!state.final?.closing) faults.push('El acta no está cerrada: le falta el último asiento.')
  return { state, entries: recordEntries, seal: cover.sello, faults }
}

const ENTRY_NAMES: Readonly<Record<RecordEntry['clase'], string>> = {
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

/**
 * Returns sentences about the places where the record's ranking or points differ from the sheets. If neither differs, the
 * sentence is about titles and rounds.
 */
function listRankingDifferences(final: Final, recordEntry: RecordEntry): string[] {
  const recordedOrder = recordEntry.clase === 'ronda-cerrada' || recordEntry.clase === 'cierre' ? recordEntry.orden : []
  const lastRound = final.rounds.at(-1)
  const countedOrder: { candidata: string; total: number; titulo?: string }[] =
    recordEntry.clase === 'cierre' ? finalRanking(final) : lastRound ? rankingAfter(final, lastRound).order : []
  const differences = countedOrder.flatMap(({ candidata, total }, index) => {
    const recordedAtRank = recordedOrder[index]
    const recordedStanding = recordedOrder.find((standing) => standing.candidata === candidata)
    const candidateName = candidateNameOf(final, candidata)
    return [
      ...(recordedStanding && recordedStanding.total !== total
        ? [
            `el acta da a ${candidateName} ${formatPoints(recordedStanding.total)} puntos, y las hojas dan ${formatPoints(total)}.`,
          ]
        : []),
      ...(recordedAtRank?.candidata !== candidata
        ? [
            `en el lugar ${index + 1} el acta dice ${recordedAtRank ? candidateNameOf(final, recordedAtRank.candidata) : 'nadie'}, y las hojas dan a ${candidateName}.`,
          ]
        : []),
    ]
  })
  return differences.length > 0 ? differences : ['los títulos, o las rondas, no son los que dan las reglas.']
}
