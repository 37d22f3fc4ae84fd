import { expect, test } from 'vitest'
import type { Asiento, Calificaciones, Hecho, Reglas } from './record-entries.ts'
import { objeta, readMotivo } from './record-entry-rules.ts'
import { enPuntos, isCalificacion, ordenDe, ordenFinal, puntosDe, puntosPorJuez, quienesEntran } from './scoring.ts'
import { anotaAsiento, type Estado, estadoInicial, type Final } from './state.ts'

const ronda = (nombre: string, more: Partial<Reglas['rondas'][number]> = {}): Reglas['rondas'][number] => ({
  ...{ nombre, clase: 'traje', desdeCero: false },
  criterios: [
    { nombre: 'Porte', peso: 40 },
    { nombre: 'Gracia', peso: 60 },
  ],
  ...more,
})
const REGLAS: Reglas = {
  ...{ jueces: 5, medios: false, descarta: true, desempate: [], lugares: ['Reina', 'Princesa'] },
  rondas: [ronda('Uno', { pasan: 2 }), ronda('Dos')],
}
const NOMBRES = ['ana', 'bea', 'cora']

let numero = 0
const asiento = (hecho: Hecho): Asiento =>
  ({
    ...hecho,
    edicion: 2025,
    numero: ++numero,
    anterior: '0'.repeat(64),
    levantada: '2025-09-28T20:00:00Z',
  }) as Asiento
function tras(estado: Estado, ...hechos: Hecho[]): Estado {
  return hechos.reduce((now, hecho) => {
    expect(objeta(now, hecho)).toBeUndefined()
    return anotaAsiento(now, asiento(hecho), new Map(NOMBRES.map((id, at) => [id, String(9 - at)])))
  }, estado)
}
const abierta = (reglas: Reglas = REGLAS) =>
  tras(estadoInicial(), {
    ...{ clase: 'final-abierta', reglas, azar: 'a'.repeat(64) },
    candidatas: NOMBRES.map((id, at) => ({ id, numero: at + 1, nombre: id })),
    jurado: Array.from({ length: reglas.jueces }, (_, at) => ({ numero: at + 1, nombre: `Jurado ${at + 1}` })),
  })
const abreRonda = (estado: Estado): Estado =>
  tras(estado, {
    ...{ clase: 'ronda-abierta', ronda: estado.final!.rondas.length + 1 },
    candidatas: quienesEntran(estado.final!),
  })
const hoja = (ronda: number, juez: number, calificaciones: Calificaciones): Hecho => ({
  ...{ clase: 'hoja', ronda, juez, calificaciones },
})
const cierra = (estado: Estado): Estado =>
  tras(estado, {
    ...{ clase: 'ronda-cerrada', ronda: estado.final!.rondas.length, sin: [] },
    orden: ordenDe(estado.final!, estado.final!.rondas.at(-1)!).orden,
  })
/** Whole marks: the same for both criteria. */
const todas = (ronda: number, porJuez: number[][]): Hecho[] =>
  porJuez.map((marks, at) =>
    hoja(ronda, at + 1, Object.fromEntries(marks.map((mark, who) => [NOMBRES[who]!, [mark * 10, mark * 10]]))),
  )
const final = ({ final: its }: Estado): Final => its!
const ids = (orden: { candidata: string }[]) => orden.map(({ candidata }) => candidata)

test('points are whole thousandths: nothing is rounded', () => {
  expect(puntosDe([85, 75], ronda('Uno').criterios)).toBe(7_900)
  expect(
    puntosDe(
      [10, 10],
      ronda('Uno', {
        criterios: [
          { nombre: 'x', peso: 33 },
          { nombre: 'y', peso: 67 },
        ],
      }).criterios,
    ),
  ).toBe(1_000)
  expect([enPuntos(27_350), enPuntos(1_005), enPuntos(0)]).toEqual(['27.350', '1.005', '0.000'])
  // In floating point 0.1 + 0.2 is more than 0.3; here two ways to the same points are the same points.
  expect(
    puntosDe(
      [15, 25],
      [
        { nombre: 'a', peso: 50 },
        { nombre: 'b', peso: 50 },
      ],
    ),
  ).toBe(
    puntosDe(
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
])('a score of %d tenths, half points %s: %s', (decimas, medios, may) => {
  expect(isCalificacion(decimas, { medios })).toBe(may)
})

test('drops one highest and one lowest of a candidate, and nothing where there are fewer than four sheets', () => {
  const five = tras(
    abreRonda(abierta()),
    ...todas(1, [
      [10, 5, 5],
      [1, 5, 5],
      [8, 5, 5],
      [8, 5, 5],
      [10, 5, 5],
    ]),
  )
  const round = final(five).rondas[0]!
  expect(puntosPorJuez(final(five), round, 'ana').map(({ fuera }) => fuera)).toEqual([false, true, false, false, true])
  expect(puntosPorJuez(final(five), round, 'bea').filter(({ fuera }) => fuera)).toHaveLength(2)
  expect(ordenDe(final(five), round).orden[0]).toEqual({ candidata: 'ana', total: 26_000 })
  const three = tras(
    abreRonda(abierta({ ...REGLAS, jueces: 3 })),
    ...todas(1, [
      [10, 5, 5],
      [1, 5, 5],
      [8, 5, 5],
    ]),
  )
  expect(ordenDe(final(three), final(three).rondas[0]!).orden[0]!.total).toBe(19_000)
})

test('a tie goes by the written rule, step by step, and last by the lot', () => {
  const reglas: Reglas = {
    ...REGLAS,
    ...{ jueces: 2, descarta: false, rondas: [ronda('Uno'), ronda('Dos', { desdeCero: true })] },
    desempate: [{ ronda: 'Dos' }, { ronda: 'Uno', criterio: 'Gracia' }, { ronda: 'Uno' }],
  }
  // In the first round the second one cannot be looked at yet: «Gracia» decides for Bea.
  const one = tras(
    abreRonda(abierta(reglas)),
    hoja(1, 1, { ana: [90, 30], bea: [60, 50], cora: [10, 10] }),
    hoja(1, 2, { ana: [50, 50], bea: [50, 50], cora: [10, 10] }),
  )
  expect(ordenDe(final(one), final(one).rondas[0]!)).toEqual({
    orden: [
      { candidata: 'bea', total: 10_400 },
      { candidata: 'ana', total: 10_400 },
      { candidata: 'cora', total: 2_000 },
    ],
    empates: [
      {
        antes: 'bea',
        despues: 'ana',
        total: 10_400,
        por: { que: 'regla', ronda: 'Uno', criterio: 'Gracia', uno: 100, otro: 80 },
      },
    ],
  })
  // From zero: the first round counts only where there is a tie.
  const two = tras(
    abreRonda(cierra(one)),
    ...[1, 2].map((juez) => hoja(2, juez, { ana: [70, 70], bea: [70, 70], cora: [70, 70] })),
  )
  const { orden, empates } = ordenDe(final(two), final(two).rondas[1]!)
  expect(ids(orden)).toEqual(['bea', 'ana', 'cora'])
  expect(orden.map(({ total }) => total)).toEqual([14_000, 14_000, 14_000])
  expect(empates.map(({ por }) => por)).toEqual([
    { que: 'regla', ronda: 'Uno', criterio: 'Gracia', uno: 100, otro: 80 },
    { que: 'regla', ronda: 'Uno', criterio: 'Gracia', uno: 80, otro: 20 },
  ])
})

test('the lot is the last step: the smaller text goes first', () => {
  const even = tras(
    abreRonda(abierta()),
    ...todas(
      1,
      Array.from({ length: 5 }, () => [7, 7, 7]),
    ),
  )
  const { orden, empates } = ordenDe(final(even), final(even).rondas[0]!)
  expect(ids(orden)).toEqual(['cora', 'bea', 'ana'])
  expect(empates.map(({ por }) => por.que)).toEqual(['sorteo', 'sorteo'])
})

test('who goes on, who was withdrawn, and the last order', () => {
  const one = cierra(
    tras(
      abreRonda(abierta()),
      ...todas(
        1,
        Array.from({ length: 5 }, () => [9, 8, 7]),
      ),
    ),
  )
  expect(quienesEntran(final(one))).toEqual(['ana', 'bea'])
  // Whoever is withdrawn before the next round makes place for the one after her.
  const without = tras(one, { clase: 'retiro', candidata: 'ana', motivo: 'Se sintió mal y no sigue' })
  expect(quienesEntran(final(without))).toEqual(['bea', 'cora'])
  const two = tras(
    abreRonda(one),
    ...todas(
      2,
      Array.from({ length: 5 }, () => [5, 8]),
    ),
  )
  const end = cierra(tras(two, { clase: 'retiro', candidata: 'ana', motivo: 'Se sintió mal y no sigue' }))
  expect(ordenFinal(final(end))).toEqual([
    { lugar: 1, candidata: 'bea', ronda: 2, total: 48_000, titulo: 'Reina' },
    { lugar: 2, candidata: 'cora', ronda: 1, total: 21_000, titulo: 'Princesa' },
  ])
  expect(objeta(end, { clase: 'cierre', orden: ordenFinal(final(end)) })).toBeUndefined()
  expect(objeta(end, { clase: 'cierre', orden: ordenFinal(final(end)).toReversed() })).toBe('orden')
})

test('what may not follow', () => {
  const open = abierta()
  const round = abreRonda(open)
  const whole = { ana: [70, 70], bea: [70, 70], cora: [70, 70] }
  expect(objeta(estadoInicial(), hoja(1, 1, whole))).toBe('sin-abrir')
  expect(objeta(open, hoja(1, 1, whole))).toBe('ronda-cerrada')
  expect(objeta(round, hoja(2, 1, whole))).toBe('ronda-cerrada')
  expect(objeta(round, hoja(1, 6, whole))).toBe('juez')
  expect(objeta(round, hoja(1, 1, { ...whole, dora: [70, 70] }))).toBe('incompleta')
  expect(objeta(round, hoja(1, 1, { ana: [70, 70], bea: [70, 70] }))).toBe('incompleta')
  expect(objeta(round, hoja(1, 1, { ...whole, ana: [70] }))).toBe('incompleta')
  expect(objeta(round, hoja(1, 1, { ...whole, ana: [70, 110] }))).toBe('escala')
  expect(objeta(round, hoja(1, 1, { ...whole, ana: [70, 75] }))).toBe('escala')
  const signed = tras(round, hoja(1, 1, whole))
  expect(objeta(signed, hoja(1, 1, whole))).toBe('firmada')
  expect(objeta(signed, { clase: 'ronda-abierta', ronda: 2, candidatas: NOMBRES })).toBe('ronda-abierta')
  expect(objeta(signed, { clase: 'ronda-cerrada', ronda: 1, sin: [], orden: [] })).toBe('faltan')
  expect(objeta(signed, { clase: 'hoja-reabierta', ronda: 1, juez: 2, motivo: 'x' })).toBe('sin-hoja')
  const again = tras(signed, { clase: 'hoja-reabierta', ronda: 1, juez: 1, motivo: 'Se equivocó de renglón' })
  expect(objeta(again, hoja(1, 1, whole))).toBeUndefined()
  expect(objeta(signed, { clase: 'retiro', candidata: 'nadie', motivo: 'x' })).toBe('candidata')
  expect(objeta(signed, { clase: 'cierre', orden: [] })).toBe('sin-terminar')
  // A judge who has no line, and never sends, does not hold up the night; the act says why she is missing.
  const four = tras(
    round,
    ...todas(
      1,
      Array.from({ length: 4 }, () => [9, 8, 7]),
    ),
  )
  const close = { clase: 'ronda-cerrada' as const, ronda: 1, orden: ordenDe(final(four), final(four).rondas[0]!).orden }
  expect(objeta(four, { ...close, sin: [{ juez: 5, motivo: 'Se fue al hospital' }] })).toBeUndefined()
  expect(objeta(four, { ...close, sin: [{ juez: 4, motivo: 'Se fue al hospital' }] })).toBe('faltan')
})

test('a withdrawn candidate may stand in a sheet that was on its way, or be left out', () => {
  const round = tras(abreRonda(abierta()), { clase: 'retiro', candidata: 'ana', motivo: 'Se sintió mal y no sigue' })
  expect(objeta(round, hoja(1, 1, { ana: [70, 70], bea: [70, 70], cora: [70, 70] }))).toBeUndefined()
  expect(objeta(round, hoja(1, 1, { bea: [70, 70], cora: [70, 70] }))).toBeUndefined()
})

test('an annulled final leaves nothing behind but the entry that says so', () => {
  const gone = tras(abreRonda(abierta()), { clase: 'final-anulada', motivo: 'Era el ensayo del jueves' })
  expect(gone.final).toBeUndefined()
  expect(gone.anuladas).toHaveLength(1)
})

test('a reason is one line that says something', () => {
  expect(readMotivo('  Se fue\n la luz  del pueblo ')).toBe('Se fue la luz del pueblo')
  expect([readMotivo('error'), readMotivo(null), readMotivo('x'.repeat(301))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
