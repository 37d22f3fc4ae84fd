import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const MAX_UNTRANSLATED = 12

const [translated, untranslated] = readFileSync('docs/glosario.md', 'utf8').split('## Words without an English word')
const cellsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([first]) => first !== 'Spanish' && first !== 'word')
const rows = cellsOf(translated!).map(([spanish, english, meaning, ...more]) => ({ spanish, english, meaning, more }))
const kept = cellsOf(untranslated!)

const twice = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at)

/** Text of the tracked files below these folders, without accents. */
const textOf = (...folders: string[]): string =>
  execFileSync('git', ['ls-files', ...folders])
    .toString()
    .split('\n')
    .filter((path) => /\.(tsx?|mjs|css|sql|ya?ml|svg)$/.test(path))
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('\n')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')

/** Whether a text has a word, however its parts are joined: `traje típico`, `trajes_tipicos`, `wait-bypass`, `waitBypass`. */
const has = (text: string, word: string) =>
  new RegExp(word.normalize('NFD').replace(/\p{M}/gu, '').split(' ').join('(e?s)?[-_ ]?'), 'i').test(text)

test('every row has a Spanish word, an English word and what it is', () => {
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.length).toBeLessThanOrEqual(150)
  expect(
    rows.filter(({ spanish, english, meaning, more }) => !spanish || !english || !meaning || more.length > 0),
  ).toEqual([])
})

test('no Spanish word stands in two rows, and no English word has two meanings', () => {
  expect(twice([...rows.map(({ spanish }) => spanish!), ...kept.map(([word]) => word!)])).toEqual([])
  expect(twice(rows.map(({ english }) => english!))).toEqual([])
})

test('every Spanish word is shown or stored, and every English word is one of the code', () => {
  const code = textOf('app', 'server', 'scripts')
  const all = code + textOf('content', 'db')
  expect(rows.filter(({ spanish }) => !has(all, spanish!)).map(({ spanish }) => spanish)).toEqual([])
  expect(rows.filter(({ english }) => !has(code, english!)).map(({ english }) => english)).toEqual([])
})

test(`${MAX_UNTRANSLATED} words at most have no English word, and the code uses each`, () => {
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length).toBeLessThanOrEqual(MAX_UNTRANSLATED)
  expect(kept.filter(([word, meaning]) => !meaning || !has(textOf('app'), word!))).toEqual([])
})
