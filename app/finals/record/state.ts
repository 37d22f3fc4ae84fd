import type { RecordEntry, RecordEntryOf, Rules, Scores } from './record-entries.ts'

interface SignedSheet {
  calificaciones: Scores
  levantada: string
}

/** A round's state is derived from the record's entries. */
export interface RoundState {
  /** Counts the rounds from 1. */
  number: number
  /** The ids of the round's candidates, also of those withdrawn since. */
  candidateIds: string[]
  /** The signed sheets by judge. */
  sheets: Map<number, SignedSheet>
  closing?: RecordEntryOf<'ronda-cerrada'>
}

/** A `Final` is an open or sealed final, derived from the record's entries. */
export interface Final {
  opening: RecordEntryOf<'final-abierta'>
  rules: Rules
  /** Gives each candidate's lot: in a tie, the smaller text goes first. */
  lots: ReadonlyMap<string, string>
  rounds: RoundState[]
  withdrawn: Map<string, { motivo: string; levantada: string }>
  reopenings: RecordEntryOf<'hoja-reabierta'>[]
  telephones: RecordEntryOf<'telefono'>[]
  closing?: RecordEntryOf<'cierre'>
}

/** A `State` is what an edition's entries add up to. */
export interface State {
  /** Undefined if no final is open, or the last one was annulled. */
  final?: Final
  /** The entries that annulled earlier openings. */
  annulments: RecordEntryOf<'final-anulada'>[]
}

export const initialState = (): State => ({ annulments: [] })

/** Returns the open round, or else the last closed one. */
export const latestRound = ({ rounds }: Final): RoundState | undefined => rounds.at(-1)

/** Returns the open round, which judges score now. */
export const roundInProgress = (final: Final): RoundState | undefined => {
  const latest = latestRound(final)
  return latest && !latest.closing ? latest : undefined
}

/** Returns the ids of a round's candidates who have not been withdrawn. */
export const activeCandidates = ({ withdrawn }: Final, { candidateIds }: Pick<RoundState, 'candidateIds'>): string[] =>
  candidateIds.filter((id) => !withdrawn.has(id))

/**
 * Returns the rules of a round. The round after the written ones breaks a tie for the crown, by the criteria of the last one and
 * from zero.
 */
export function roundRules({ rondas }: Rules, number: number): Rules['rondas'][number] {
  const { clase, criterios } = rondas.at(-1)!
  return rondas[number - 1] ?? { nombre: 'Desempate por la corona', clase, criterios, desdeCero: true }
}

export const hasTiebreakRound = ({ rounds, rules }: Final): boolean => rounds.length > rules.rondas.length

export const nameOf = ({ opening }: Final, candidate: string): string =>
  opening.candidatas.find(({ id }) => id === candidate)?.nombre ?? candidate

export const numberOf = ({ opening }: Final, candidate: string): number =>
  opening.candidatas.find(({ id }) => id === candidate)?.numero ?? 0

export const judgeOf = ({ opening }: Final, judge: number): string =>
  opening.jurado.find(({ numero }) => numero === judge)?.nombre ?? `Jurado ${judge}`

/**
 * Applies an entry to the state, unchecked: record-entry-rules.ts decides whether it may be appended.
 * @param lots lot by candidate, needed for an opening
 */
export function applyRecordEntry(state: State, recordEntry: RecordEntry, lots?: ReadonlyMap<string, string>): State {
  if (recordEntry.clase === 'final-abierta')
    return {
      ...state,
      final: {
        opening: recordEntry,
        rules: recordEntry.reglas,
        lots: lots ?? new Map(),
        rounds: [],
        withdrawn: new Map(),
        reopenings: [],
        telephones: [],
      },
    }
  const { final } = state
  if (!final) return state
  if (recordEntry.clase === 'final-anulada') return { annulments: [...state.annulments, recordEntry] }
  return { ...state, final: finalAfter(final, recordEntry) }
}

function finalAfter(
  final: Final,
  recordEntry: Exclude<RecordEntry, { clase: 'final-abierta' | 'final-anulada' }>,
): Final {
  const changeRound = (roundNumber: number, change: (one: RoundState) => RoundState) =>
    final.rounds.map((one) => (one.number === roundNumber ? change(one) : one))
  switch (recordEntry.clase) {
    case 'ronda-abierta': {
      const { ronda: number, candidatas } = recordEntry
      return {
        ...final,
        rounds: [...final.rounds, { number, candidateIds: candidatas, sheets: new Map() }],
      }
    }
    case 'hoja': {
      const { ronda: roundNumber, juez, calificaciones, levantada } = recordEntry
      return {
        ...final,
        rounds: changeRound(roundNumber, (one) => ({
          ...one,
          sheets: new Map(one.sheets).set(juez, { calificaciones, levantada }),
        })),
      }
    }
    case 'hoja-reabierta': {
      const withoutSheet = (one: RoundState) => ({
        ...one,
        sheets: new Map([...one.sheets].filter(([judge]) => judge !== recordEntry.juez)),
      })
      return {
        ...final,
        rounds: changeRound(recordEntry.ronda, withoutSheet),
        reopenings: [...final.reopenings, recordEntry],
      }
    }
    case 'telefono':
      return { ...final, telephones: [...final.telephones, recordEntry] }
    case 'retiro': {
      const { candidata, motivo, levantada } = recordEntry
      return { ...final, withdrawn: new Map(final.withdrawn).set(candidata, { motivo, levantada }) }
    }
    case 'ronda-cerrada':
      return { ...final, rounds: changeRound(recordEntry.ronda, (one) => ({ ...one, closing: recordEntry })) }
    case 'cierre':
      return { ...final, closing: recordEntry }
  }
}
