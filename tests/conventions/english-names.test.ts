import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeTrie } from 'cspell-trie-lib'
import ts from 'typescript'
import { expect, test } from 'vitest'

const dictionary = (name: string, file: string) => gunzipSync(readFileSync(`node_modules/@cspell/${name}/${file}`))
const english = [dictionary('dict-en_us', 'en_US.trie.gz'), dictionary('dict-en-gb', 'en_GB.trie.gz')].map(decodeTrie)
const softwareTerms = new Set(
  dictionary('dict-software-terms', 'dict/softwareTerms.txt.gz').toString().toLowerCase().split(/\s+/),
)

/** Abbreviations and product names of the field that no dictionary has. */
const ALSO = new Set(
  `avif csp diallable dkim dmarc env heic heif hmac href hsts ics img imap jpeg js libheif lightbox mp4 previewable radosgw reauth
  reauthentication s3 smtp spf stylesheet svg totp tsquery tus txt vitest webm webp xlsx zoomable
  cookieless ctx cwd dasharray decrypter eml hrefs initdb inlined keepalive maxmem mozjpeg noindex og picklist pkcs preheader
  prerender prerendering referer rels rpid sendings servername sqlstates starttls traceparent uint uncount undecomposed unstorable unstored
  uuid v4 vtt xhr closedby muxer jp2 pkcs8
  avc dinf hdlr mdia minf moof moov mvex soun stbl stsd tfhd tkhd traf trak malloc`.split(/\s+/),
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
const isWord = (part: string) =>
  ALSO.has(part) ||
  withoutEnglish.has(part) ||
  softwareTerms.has(part) ||
  english.some((trie) => trie.hasWord(part, false))
const knownWords = new Map<string, boolean>()
function isEnglish(part: string): boolean {
  const isKnown = knownWords.get(part) ?? isWord(part)
  knownWords.set(part, isKnown)
  return isKnown
}

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

/** These words of stored, sent or printed names stand in none of the files that `contractWords` reads. */
const CONTRACT_WORDS = new Set(
  `agregar aparato asiento danado enviando lista poner pestana reposicion retoque alterada escala incompleta
  almacen almacenamiento anuladas donde escritos ficha incrustada miniatura ocupado permiso prensa protegido publicando
  quitadas repuestos sala sujeto`.split(/\s+/),
)

/** Lists the words of tables, of content keys, of addresses, of form fields and of the shapes in files named schema.ts. */
function contractWords(): Set<string> {
  const words = new Set<string>()
  const addWords = (text: string) => {
    for (const name of text.match(/[\p{L}\d_]+/gu) ?? []) for (const part of partsOf(name)) words.add(part)
  }
  const tracked = execFileSync('git', ['ls-files', 'app', 'content', 'db/migrations']).toString().split('\n')
  for (const path of tracked) {
    if (/^db\/migrations\/.*\.sql$/.test(path) || path === 'app/routes.ts') addWords(readFileSync(path, 'utf8'))
    else if (path.endsWith('.yaml'))
      for (const [, key] of readFileSync(path, 'utf8').matchAll(/^[\s-]*(\w+):/gm)) addWords(key!)
    else if (/(?<!\.test)\.tsx$/.test(path))
      for (const [, value] of readFileSync(path, 'utf8').matchAll(/\b(?:name|value|action|path|id)="([\w./-]+)"/g))
        addWords(value!)
    else if (/(\/schema|\/edition-documents|\/upload-refusals|\/record-entries|\/tables[\w.]*)\.ts$/.test(path)) {
      const visit = (node: ts.Node) => {
        if ((ts.isIdentifier(node) || ts.isStringLiteral(node)) && !/\s/.test(node.text)) addWords(node.text)
        ts.forEachChild(node, visit)
      }
      visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest))
    }
  }
  return words
}

/** Lists the names that a file declares for its own use: variables, parameters, keys, members and literals of unions. */
function declaredNames(path: string): { name: string; mayBeContract: boolean }[] {
  const names: { name: string; mayBeContract: boolean }[] = []
  const visit = (node: ts.Node) => {
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) && !/\s/.test(node.literal.text))
      names.push({ name: node.literal.text, mayBeContract: true })
    else if (
      (ts.isPropertyAssignment(node) ||
        ts.isShorthandPropertyAssignment(node) ||
        ts.isMethodDeclaration(node) ||
        ts.isPropertySignature(node) ||
        ts.isMethodSignature(node)) &&
      ts.isIdentifier(node.name)
    )
      names.push({ name: node.name.text, mayBeContract: true })
    else if ((ts.isVariableDeclaration(node) || ts.isParameter(node)) && ts.isIdentifier(node.name))
      names.push({ name: node.name.text, mayBeContract: false })
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest))
  return names
}

/** The test knows words, not meanings: a Spanish word of some contract passes also as the key of an object in memory. */
test('variables, keys, members and literals of unions are English, unless their words are stored or sent', () => {
  const contract = contractWords()
  const sources = files.filter((path) => /^(app|server)\/.*(?<!\.test|\.d)\.tsx?$/.test(path))
  const foreign = sources.flatMap((path) =>
    declaredNames(path)
      .filter(
        ({ name, mayBeContract }) =>
          !partsOf(name).every(
            (part) => isEnglish(part) || (mayBeContract && (contract.has(part) || CONTRACT_WORDS.has(part))),
          ),
      )
      .map(({ name }) => `${name} (${path})`),
  )
  expect([...new Set(foreign)]).toEqual([])
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
