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

test('a fault that is logged without words keeps its message out of the log', () => {
  const lines: string[] = []
  const fresh = () => createLog('info', { write: (line) => lines.push(line) })
  const error = new Error("EACCES: permission denied, open '/o/registro/7_Lucia/x.jpg'")
  fresh().error(error)
  fresh().error({ err: error })
  fresh().info('words alone')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a fault', 'a fault', 'words alone'])
  expect(lines.join('')).not.toContain('Lucia')
})

test('a value that is not an error is logged by its type', () => {
  expect(logged('Lucia Jacaranda')).not.toContain('Lucia')
  expect(logged({ nombre: 'Lucia Jacaranda' })).not.toContain('Lucia')
})

test('a fault that repeats is written once, then counted, with the ids that people were shown', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) }, 100)
  const fail = (at: number) =>
    Object.assign(new Error(`connect ECONNREFUSED 10.0.0.${at % 9}:5432`), { code: 'ECONNREFUSED' })
  for (let at = 0; at < 7_000; at++) log.error({ id: `id-${at}`, err: fail(at) }, 'unexpected fault')
  log.error({ id: 'otra', err: new TypeError('x is not a function') }, 'unexpected fault')
  for (let at = 0; at < 5; at++) log.info({ status: 200 }, 'request')
  expect(lines).toHaveLength(7)
  await expect.poll(() => lines.length).toBe(8)
  expect(JSON.parse(lines[0]!)).toMatchObject({ id: 'id-0', msg: 'unexpected fault', err: { code: 'ECONNREFUSED' } })
  const summed = JSON.parse(lines[7]!)
  expect(summed).toMatchObject({ level: 50, msg: 'unexpected fault (repeated 6999 times)', repeated: 6_999 })
  expect(summed.ids).toHaveLength(100)
  // After a window without the error, its line is written anew.
  await new Promise((resolve) => setTimeout(resolve, 350))
  log.error({ id: 'id-later', err: fail(1) }, 'unexpected fault')
  expect(lines).toHaveLength(9)
})

test('warnings that differ in more than numbers are all written', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  log.warn('PostgreSQL terminó (SIGKILL); se inicia de nuevo')
  log.warn('PostgreSQL terminó (SIGINT); se inicia de nuevo')
  log.warn({ err: new Error('a'), parte: 'almacenamiento' }, 'not ready')
  log.warn({ err: new Error('a'), parte: 'base de datos' }, 'not ready')
  expect(lines).toHaveLength(4)
})
