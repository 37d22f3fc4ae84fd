import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withOwnCommands } from './own-commands.server.ts'

test('a text names the commands of an installed package, and of a checkout', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paquete-'))
  const text =
    'Uso: npm run estado [-- --json], npm run respaldo -- --a CARPETA; npm run empaquetar lo hizo. PORT=3001 npm start.'
  expect(withOwnCommands(text, folder)).toBe(text)
  await writeFile(join(folder, 'paquete.json'), '{}')
  expect(withOwnCommands(text, folder)).toBe(
    'Uso: certamen estado [--json], certamen respaldo --a CARPETA; npm run empaquetar lo hizo. PORT=3001 certamen.',
  )
  await rm(folder, { recursive: true })
})
