import type { FinalRules, RecordEntry, RecordEntryOf, SignedScores } from './record-entries.ts'

interface SignedSheet {
  calificaciones: SignedScores
  levantada: string
}

export interface RoundState {
  /** Number of the round, from 1. */
  number: number
  /** Ids of the round's candidates, also of those withdrawn since. */
  candidateIds: string[]
  /** Signed sheets by the judge's number. */
  sheets: Map<number, SignedSheet>
  closing?: RecordEntryOf<'ronda-cerrada'>
}

/** An open or sealed final, derived from the record's entries. */
export interface Final {
  opening: RecordEntryOf<'final-abierta'>
  rules: FinalRules
  /** Lot of each candidate. If all other steps of the tie rule are equal, the alphabetically smaller lot goes first. */
  lots: ReadonlyMap<string, string>
  rounds: RoundState[]
  withdrawn: Map<string, { motivo: string; levantada: string }>
  reopenings: RecordEntryOf<'hoja-reabierta'>[]
  /** Revocations of judges' telephones, with or without a new link. */
  phoneChanges: RecordEntryOf<'telefono'>[]
  closing?: RecordEntryOf<'cierre'>
}

export interface RecordState {
  /** Undefined before a final is opened, and after it is annulled. */
  final?: Final
  /** Entries that annulled earlier openings. */
  annulments: RecordEntryOf<'final-anulada'>[]
}

export const initialState = (): RecordState => ({ annulments: [] })

/** Returns the open round or, without one, the last closed one. */
export const latestRoundOf = ({ rounds }: Final): RoundState | undefined => rounds.at(-1)

/** Returns the open round, which the judges are scoring; undefined if no round is open. */
export const openRoundOf = (final: Final): RoundState | undefined => {
  const latestRound = latestRoundOf(final)
  return latestRound && !latestRound.closing ? latestRound : undefined
}

/** Returns the ids of a round's candidates who have not been withdrawn. */
export const activeCandidateIds = (
  { withdrawn }: Final,
  { candidateIds }: Pick<RoundState, 'candidateIds'>,
): string[] => candidateIds.filter((id) => !withdrawn.has(id))

/**
 * Returns the rules of a round. A round beyond those in the rules is the tiebreak for the crown: it has the criteria of the last
 * round in the rules, and its points start from zero.
 */
export function rulesOfRound({ rondas }: FinalRules, roundNumber: number): FinalRules['rondas'][number] {
  const { clase, criterios } = rondas.at(-1)!
  return rondas[roundNumber - 1] ?? { nombre: 'Desempate por la corona', clase, criterios, desdeCero: true }
}

export const hasTiebreakRound = ({ rounds, rules }: Final): boolean => rounds.length > rules.rondas.length

/** Returns a candidate's name, or her id if the opening does not list her. */
export const candidateNameOf = ({ opening }: Final, candidate: string): string =>
  opening.candidatas.find(({ id }) => id === candidate)?.nombre ?? candidate

/** Returns a candidate's number, or 0 if the opening does not list her. */
export const candidateNumberOf = ({ opening }: Final, candidate: string): number =>
  opening.candidatas.find(({ id }) => id === candidate)?.numero ?? 0

/** Returns a judge's name, or «Jurado» with the judge's number if the opening does not list the judge. */
export const judgeNameOf = ({ opening }: Final, judge: number): string =>
  opening.jurado.find(({ numero }) => numero === judge)?.nombre ?? `Jurado ${judge}`

/**
 * Applies an entry to the state without checking it (record-entry-rules.ts checks entries). A state without a final stays the
 * same, unless the entry opens one.
 * @param lots by candidate, needed for an opening
 */
export function applyRecordEntry(
  state: RecordState,
  recordEntry: RecordEntry,
  lots?: ReadonlyMap<string, string>,
): RecordState {
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
        phoneChanges: [],
      },
    }
  const { final } = state
  if (!final) return state
  if (recordEntry.clase === 'final-anulada') return { annulments: [...state.annulments, recordEntry] }
  return { ...state, final: applyToFinal(final, recordEntry) }
}

function applyToFinal(
  final: Final,
  recordEntry: Exclude<RecordEntry, { clase: 'final-abierta' | 'final-anulada' }>,
): Final {
  const changeRound = (roundNumber: number, change: (round: RoundState) => RoundState) =>
    final.rounds.map((round) => (round.number === roundNumber ? change(round) : round))
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
        rounds: changeRound(roundNumber, (round) => ({
          ...round,
          sheets: new Map(round.sheets).set(juez, { calificaciones, levantada }),
        })),
      }
    }
    case 'hoja-reabierta': {
      const withoutSheet = (round: RoundState) => ({
        ...round,
        sheets: new Map([...round.sheets].filter(([judge]) => judge !== recordEntry.juez)),
      })
      return {
        ...final,
        rounds: changeRound(recordEntry.ronda, withoutSheet),
        reopenings: [...final.reopenings, recordEntry],
      }
    }
    case 'telefono':
      return { ...final, phoneChanges: [...final.phoneChanges, recordEntry] }
    case 'retiro': {
      const { candidata, motivo, levantada } = recordEntry
      return { ...final, withdrawn: new Map(final.withdrawn).set(candidata, { motivo, levantada }) }
    }
    case 'ronda-cerrada':
      return { ...final, rounds: changeRound(recordEntry.ronda, (round) => ({ ...round, closing: recordEntry })) }
    case 'cierre':
      return { ...final, closing: recordEntry }
  }
}
