// Longer than 350 lines: the rules of a final are tried on one small record, whose makers all tests share.
import { expect, test } from 'vitest'
import type { FinalRules, RecordContent, RecordEntry, SignedScores } from './record-entries.ts'
import { readReason, refusalOfEntry } from './record-entry-rules.ts'
import {
  crownTie,
  finalRanking,
  formatPoints,
  isAllowedScore,
  neededDecimals,
  nextRoundCandidates,
  pointsByJudge,
  pointsOf,
  rankingAfter,
} from './scoring.ts'
import { applyRecordEntry, type Final, initialState, type RecordState } from './state.ts'

const ronda = (name: string, more: Partial<FinalRules['rondas'][number]> = {}): FinalRules['rondas'][number] => ({
  nombre: name,
  clase: 'traje',
  desdeCero: false,
  criterios: [
    { nombre: 'Porte', peso: 40 },
    { nombre: 'Gracia', peso: 60 },
  ],
  ...more,
})
const RULES: FinalRules = {
  jueces: 5,
  medios: false,
  descarta: true,
  desempate: [],
  lugares: ['Reina', 'Princesa'],
  rondas: [ronda('Uno', { pasan: 2 }), ronda('Dos')],
}
const NAMES = ['ana', 'bea', 'cora']

let number = 0
const recordEntry = (done: RecordContent): RecordEntry =>
  ({
    ...done,
    edicion: 2025,
    numero: ++number,
    anterior: '0'.repeat(64),
    levantada: '2025-09-28T20:00:00Z',
  }) as RecordEntry
function following(state: RecordState, ...completed: RecordContent[]): RecordState {
  return completed.reduce((now, done) => {
    expect(refusalOfEntry(now, done)).toBeUndefined()
    return applyRecordEntry(now, recordEntry(done), new Map(NAMES.map((id, at) => [id, String(9 - at)])))
  }, state)
}
const opened = (rules: FinalRules = RULES) =>
  following(initialState(), {
    clase: 'final-abierta',
    reglas: rules,
    azar: 'a'.repeat(64),
    candidatas: NAMES.map((id, at) => ({ id, numero: at + 1, nombre: id })),
    jurado: Array.from({ length: rules.jueces }, (_, at) => ({ numero: at + 1, nombre: `Jurado ${at + 1}` })),
  })
const openNextRound = (state: RecordState): RecordState =>
  following(state, {
    clase: 'ronda-abierta',
    ronda: state.final!.rounds.length + 1,
    candidatas: nextRoundCandidates(state.final!),
  })
const sheet = (ronda: number, judge: number, scores: SignedScores): RecordContent => ({
  clase: 'hoja',
  ronda,
  juez: judge,
  calificaciones: scores,
})
const closes = (state: RecordState): RecordState =>
  following(state, {
    clase: 'ronda-cerrada',
    ronda: state.final!.rounds.length,
    sin: [],
    orden: rankingAfter(state.final!, state.final!.rounds.at(-1)!).order,
  })
/** Sheets of all judges in whole points, the same for both criteria. */
const all = (ronda: number, byJudge: number[][]): RecordContent[] =>
  byJudge.map((scores, at) =>
    sheet(ronda, at + 1, Object.fromEntries(scores.map((score, who) => [NAMES[who]!, [score * 10, score * 10]]))),
  )
const final = ({ final: its }: RecordState): Final => its!
const ids = (order: { candidata: string }[]) => order.map(({ candidata }) => candidata)

test('points are whole thousandths: nothing is rounded', () => {
  expect(pointsOf([85, 75], ronda('Uno').criterios)).toBe(7_900)
  expect(
    pointsOf(
      [10, 10],
      ronda('Uno', {
        criterios: [
          { nombre: 'x', peso: 33 },
          { nombre: 'y', peso: 67 },
        ],
      }).criterios,
    ),
  ).toBe(1_000)
  expect([formatPoints(27_350), formatPoints(1_005), formatPoints(0)]).toEqual(['27.350', '1.005', '0.000'])
  expect([formatPoints(27_350, 2), formatPoints(9_500, 1), formatPoints(30_000, 0)]).toEqual(['27.35', '9.5', '30'])
  expect([[30_000, 0], [30_000, 9_500], [27_350], [1_005], []].map(neededDecimals)).toEqual([0, 1, 2, 3, 0])
  // In floating point 0.1 + 0.2 is more than 0.3; in whole thousandths, equal points compare as equal.
  expect(
    pointsOf(
      [15, 25],
      [
        { nombre: 'a', peso: 50 },
        { nombre: 'b', peso: 50 },
      ],
    ),
  ).toBe(
    pointsOf(
      [25, 15],
      [
        { nombre: 'a', peso: 50 },
        { nombre: 'b', peso: 50 },
      ],
    ),
  )
})

test.each([
  [10, false, true],
  [100, false, true],
  [85, false, false],
  [85, true, true],
  [9, true, false],
  [0, true, false],
  [105, true, false],
  [83, true, false],
  [Number.NaN, true, false],
])('a score of %d tenths, half points %s: %s', (tenths, halfPoints, may) => {
  expect(isAllowedScore(tenths, { medios: halfPoints })).toBe(may)
})

test('drops one highest and one lowest of a candidate, and nothing where there are fewer than four sheets', () => {
  const five = following(
    openNextRound(opened()),
    ...all(1, [
      [10, 5, 5],
      [1, 5, 5],
      [8, 5, 5],
      [8, 5, 5],
      [10, 5, 5],
    ]),
  )
  const round = final(five).rounds[0]!
  expect(pointsByJudge(final(five), round, 'ana').map(({ isDropped }) => isDropped)).toEqual([
    false,
    true,
    false,
    false,
    true,
  ])
  expect(pointsByJudge(final(five), round, 'bea').filter(({ isDropped }) => isDropped)).toHaveLength(2)
  expect(rankingAfter(final(five), round).order[0]).toEqual({ candidata: 'ana', total: 26_000 })
  const three = following(
    openNextRound(opened({ ...RULES, jueces: 3 })),
    ...all(1, [
      [10, 5, 5],
      [1, 5, 5],
      [8, 5, 5],
    ]),
  )
  expect(rankingAfter(final(three), final(three).rounds[0]!).order[0]!.total).toBe(19_000)
})

test('a tie goes by the written rule, step by step, and last by the lot', () => {
  const rules: FinalRules = {
    ...RULES,
    jueces: 2,
    descarta: false,
    rondas: [ronda('Uno'), ronda('Dos', { desdeCero: true })],
    desempate: [{ ronda: 'Dos' }, { ronda: 'Uno', criterio: 'Gracia' }, { ronda: 'Uno' }],
  }
  // After round one, the rule's step about round two does not apply yet: «Gracia» decides for Bea.
  const one = following(
    openNextRound(opened(rules)),
    sheet(1, 1, { ana: [90, 30], bea: [60, 50], cora: [10, 10] }),
    sheet(1, 2, { ana: [50, 50], bea: [50, 50], cora: [10, 10] }),
  )
  expect(rankingAfter(final(one), final(one).rounds[0]!)).toEqual({
    order: [
      { candidata: 'bea', total: 10_400 },
      { candidata: 'ana', total: 10_400 },
      { candidata: 'cora', total: 2_000 },
    ],
    ties: [
      {
        first: 'bea',
        second: 'ana',
        total: 10_400,
        tieBreak: { kind: 'rule', roundName: 'Uno', criterion: 'Gracia', firstScore: 100, secondScore: 80 },
      },
    ],
  })
  // Round two starts from zero: round one counts only to break ties.
  const two = following(
    openNextRound(closes(one)),
    ...[1, 2].map((judge) => sheet(2, judge, { ana: [70, 70], bea: [70, 70], cora: [70, 70] })),
  )
  const { order, ties } = rankingAfter(final(two), final(two).rounds[1]!)
  expect(ids(order)).toEqual(['bea', 'ana', 'cora'])
  expect(order.map(({ total }) => total)).toEqual([14_000, 14_000, 14_000])
  expect(ties.map(({ tieBreak }) => tieBreak)).toEqual([
    { kind: 'rule', roundName: 'Uno', criterion: 'Gracia', firstScore: 100, secondScore: 80 },
    { kind: 'rule', roundName: 'Uno', criterion: 'Gracia', firstScore: 80, secondScore: 20 },
  ])
})

test('the lot is the last step: the smaller text goes first', () => {
  const even = following(
    openNextRound(opened()),
    ...all(
      1,
      Array.from({ length: 5 }, () => [7, 7, 7]),
    ),
  )
  const { order, ties } = rankingAfter(final(even), final(even).rounds[0]!)
  expect(ids(order)).toEqual(['cora', 'bea', 'ana'])
  expect(ties.map(({ tieBreak }) => tieBreak.kind)).toEqual(['lot', 'lot'])
})

test('advancing candidates, withdrawn candidates and the final ranking', () => {
  const one = closes(
    following(
      openNextRound(opened()),
      ...all(
        1,
        Array.from({ length: 5 }, () => [9, 8, 7]),
      ),
    ),
  )
  expect(nextRoundCandidates(final(one))).toEqual(['ana', 'bea'])
  // A candidate withdrawn before the next round makes room for the next one in the ranking.
  const without = following(one, { clase: 'retiro', candidata: 'ana', motivo: 'Se sintió mal y no sigue' })
  expect(nextRoundCandidates(final(without))).toEqual(['bea', 'cora'])
  const two = following(
    openNextRound(one),
    ...all(
      2,
      Array.from({ length: 5 }, () => [5, 8]),
    ),
  )
  const end = closes(following(two, { clase: 'retiro', candidata: 'ana', motivo: 'Se sintió mal y no sigue' }))
  expect(finalRanking(final(end))).toEqual([
    { lugar: 1, candidata: 'bea', ronda: 2, total: 48_000, titulo: 'Reina' },
    { lugar: 2, candidata: 'cora', ronda: 1, total: 21_000, titulo: 'Princesa' },
  ])
  expect(refusalOfEntry(end, { clase: 'cierre', orden: finalRanking(final(end)) })).toBeUndefined()
  expect(refusalOfEntry(end, { clase: 'cierre', orden: finalRanking(final(end)).toReversed() })).toBe('orden')
})

/** Both rounds are judged: Ana and Bea tie in everything, and the lot puts Bea first. */
const tied = (rules: FinalRules) => {
  const sheets = (ronda: number, scores: number[]) =>
    all(
      ronda,
      Array.from({ length: 5 }, () => scores),
    )
  const one = closes(following(openNextRound(opened(rules)), ...sheets(1, [9, 9, 7])))
  return closes(following(openNextRound(one), ...sheets(2, [8, 8])))
}

test('a tie for the crown that only the lot would break can have one more round, among those who tie', () => {
  const state = tied({ ...RULES, rondaDeDesempate: true })
  expect(crownTie(final(state))).toEqual(['bea', 'ana'])
  // The table may still leave it to the lot.
  expect(refusalOfEntry(state, { clase: 'cierre', orden: finalRanking(final(state)) })).toBeUndefined()
  expect(refusalOfEntry(state, { clase: 'ronda-abierta', ronda: 3, candidatas: NAMES })).toBe('otras-candidatas')
  const another = openNextRound(state)
  expect(final(another).rounds[2]!.candidateIds).toEqual(['ana', 'bea'])
  expect(refusalOfEntry(another, { clase: 'cierre', orden: finalRanking(final(another)) })).toBe('sin-terminar')
  const scored = closes(
    following(
      another,
      ...all(
        3,
        Array.from({ length: 5 }, () => [9, 8]),
      ),
    ),
  )
  // The round counts from zero, and those who did not take part keep their places behind.
  expect(finalRanking(final(scored))).toEqual([
    { lugar: 1, candidata: 'ana', ronda: 3, total: 27_000, titulo: 'Reina' },
    { lugar: 2, candidata: 'bea', ronda: 3, total: 24_000, titulo: 'Princesa' },
    { lugar: 3, candidata: 'cora', ronda: 1, total: 21_000 },
  ])
  expect(refusalOfEntry(scored, { clase: 'cierre', orden: finalRanking(final(scored)) })).toBeUndefined()
  // There is no second one: the lot decides.
  const even = closes(
    following(
      another,
      ...all(
        3,
        Array.from({ length: 5 }, () => [9, 9]),
      ),
    ),
  )
  expect(crownTie(final(even))).toEqual([])
  expect(refusalOfEntry(even, { clase: 'ronda-abierta', ronda: 4, candidatas: ['ana', 'bea'] })).toBe('otra-ronda')
  expect(ids(finalRanking(final(even)))).toEqual(['bea', 'ana', 'cora'])
})

test('no other round where the written rule breaks the tie, the crown is not tied, or the record says nothing of it', () => {
  const refusal = (state: RecordState) =>
    refusalOfEntry(state, { clase: 'ronda-abierta', ronda: 3, candidatas: nextRoundCandidates(final(state)) })
  expect(refusal(tied(RULES))).toBe('otra-ronda')
  const rules: FinalRules = { ...RULES, rondaDeDesempate: true, desempate: [{ ronda: 'Uno', criterio: 'Gracia' }] }
  const round = following(
    openNextRound(opened({ ...rules, rondas: [ronda('Uno')] })),
    ...[1, 2, 3, 4, 5].map((judge) => sheet(1, judge, { ana: [90, 50], bea: [60, 70], cora: [10, 10] })),
  )
  expect(rankingAfter(final(round), final(round).rounds[0]!).ties).toHaveLength(1)
  expect(crownTie(final(closes(round)))).toEqual([])
  const below = following(
    openNextRound(opened({ ...rules, desempate: [], rondas: [ronda('Uno')] })),
    ...all(
      1,
      Array.from({ length: 5 }, () => [9, 8, 8]),
    ),
  )
  expect(crownTie(final(closes(below)))).toEqual([])
  // Withdrawn, a candidate ties no more.
  const gone = { clase: 'retiro' as const, candidata: 'ana', motivo: 'Se sintió mal y no sigue' }
  expect(crownTie(final(following(tied({ ...RULES, rondaDeDesempate: true }), gone)))).toEqual([])
})

test('an entry that may not be appended is refused with a reason', () => {
  const open = opened()
  const round = openNextRound(open)
  const whole = { ana: [70, 70], bea: [70, 70], cora: [70, 70] }
  expect(refusalOfEntry(initialState(), sheet(1, 1, whole))).toBe('sin-abrir')
  expect(refusalOfEntry(open, sheet(1, 1, whole))).toBe('ronda-cerrada')
  expect(refusalOfEntry(round, sheet(2, 1, whole))).toBe('ronda-cerrada')
  expect(refusalOfEntry(round, sheet(1, 6, whole))).toBe('juez')
  expect(refusalOfEntry(round, sheet(1, 1, { ...whole, dora: [70, 70] }))).toBe('incompleta')
  expect(refusalOfEntry(round, sheet(1, 1, { ana: [70, 70], bea: [70, 70] }))).toBe('incompleta')
  expect(refusalOfEntry(round, sheet(1, 1, { ...whole, ana: [70] }))).toBe('incompleta')
  expect(refusalOfEntry(round, sheet(1, 1, { ...whole, ana: [70, 110] }))).toBe('escala')
  expect(refusalOfEntry(round, sheet(1, 1, { ...whole, ana: [70, 75] }))).toBe('escala')
  const signed = following(round, sheet(1, 1, whole))
  expect(refusalOfEntry(signed, sheet(1, 1, whole))).toBe('firmada')
  expect(refusalOfEntry(signed, { clase: 'ronda-abierta', ronda: 2, candidatas: NAMES })).toBe('ronda-abierta')
  expect(refusalOfEntry(signed, { clase: 'ronda-cerrada', ronda: 1, sin: [], orden: [] })).toBe('faltan')
  expect(refusalOfEntry(signed, { clase: 'hoja-reabierta', ronda: 1, juez: 2, motivo: 'x' })).toBe('sin-hoja')
  const again = following(signed, { clase: 'hoja-reabierta', ronda: 1, juez: 1, motivo: 'Se equivocó de renglón' })
  expect(refusalOfEntry(again, sheet(1, 1, whole))).toBeUndefined()
  expect(refusalOfEntry(signed, { clase: 'retiro', candidata: 'nadie', motivo: 'x' })).toBe('candidata')
  expect(refusalOfEntry(signed, { clase: 'cierre', orden: [] })).toBe('sin-terminar')
  // A round can close without a sheet that never arrives; the record gives the reason.
  const four = following(
    round,
    ...all(
      1,
      Array.from({ length: 4 }, () => [9, 8, 7]),
    ),
  )
  const close = {
    clase: 'ronda-cerrada' as const,
    ronda: 1,
    orden: rankingAfter(final(four), final(four).rounds[0]!).order,
  }
  expect(refusalOfEntry(four, { ...close, sin: [{ juez: 5, motivo: 'Se fue al hospital' }] })).toBeUndefined()
  expect(refusalOfEntry(four, { ...close, sin: [{ juez: 4, motivo: 'Se fue al hospital' }] })).toBe('faltan')
})

test('a withdrawn candidate may stand in a sheet that was on its way, or be left out', () => {
  const round = following(openNextRound(opened()), {
    clase: 'retiro',
    candidata: 'ana',
    motivo: 'Se sintió mal y no sigue',
  })
  expect(refusalOfEntry(round, sheet(1, 1, { ana: [70, 70], bea: [70, 70], cora: [70, 70] }))).toBeUndefined()
  expect(refusalOfEntry(round, sheet(1, 1, { bea: [70, 70], cora: [70, 70] }))).toBeUndefined()
})

test('an annulled final leaves nothing behind but the entry that says so', () => {
  const gone = following(openNextRound(opened()), { clase: 'final-anulada', motivo: 'Era el ensayo del jueves' })
  expect(gone.final).toBeUndefined()
  expect(gone.annulments).toHaveLength(1)
})

test('a reason is one line that says something', () => {
  expect(readReason('  Se fue\n la luz  del pueblo ')).toBe('Se fue la luz del pueblo')
  expect([readReason('error'), readReason(null), readReason('x'.repeat(301))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
