import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from './log.server.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-log-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function logged(error: unknown): string {
  const lines: string[] = []
  createLog('info', { write: (line) => lines.push(line) }).error({ id: 'abcd-efgh', err: error }, 'unexpected fault')
  return lines.join('')
}

test('a fault of the file system is told without the path, which names a person', async () => {
  const path = join(folder, 'registro/7_Lucia_Jacaranda/fotoCuerpo/1754000000000_playa.jpg')
  const written = logged(await readFile(path).catch((error: unknown) => error))
  expect(written).toContain('"code":"ENOENT"')
  expect(written).toContain('no such file or directory')
  expect(written).toContain('abcd-efgh')
  expect(written).not.toMatch(/Lucia|Jacaranda|playa/)
})

test('a fault of an odd shape is told, too', () => {
  const round = new Error('goes round')
  round.cause = round
  const bare = Object.assign(new Error('x'), { message: undefined, stack: 7 })
  expect(logged(round)).toContain('goes round')
  for (const error of [bare, null, 'text']) expect(logged(error)).toContain('unexpected fault')
})

test('a fault of the database is told without its row, also as the cause of another', () => {
  const fault = Object.assign(new Error('new row violates check constraint "registros_edad_check"'), {
    code: '23514',
    table: 'registros',
    detail: 'Failing row contains (7, Lucia Jacaranda, 0, 3312345678).',
    parameters: ['Lucia Jacaranda'],
  })
  for (const error of [fault, new Error('La migración no pudo aplicarse', { cause: fault })]) {
    const written = logged(error)
    expect(written).toContain('registros_edad_check')
    expect(written).toContain('"code":"23514"')
    expect(written).toMatch(/log\.test\.ts/)
    expect(written).not.toMatch(/Lucia|3312345678/)
  }
})

test('a fault that is logged without words is told no more of', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const error = new Error("EACCES: permission denied, open '/o/registro/7_Lucia/x.jpg'")
  log.error(error)
  log.error({ err: error })
  log.info('words alone')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a fault', 'a fault', 'words alone'])
  expect(lines.join('')).not.toContain('Lucia')
})

test('what is no fault at all is told by its kind', () => {
  expect(logged('Lucia Jacaranda')).not.toContain('Lucia')
  expect(logged({ nombre: 'Lucia Jacaranda' })).not.toContain('Lucia')
})
