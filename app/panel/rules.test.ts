import { expect, test } from 'vitest'
import { nextStates } from '#app/entries/rules.ts'
import { forAuditLog, readField, readFilter, toId, toParams } from './rules.ts'

test('what an address says of a filter is read, and whatever it says wrongly is not said', () => {
  const said = new URLSearchParams('tipo=traje&estado=en-revision&edad=fuera&buscar=+ana+&id=3&id=-1&id=x&id=1e99')
  const filter = { edicion: 2025, tipo: 'traje', estado: 'en-revision', fueraDeEdad: true, texto: 'ana', ids: [3] }
  expect(readFilter(said, 2025)).toEqual(filter)
  expect(readFilter(new URLSearchParams('tipo=x&estado=x&edad=x&buscar=++&id=0'), 2025)).toEqual({ edicion: 2025 })
  expect(toParams(readFilter(said, 2025))).toBe('?tipo=traje&estado=en-revision&edad=fuera&buscar=ana')
  expect(JSON.stringify(forAuditLog(readFilter(said, 2025)))).not.toContain('ana')
})

test('no organiser sets an entry back to how it came', () => {
  expect(nextStates('aceptada')).toEqual(['en-revision', 'falta-documento', 'rechazada'])
})

test('what an address or a form says is cut down to what there can be', () => {
  expect(['7', '0', '-1', '1.5', '1e99', 'x', '', null, '9223372036854775808'].map(toId)).toEqual([
    ...[7, 0, 0, 0, 0, 0, 0, 0, 0],
  ])
  expect(readFilter(new URLSearchParams({ buscar: '\u200bmari\u0301a\u00a0' }), 2025).texto).toBe('maría')
  const form = new FormData()
  form.set('medio', ' Ra\0di\u200bo\u00a0')
  expect([readField(form, 'medio'), readField(new URLSearchParams('a=%00'), 'a'), readField(form, 'nada')]).toEqual([
    ...['Radio', '', ''],
  ])
})
