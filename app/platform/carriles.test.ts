import { expect, test } from 'vitest'
import { createCarriles } from './carriles.server.ts'
import { Saturado } from './turnos.server.ts'

/** Lanes over one worker, and the order in which work was begun; each piece ends when it is told to. */
function lanes() {
  const run = createCarriles(1, {
    primero: { waiting: 4, perKey: 4, share: 1_000 },
    rapido: { waiting: 30, perKey: 10, share: 3 },
    lento: { waiting: 30, perKey: 10, share: 1 },
  })
  const begun: string[] = []
  const open: (() => void)[] = []
  const put = (carril: 'primero' | 'rapido' | 'lento', key: string) =>
    run(carril, key, () => {
      begun.push(`${carril} ${key}`)
      return new Promise<void>((resolve) => open.push(resolve))
    })
  /** Ends what is under way, one after the other, until nothing is. */
  const drain = async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    for (let end = open.shift(); end; end = open.shift()) {
      end()
      await turn()
    }
  }
  return { put, begun, drain }
}

test('whoever has the first lane waits for what is under way, not for those who were there before', async () => {
  const { put, begun, drain } = lanes()
  const all = [...Array.from({ length: 11 }, () => put('lento', 'ajena')), put('primero', 'conocida')]
  await drain()
  await Promise.all(all)
  expect(begun.slice(0, 3)).toEqual(['lento ajena', 'primero conocida', 'lento ajena'])
})

test('within a lane the keys take turns, and the slower lane is never forgotten', async () => {
  const { put, begun, drain } = lanes()
  const all = ['a', 'a', 'a', 'a', 'b', 'c'].map((key) => put('rapido', key))
  all.push(...Array.from({ length: 2 }, () => put('lento', 'd')))
  await drain()
  await Promise.all(all)
  expect(begun.filter((one) => one.startsWith('rapido')).map((one) => one.at(-1))).toEqual([
    'a',
    'a',
    'b',
    'c',
    'a',
    'a',
  ])
  expect(begun.indexOf('lento d')).toBeLessThan(4)
})

test('a lane that is full, and a key that has its part of it, are told so at once; what fails gives its place back', async () => {
  const run = createCarriles(1, { uno: { waiting: 3, perKey: 2, share: 1 } })
  let end = () => {}
  const first = run(
    'uno',
    'a',
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  const [second, third] = [
    run('uno', 'a', async () => {
      throw new Error('fails')
    }),
    run('uno', 'a', async () => 3),
  ]
  await expect(run('uno', 'a', async () => 4)).rejects.toThrow(Saturado)
  const other = run('uno', 'b', async () => 5)
  await expect(run('uno', 'c', async () => 6)).rejects.toThrow(Saturado)
  end()
  await first
  await expect(second).rejects.toThrow('fails')
  expect(await Promise.all([third, other])).toEqual([3, 5])
  expect(await run('uno', 'c', async () => 7)).toBe(7)
})
