import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readLedger, versionsFolderOf, writeLedger } from './versions.ts'

test('a ledger that a power cut has emptied is reported and read as none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'libro-'))
  const ledger = { sirve: { id: 'a', carpeta: '/a', version: '1.0.0' }, desvios: {} }
  await writeLedger(dataDir, ledger)
  expect(await readLedger(dataDir)).toEqual(ledger)
  await truncate(join(versionsFolderOf(dataDir), 'libro.json'))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await readLedger(dataDir)).toEqual({ desvios: {} })
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('libro.json está dañado'))
  await rm(dataDir, { recursive: true })
})
