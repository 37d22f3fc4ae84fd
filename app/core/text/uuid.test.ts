import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUuid, newUuid } from './uuid.ts'

test('a UUID is one of version 4, in lower case', () => {
  for (const id of [newUuid(), randomUUID(), '3f1f9c5e-6f0e-4c6b-9d39-0d7c0c1a2b3c']) expect(isUuid(id), id).toBe(true)
  const others = ['3f1f9c5e-6f0e-1c6b-9d39-0d7c0c1a2b3c', randomUUID().toUpperCase(), '../..', '', 5, null]
  for (const other of others) expect(isUuid(other), String(other)).toBe(false)
})
