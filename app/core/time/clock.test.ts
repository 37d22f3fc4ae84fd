import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '#app/core/process/env.server.ts'
import { createClock } from './clock.server.ts'

const folder = mkdtempSync(join(tmpdir(), 'certamen-reloj-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'reloj')

test('a clock that goes by a file runs on from each moment that the file says', async () => {
  writeFileSync(file, '2025-09-20T12:00-06:00')
  const { siteClock } = readSettings({ SITE_CLOCK: file })
  const clock = createClock(siteClock)
  const first = clock.now().getTime()
  expect(first).toBeGreaterThanOrEqual(Date.parse('2025-09-20T18:00Z'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(clock.now().getTime()).toBeGreaterThan(first)
  writeFileSync(file, '2025-09-26T00:05-06:00')
  expect(clock.now().toISOString()).toMatch(/^2025-09-26T06:0/)
  writeFileSync(file, '2025-09-20T12:00-06:00')
  expect(clock.now().toISOString()).toMatch(/^2025-09-20T18:0/)
})

test('a file without a moment in it is no clock', () => {
  writeFileSync(file, 'mañana')
  for (const SITE_CLOCK of [file, join(folder, 'ninguno'), 'reloj'])
    expect(() => readSettings({ SITE_CLOCK })).toThrow('SITE_CLOCK debe ser un momento ISO con zona')
})
