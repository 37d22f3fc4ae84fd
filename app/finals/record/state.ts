import type { RecordEntry, RecordEntryOf, Rules, Scores } from './record-entries.ts'

interface SignedSheet {
  calificaciones: Scores
  levantada: string
}

/** A round, derived from the record's entries. */
export interface RoundState {
  /** From 1. */
  numero: number
  /** Ids. */
  candidatas: string[]
  /** Signed sheets by judge. */
  hojas: Map<number, SignedSheet>
  abierta: string
  cerrada?: RecordEntryOf<'ronda-cerrada'>
}

/** An open or sealed final, derived from the record's entries. */
export interface Final {
  apertura: RecordEntryOf<'final-abierta'>
  reglas: Rules
  /** Lot by candidate: in a tie, the smaller text goes first. */
  sorteo: ReadonlyMap<string, string>
  rondas: RoundState[]
  retiradas: Map<string, { motivo: string; levantada: string }>
  reabiertas: RecordEntryOf<'hoja-reabierta'>[]
  telephones: RecordEntryOf<'telefono'>[]
  cierre?: RecordEntryOf<'cierre'>
}

/** The state that an edition's entries add up to. */
export interface State {
  /** Undefined: no final is open, or the last one was annulled. */
  final?: Final
  /** Openings that were annulled. */
  anuladas: RecordEntryOf<'final-anulada'>[]
}

export const initialState = (): State => ({ anuladas: [] })

/** The open round, or else the last closed one. */
export const ultimaRonda = ({ rondas }: Final): RoundState | undefined => rondas.at(-1)

/** The open round, which judges score now. */
export const roundInProgress = (final: Final): RoundState | undefined => {
  const ultima = ultimaRonda(final)
  return ultima && !ultima.cerrada ? ultima : undefined
}

/** Ids of a round's candidates who have not been withdrawn. */
export const activeCandidates = ({ retiradas }: Final, { candidatas }: Pick<RoundState, 'candidatas'>): string[] =>
  candidatas.filter((id) => !retiradas.has(id))

export const nameOf = ({ apertura }: Final, candidate: string): string =>
  apertura.candidatas.find(({ id }) => id === candidate)?.nombre ?? candidate

export const numberOf = ({ apertura }: Final, candidate: string): number =>
  apertura.candidatas.find(({ id }) => id === candidate)?.numero ?? 0

export const judgeOf = ({ apertura }: Final, judge: number): string =>
  apertura.jurado.find(({ numero }) => numero === judge)?.nombre ?? `Jurado ${judge}`

/**
 * Applies an entry to the state, unchecked: record-entry-rules.ts decides whether it may be appended.
 * @param lots lot by candidate, needed for an opening
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
