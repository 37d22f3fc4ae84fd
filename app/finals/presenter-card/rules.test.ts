import { expect, test } from 'vitest'
import type { RecordContent, RecordEntry } from '#app/finals/record/record-entries.ts'
import { finalRanking, nextRoundCandidates, rankingAfter } from '#app/finals/record/scoring.ts'
import { applyRecordEntry, type Final, initialState, type RecordState } from '#app/finals/record/state.ts'
import { presenterCardOf } from './rules.ts'

const CANDIDATES = ['ana', 'bea', 'cora']
const criterios = [{ nombre: 'Porte', peso: 100 }]

const after = (state: RecordState, content: RecordContent): RecordState =>
  applyRecordEntry(
    state,
    { ...content, edicion: 2025, numero: 1, anterior: '', levantada: '' } as RecordEntry,
    new Map(),
  )
const final = ({ final: its }: RecordState): Final => its!

test('the card says the rounds, who passes by number, and the titles up to the queen: no score, and no name too early', () => {
  const cards = [presenterCardOf(undefined)]
  const step = (state: RecordState, content: RecordContent) => {
    const next = after(state, content)
    cards.push(presenterCardOf(next.final))
    return next
  }
  let state = step(initialState(), {
    clase: 'final-abierta',
    azar: '',
    candidatas: CANDIDATES.map((id, at) => ({ id, numero: at + 1, nombre: id })),
    jurado: [{ numero: 1, nombre: 'Jurado 1' }],
    reglas: {
      ...{ jueces: 1, medios: false, descarta: false, desempate: [], lugares: ['Reina', 'Princesa'] },
      rondas: [
        { nombre: 'Traje típico', clase: 'traje', criterios, pasan: 2, desdeCero: true },
        { nombre: 'Pregunta', clase: 'pregunta', criterios, desdeCero: true },
      ],
    },
  })
  for (const [ronda, scores] of [
    [1, { ana: [70], bea: [60], cora: [90] }],
    [2, { ana: [70], cora: [80] }],
  ] as [number, Record<string, number[]>][]) {
    state = step(state, { clase: 'ronda-abierta', ronda, candidatas: nextRoundCandidates(final(state)) })
    state = step(state, { clase: 'hoja', ronda, juez: 1, calificaciones: scores })
    const { order } = rankingAfter(final(state), final(state).rounds.at(-1)!)
    state = step(state, { clase: 'ronda-cerrada', ronda, sin: [], orden: order })
  }
  step(state, { clase: 'cierre', orden: finalRanking(final(state)) })
  expect(cards.map(({ label, title, names }) => [label, title, names.map(({ name }) => name).join(' ')])).toEqual([
    ['La final', 'Todavía no empieza', ''],
    ['Sigue la ronda 1 de 2', 'Traje típico', 'ana bea cora'],
    ['Ronda 1 de 2', 'Traje típico', 'ana bea cora'],
    ['Ronda 1 de 2', 'Traje típico', 'ana bea cora'],
    ['Pasan a la ronda que sigue', 'Pregunta', 'ana cora'],
    ['Ronda 2 de 2', 'Pregunta', 'ana cora'],
    ['Ronda 2 de 2', 'Pregunta', 'ana cora'],
    ['La última ronda terminó', 'El jurado ya calificó', ''],
    ['El resultado', 'Los títulos', 'ana cora'],
  ])
  expect(cards.at(-1)!.names).toEqual([
    { name: 'ana', note: 'Princesa' },
    { name: 'cora', note: 'Reina' },
  ])
  expect(JSON.stringify(cards)).not.toMatch(/\d\.\d{3}|\d0\b/)
})
