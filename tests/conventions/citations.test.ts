import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Citation {
  path: string
  quote: string
}

/** Reads the project's texts that may cite a document. Migrations are left out: they stay as they landed. */
async function texts(): Promise<{ path: string; text: string }[]> {
  const found = await Promise.all([
    readdir('.', { withFileTypes: true }),
    ...['app', 'server', 'scripts', 'tests', 'docs'].map((folder) =>
      readdir(folder, { recursive: true, withFileTypes: true }),
    ),
  ])
  const paths = found
    .flat()
    .filter((entry) => entry.isFile() && /\.(tsx?|[cm]?js|css|md)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
}

/** Splits a text into lines; a comment of several lines becomes one piece, without its comment signs. */
const pieces = (text: string): string[] =>
  text
    .replace(/\n\s*(?:\*(?!\/)|\/\/) ?/g, (start, at: number) =>
      /(^|\n)\s*(\/\*|\*|\/\/)[^\n]*$/.test(text.slice(Math.max(0, at - 300), at)) ? ' ' : start,
    )
    .split('\n')

/**
 * Finds every citation of a form, with its file.
 * @param unless words in the same piece, before a citation, that make it a citation of another document
 */
async function listCitations(form: RegExp, unless?: RegExp): Promise<Citation[]> {
  return (await texts()).flatMap(({ path, text }) =>
    pieces(text).flatMap((piece) =>
      [...piece.matchAll(form)]
        .filter(({ index }) => !unless?.test(piece.slice(0, index)))
        .map(([whole, quote = whole]) => ({ path, quote })),
    ),
  )
}

/** Expects that there are citations, and that each of them is in `to`. */
function lead(found: readonly Citation[], to: ReadonlySet<string>): void {
  expect(to.size).toBeGreaterThan(1)
  expect(found).not.toEqual([])
  expect(found.filter(({ quote }) => !to.has(quote))).toEqual([])
}

const numbersIn = async (file: string, form: RegExp): Promise<Set<string>> =>
  new Set([...(await readFile(file, 'utf8')).matchAll(form)].map(([, number]) => number!))

test('every § is a heading of the specification, unless a standard is named before it', async () => {
  const headings = await numbersIn('docs/especificacion.txt', /^#{2,3} (\d+(?:\.\d+)?)\.? /gm)
  lead(await listCitations(/§(\d+(?:\.\d+)*)/g, /\b(RFC|ISO) \d/), headings)
})

test('every D is a row of the decisions on what the specification leaves open', async () => {
  lead(await listCitations(/\bD(\d{1,3})\b/g), await numbersIn('docs/decisiones-de-origen.md', /^\| (\d+) \|/gm))
})

test('every number of four digits that begins with 00 is a page of docs/decisions', async () => {
  const pages = new Set((await readdir('docs/decisions')).map((name) => name.slice(0, 4)))
  lead(await listCitations(/(?<![\w+.-])(00(?!00)\d\d)(?!\w|\.\d)/g), pages)
})

test('nothing is cited in another form', async () => {
  expect(await listCitations(/\bdecisions?\s+\d+/gi)).toEqual([])
  expect(await listCitations(/\bspecification['’]?s?,?\s+§/gi)).toEqual([])
})
