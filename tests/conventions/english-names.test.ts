import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeTrie } from 'cspell-trie-lib'
import { expect, test } from 'vitest'

const dictionary = (name: string, file: string) => gunzipSync(readFileSync(`node_modules/@cspell/${name}/${file}`))
const english = [dictionary('dict-en_us', 'en_US.trie.gz'), dictionary('dict-en-gb', 'en_GB.trie.gz')].map(decodeTrie)
const softwareTerms = new Set(
  dictionary('dict-software-terms', 'dict/softwareTerms.txt.gz').toString().toLowerCase().split(/\s+/),
)

/** Abbreviations and product names of the field that no dictionary has. */
const ALSO = new Set(
  'avif csp diallable dkim dmarc env heic heif hmac href hsts ics img imap jpeg js libheif lightbox mp4 previewable radosgw reauth reauthentication s3 smtp spf stylesheet svg totp tsquery tus txt vitest webm webp xlsx zoomable'.split(
    ' ',
  ),
)
/** The glossary's last table: words of the pageant without an English one. */
const withoutEnglish = new Set(
  readFileSync('docs/glosario.md', 'utf8')
    .split('## ')
    .at(-1)!
    .split('\n')
    .flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1]?.toLowerCase().split(/[ ,]+/) ?? []),
)
/** Command verbs stay Spanish, and a command's file is called as it is typed. */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const commands = new Set([...Object.keys(scripts), 'certamen', 'sano', 'sitio'])

const partsOf = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=\d)/)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 1 && !/^\d/.test(part))
const isEnglish = (part: string) =>
  ALSO.has(part) ||
  withoutEnglish.has(part) ||
  softwareTerms.has(part) ||
  english.some((trie) => trie.hasWord(part, false))

const files = execFileSync('git', [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  'app',
  'server',
  'scripts',
  'tests',
])
  .toString()
  .split('\n')
  // Generated row types are called as their tables.
  .filter((path) => /\.(tsx?|mjs|css)$/.test(path) && !path.endsWith('.generated.ts'))

test('every part of a file’s and a folder’s name is English', () => {
  const names = new Set(files.flatMap((path) => path.split('/')))
  const foreign = [...names].filter(
    (name) => !commands.has(name.replace(/\.\w+$/, '')) && !partsOf(name.replace(/\.\w+$/, '')).every(isEnglish),
  )
  expect(foreign).toEqual([])
})

const DECLARED = /^export (?:default )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm

test('every part of an exported name is English', () => {
  const exported = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(DECLARED)].map(([, name]) => `${name} (${path})`),
  )
  expect(exported.length).toBeGreaterThan(2_000)
  expect(exported.filter((named) => !partsOf(named.split(' ')[0]!).every(isEnglish))).toEqual([])
})

/** A sentence with one of these words refers to something that is not in it. */
const RIDDLES = /\b(whoever|whatever|whomever|nobody|somebody|anybody|someone)\b/gi
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g

test('at most 0.3 of 1,000 lines of comments hold a riddling word', () => {
  const comments = files.flatMap((path) => readFileSync(path, 'utf8').match(COMMENT) ?? [])
  const lines = comments.join('\n').split('\n').length
  const riddles = comments.flatMap((comment) => comment.match(RIDDLES) ?? [])
  expect(lines).toBeGreaterThan(5_000)
  expect(riddles.length / (lines / 1_000)).toBeLessThan(0.3)
})
