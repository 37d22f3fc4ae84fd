import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { SECRETS, SettingsSchema } from '#app/core/process/env.server.ts'

const page = await readFile('docs/ajustes.md', 'utf8')
const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]*) \| [^|]+ \|$/gm)].map(([, name, given]) => ({
  name: name!,
  given: given!,
}))

test('docs/ajustes.md has one row for each setting that a start reads, and no other', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(SettingsSchema.entries).sort())
})

test('a default that the schema has stands in the row', () => {
  for (const [name, setting] of Object.entries(SettingsSchema.entries)) {
    if (setting.default === undefined) continue
    expect(rows.find((row) => row.name === name)?.given, name).toBe(`\`${setting.default}\``)
  }
})

test('the rows of settings that may stand in a file say so', () => {
  const marked = rows.filter(({ given }) => given.endsWith(', file')).map(({ name }) => name)
  expect(marked.sort()).toEqual([...SECRETS].sort())
})
