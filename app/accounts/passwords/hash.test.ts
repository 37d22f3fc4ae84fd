import { readdirSync, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './hash.server.ts'

const PASSWORD = 'guayaba-29-trenza'
const LOW = constants.priority.PRIORITY_LOW

/** Priorities of the threads of this process whose name contains `name`. */
const priorities = (name = '') =>
  readdirSync('/proc/self/task').flatMap((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    // The priority is field 19 of proc(5); counting begins behind the name, with field 3.
    return stat.slice(0, end).includes(name) ? [Number(stat.slice(end + 2).split(' ')[16])] : []
  })

test('a password matches its hash, also in another Unicode form, and another password does not', async () => {
  const hash = await hashPassword('piñata-29-trenza')
  expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  expect(await verifyPassword('piñata-29-trenza'.normalize('NFD'), hash)).toBe(true)
  expect(await verifyPassword('piñata-29-trenzb', hash)).toBe(false)
  expect(await hashPassword('piñata-29-trenza')).not.toBe(hash)
})

test('a hash of an earlier version still matches', async () => {
  const before =
    '000102030405060708090a0b0c0d0e0f:0c2343a44d896eecd02fff23af7d19fe6a76ad38d97be47ba54df7494980aaa231ab22d6a044556123dc04895b8dbe8d6cbcf0f42980ddbad14ef89595a6b00e'
  expect(await verifyPassword(PASSWORD, before)).toBe(true)
})

test.skipIf(process.platform !== 'linux' || getPriority() === LOW)(
  'only the threads that hash have a low priority',
  async () => {
    const own = getPriority()
    await Promise.all(Array.from({ length: 6 }, () => hashPassword(PASSWORD)))
    // Node starts its thread pool with the first file that is read.
    await access('/proc/self')
    const shared = priorities('libuv-worker')
    expect(shared).not.toEqual([])
    expect(new Set(shared)).toEqual(new Set([own]))
    const behind = priorities().filter((priority) => priority === LOW)
    expect(behind.length).toBeGreaterThan(0)
    expect(behind.length).toBeLessThanOrEqual(2)
  },
)
