import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> }
const [readme, commands] = await Promise.all(['README.md', 'docs/comandos.md'].map((page) => readFile(page, 'utf8')))

test('README.md and docs/comandos.md have every script of package.json, and no other', () => {
  const named = `${readme}\n${commands}`.matchAll(/(?:^|`)npm (?:run )?([a-z][a-z:\d]*)/gm)
  expect([...new Set([...named].map(([, script]) => script!))].sort()).toEqual(Object.keys(scripts).sort())
})

test('the table of README.md has ten commands', () => {
  expect(readme!.match(/^\| `npm [^`]+` \|/gm)).toHaveLength(10)
})

test('every option that docs/comandos.md names is one that a script reads', async () => {
  const files = (await readdir('scripts', { recursive: true, withFileTypes: true })).filter(({ name }) =>
    /\.(ts|mjs)$/.test(name),
  )
  const sources = (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))).join('')
  const options = [...commands!.matchAll(/--([a-z][a-z-]*)/g)].map(([, name]) => name!)
  expect(options.length).toBeGreaterThan(30)
  // A key of parseArgs or, where a script looks by itself, the word as it is typed.
  const isRead = (name: string) => new RegExp(`['\\s]${name}'?: (\\{ type:|textOption)|'--${name}'`).test(sources)
  expect([...new Set(options)].filter((name) => !isRead(name))).toEqual([])
})
