import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** Rows of the glossary's tables: the words on the left, and their meaning. */
async function rows(): Promise<{ words: string[]; meaning: string }[]> {
  const lines = (await readFile('docs/glosario.md', 'utf8')).split('\n').filter((line) => line.startsWith('|'))
  return lines
    .map((line) => /^\|([^|]*)\|(.*)\|$/.exec(line) ?? [line, line, ''])
    .map(([, words, meaning]) => ({ words: wordsOf(words!), meaning: meaning!.trim() }))
    .filter(({ words: [word] }) => word !== 'word' && !/^-+$/.test(word ?? ''))
}

/** Splits a cell into words without their brackets: «marca (de agua), sello» has two. */
const wordsOf = (text: string) =>
  text
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .map((word) => word.trim().toLowerCase())

test('every row of the glossary has words and a meaning', async () => {
  const all = await rows()
  expect(all.length).toBeGreaterThan(50)
  expect(all.filter(({ words, meaning }) => meaning === '' || words.includes(''))).toEqual([])
})

test('no word of the glossary stands in two rows', async () => {
  const words = (await rows()).flatMap((row) => row.words)
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([])
})
