import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Lock {
  packages: Record<string, { integrity?: string; resolved?: string; optionalDependencies?: Record<string, string> }>
}

const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

test('every package is pinned by its hash, and none by its registry', () => {
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
  expect(packages.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([])
})

test('the optional package of every platform is listed, so that an exact install works on each', () => {
  const known = new Set(packages.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13)))
  const wanted = packages.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}))
  expect(wanted.filter((name) => !known.has(name))).toEqual([])
})
