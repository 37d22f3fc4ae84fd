import { expect, test } from 'vitest'
import { estadoDe } from './rules.ts'

test('a period begins with its first moment and ends before its last', () => {
  const periodo = { abre: '2025-07-01T00:00:00-06:00', cierra: '2025-08-01T00:00:00-06:00' }
  const at = (iso: string) => estadoDe(periodo, new Date(iso))
  expect(at('2025-07-01T05:59:59.999Z')).toBe('antes')
  expect(at('2025-07-01T06:00:00Z')).toBe('abierto')
  expect(at('2025-08-01T05:59:59.999Z')).toBe('abierto')
  expect(at('2025-08-01T06:00:00Z')).toBe('despues')
})
