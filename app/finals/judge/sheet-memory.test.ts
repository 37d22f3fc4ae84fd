import { expect, test } from 'vitest'
import type { JudgeSheet, SheetRound } from '#app/finals/record/schema.ts'
import {
  addTap,
  afterSending,
  completeScores,
  lostTapsMessage,
  newSheetMemory,
  readSheetMemory,
  receiveSheet,
  scoresOf,
  storeSheetMemory,
} from './sheet-memory.ts'

const RONDA: SheetRound = {
  numero: 2,
  nombre: 'Traje típico',
  clase: 'traje',
  abierta: true,
  firmada: null,
  reabierta: null,
  criterios: [
    { nombre: 'Porte', peso: 40 },
    { nombre: 'Gracia', peso: 60 },
  ],
  candidatas: ['ana', 'bea'].map((id, at) => ({ id, numero: at + 1, nombre: id, tono: 'oro', silueta: null })),
  marcas: { ana: [80, null] },
}
const sheet = (ronda: Partial<SheetRound> = {}, more: Partial<JudgeSheet> = {}): JudgeSheet => ({
  certamen: 'x',
  juez: 1,
  nombre: 'Jurado 1',
  final: 1,
  medios: false,
  rondas: 4,
  sellada: false,
  ronda: { ...RONDA, ...ronda },
  ...more,
})
const typed = () =>
  addTap(addTap(receiveSheet(newSheetMemory('a'), sheet()), { candidata: 'ana', criterio: 1, decimas: 60 }), {
    candidata: 'ana',
    criterio: 1,
    decimas: 70,
  })

test('a tap overrides the score on the site, and the last tap of a criterion counts', () => {
  expect(scoresOf(typed(), RONDA)).toEqual({ ana: [80, 70], bea: [null, null] })
  expect(completeScores(scoresOf(typed(), RONDA))).toBeUndefined()
  expect(typed().toques).toHaveLength(1)
})

test('a tap made while earlier taps are being sent stays', () => {
  const later = addTap(typed(), { candidata: 'ana', criterio: 1, decimas: 90 })
  const saved = { ok: true, hoja: sheet() } as const
  expect(afterSending(later, typed(), saved).toques).toEqual([{ candidata: 'ana', criterio: 1, decimas: 90 }])
  expect(afterSending(typed(), typed(), saved).toques).toEqual([])
})

test('taps and a signature stay on the telephone unless the site saved them or refused them for good', () => {
  const signed = { ...typed(), firma: { clave: 'x', calificaciones: { ana: [80, 70] } } }
  for (const reason of ['sesion', 'sin-espacio'] as const)
    for (const memory of [typed(), signed])
      expect(afterSending(memory, memory, { ok: false, reason, mensaje: '' })).toEqual(memory)
  const refusal = { ok: false, reason: 'rechazo', mensaje: '' } as const
  expect(afterSending(typed(), typed(), refusal).toques).toEqual([])
  expect(afterSending(signed, signed, refusal)).toEqual(typed())
  const signedAnew = { ...signed, firma: { ...signed.firma, clave: 'y' } }
  expect(afterSending(signedAnew, signed, refusal)).toEqual(signedAnew)
})

test('taps for a closed round or another final are discarded, and a message says so', () => {
  expect(receiveSheet(typed(), sheet()).toques).toHaveLength(1)
  expect(lostTapsMessage(typed(), sheet())).toBeUndefined()
  for (const other of [
    sheet({ abierta: false }),
    sheet({ numero: 3 }),
    sheet({}, { final: 7 }),
    sheet({}, { ronda: null }),
  ]) {
    expect(receiveSheet(typed(), other).toques).toEqual([])
    expect(lostTapsMessage(typed(), other)).toMatch(/ronda se cerró|final se abrió/)
  }
  // This telephone signed the sheet before, and lost the answer.
  expect(lostTapsMessage(typed(), sheet({ firmada: '21:14' }))).toBeUndefined()
})

test('a stored sheet is read again, and a malformed one is ignored', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  }
  expect(readSheetMemory(storage)).toBeUndefined()
  expect(storeSheetMemory(storage, typed())).toBe(true)
  expect(readSheetMemory(storage)).toEqual(typed())
  kept.set('jurado', '{"aparato":3}')
  expect(readSheetMemory(storage)).toBeUndefined()
  expect(
    storeSheetMemory(
      {
        setItem: () => {
          throw new Error('full')
        },
      },
      typed(),
    ),
  ).toBe(false)
})
