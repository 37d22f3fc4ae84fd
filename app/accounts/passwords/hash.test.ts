import { readdirSync, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './hash.server.ts'

const PASSWORD = 'guayaba-29-trenza'
const LOW = constants.priority.PRIORITY_LOW

/** Priorities of this process's threads, of one name or of all. */
const priorities = (name = '') =>
  readdirSync('/proc/self/task').flatMap((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    // The priority is field 19; counting begins behind the name, with field 3.
    return stat.slice(0, end).includes(name) ? [Number(stat.slice(end + 2).split(' ')[16])] : []
  })

test('a password is known by its hash, also as another keyboard writes it, and no other is', async () => {
  const hash = await hashPassword('piñata-29-trenza')
  expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  expect(await verifyPassword('piñata-29-trenza'.normalize('NFD'), hash)).toBe(true)
  expect(await verifyPassword('piñata-29-trenzb', hash)).toBe(false)
  expect(await hashPassword('piñata-29-trenza')).not.toBe(hash)
})

test('what hashed before is still known', async () => {
  const before =
    '000102030405060708090a0b0c0d0e0f:0c2343a44d896eecd02fff23af7d19fe6a76ad38d97be47ba54df7494980aaa231ab22d6a044556123dc04895b8dbe8d6cbcf0f42980ddbad14ef89595a6b00e'
  expect(await verifyPassword(PASSWORD, before)).toBe(true)
})

test.skipIf(process.platform !== 'linux' || getPriority() === LOW)(
  'hashes go behind everything else, and nothing else does',
  async () => {
    const own = getPriority()
    await Promise.all(Array.from({ length: 6 }, () => hashPassword(PASSWORD)))
    // Node's pool reads files, looks up names and compresses pages; the first file that is asked for starts it.
    await access('/proc/self')
    const shared = priorities('libuv-worker')
    expect(shared).not.toEqual([])
    expect(new Set(shared)).toEqual(new Set([own]))
    const behind = priorities().filter((priority) => priority === LOW)
    expect(behind.length).toBeGreaterThan(0)
    expect(behind.length).toBeLessThanOrEqual(2)
  },
)
