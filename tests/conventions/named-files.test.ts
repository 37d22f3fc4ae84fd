import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard']).toString().split('\n')
const pages = tracked.filter((path) => path.endsWith('.md'))

/** A path from the root, or the end of one, a test's also without its ending: `server/app.ts`, `app.ts`, `app/core`, `*.page.tsx`. */
const PATH =
  /^(?:(?:app|server|scripts|tests|db|deploy)(?:\/[\w.*@-]+)*\/?|(?:[\w.*@-]+\/)*[\w.*@-]+\.(?:tsx?|mjs|cjs|css|sql|ya?ml|sh))$/

/** Names of shapes, which no file has. */
const SHAPES = ['.server.ts', 'name.ts', 'name.tsx', 'name.module.css', 'use-name.ts', '20990101000000_apodo.sql']

test('every file and folder that a document names is there', () => {
  const exists = (name: string) => {
    const pattern = name.replace(/\/$/, '').replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]*')
    return tracked.some((path) => new RegExp(`(^|/)${pattern}([/.]|$)`).test(path))
  }
  const gone = pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '')
    const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!)
    return named
      .filter((name) => PATH.test(name) && !SHAPES.includes(name) && !exists(name))
      .map((name) => `${page}: ${name}`)
  })
  expect(gone).toEqual([])
})
