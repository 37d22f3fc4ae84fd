import type { RecordEntry, RecordEntryOf, Rules, Scores } from './record-entries.ts'

interface SignedSheet {
  calificaciones: Scores
  levantada: string
}

/** A round as the entries tell it. */
export interface RoundState {
  /** From 1. */
  numero: number
  /** Who is in it, by id. */
  candidatas: string[]
  /** Signed sheets by judge. */
  hojas: Map<number, SignedSheet>
  abierta: string
  cerrada?: RecordEntryOf<'ronda-cerrada'>
}

/** A final that was opened, as its entries tell it so far. */
export interface Final {
  apertura: RecordEntryOf<'final-abierta'>
  reglas: Rules
  /** Place in the lot by candidate: the smaller text goes first. */
  sorteo: ReadonlyMap<string, string>
  rondas: RoundState[]
  retiradas: Map<string, { motivo: string; levantada: string }>
  reabiertas: RecordEntryOf<'hoja-reabierta'>[]
  telephones: RecordEntryOf<'telefono'>[]
  cierre?: RecordEntryOf<'cierre'>
}

/** What the entries of an edition say so far. */
export interface State {
  /** The final; undefined: none is open, or the last one was annulled. */
  final?: Final
  /** Openings that were annulled. */
  anuladas: RecordEntryOf<'final-anulada'>[]
}

export const initialState = (): State => ({ anuladas: [] })

/** The round that is under way, or the last one. */
export const ultimaRonda = ({ rondas }: Final): RoundState | undefined => rondas.at(-1)

/** The round in which judges write now. */
export const roundInProgress = (final: Final): RoundState | undefined => {
  const ultima = ultimaRonda(final)
  return ultima && !ultima.cerrada ? ultima : undefined
}

/** Those of a round who have not been withdrawn. */
export const activeCandidates = ({ retiradas }: Final, { candidatas }: Pick<RoundState, 'candidatas'>): string[] =>
  candidatas.filter((id) => !retiradas.has(id))

export const nameOf = ({ apertura }: Final, candidate: string): string =>
  apertura.candidatas.find(({ id }) => id === candidate)?.nombre ?? candidate

export const numberOf = ({ apertura }: Final, candidate: string): number =>
  apertura.candidatas.find(({ id }) => id === candidate)?.numero ?? 0

export const judgeOf = ({ apertura }: Final, judge: number): string =>
  apertura.jurado.find(({ numero }) => numero === judge)?.nombre ?? `Jurado ${judge}`

/**
 * Takes an entry in. It is not judged here (reglas.ts).
 * @param lots places in the lot, which an opening brings with it
 */
export function applyRecordEntry(state: State, recordEntry: RecordEntry, lots?: ReadonlyMap<string, string>): State {
  if (recordEntry.clase === 'final-abierta')
    return {
      ...state,
      final: {
        ...{ apertura: recordEntry, reglas: recordEntry.reglas, sorteo: lots ?? new Map() },
        ...{ rondas: [], retiradas: new Map(), reabiertas: [], telephones: [] },
      },
    }
  const { final } = state
  if (!final) return state
  if (recordEntry.clase === 'final-anulada') return { anuladas: [...state.anuladas, recordEntry] }
  return { ...state, final: finalAfter(final, recordEntry) }
}

function finalAfter(
  final: Final,
  recordEntry: Exclude<RecordEntry, { clase: 'final-abierta' | 'final-anulada' }>,
): Final {
  const at = (ronda: number, change: (one: RoundState) => RoundState) =>
    final.rondas.map((one) => (one.numero === ronda ? change(one) : one))
  switch (recordEntry.clase) {
    case 'ronda-abierta': {
      const { ronda: number, candidatas, levantada: opened } = recordEntry
      return { ...final, rondas: [...final.rondas, { numero: number, candidatas, hojas: new Map(), abierta: opened }] }
    }
    case 'hoja': {
      const { ronda, juez, calificaciones, levantada } = recordEntry
      return {
        ...final,
        rondas: at(ronda, (one) => ({ ...one, hojas: new Map(one.hojas).set(juez, { calificaciones, levantada }) })),
      }
    }
    case 'hoja-reabierta': {
      const without = (one: RoundState) => ({
        ...one,
        hojas: new Map([...one.hojas].filter(([judge]) => judge !== recordEntry.juez)),
      })
      return { ...final, rondas: at(recordEntry.ronda, without), reabiertas: [...final.reabiertas, recordEntry] }
    }
    case 'telefono':
      return { ...final, telephones: [...final.telephones, recordEntry] }
    case 'retiro': {
      const { candidata, motivo, levantada } = recordEntry
      return { ...final, retiradas: new Map(final.retiradas).set(candidata, { motivo, levantada }) }
    }
    case 'ronda-cerrada':
      return { ...final, rondas: at(recordEntry.ronda, (one) => ({ ...one, cerrada: recordEntry })) }
    case 'cierre':
      return { ...final, cierre: recordEntry }
  }
}
