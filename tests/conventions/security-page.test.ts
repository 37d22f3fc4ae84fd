import { existsSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/**
 * Each section of OWASP ASVS 5.0.0 with the number of its requirements of levels 1 and 2.
 * @source OWASP ASVS 5.0.0, docs_en, flat CSV
 */
const SECTIONS = `1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1
  4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2
  7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2
  10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5
  14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2`.split(/\s+/)

const page = await readFile('docs/seguridad.md', 'utf8')

test('every requirement of ASVS 5.0.0 at levels 1 and 2 has one line, with its status', () => {
  const asked = SECTIONS.flatMap((entry) => {
    const [section, count] = entry.split(':')
    return Array.from({ length: Number(count) }, (_, at) => `V${section}.${at + 1}`)
  })
  expect(asked).toHaveLength(253)
  const lines = [...page.matchAll(/^- (V\d+\.\d+\.\d+) [^\n]*?: (?:holds|in part|no|n\/a|n\/a here)\. /gm)]
  expect(lines.map(([, number]) => number)).toEqual(asked)
})

test('every test that docs/seguridad.md names exists', async () => {
  const named = new Set([...page.matchAll(/`((?:[a-z0-9-]+\/)+[a-z0-9-]+(?:\.db|\.s3)?)`/g)].map(([, name]) => name!))
  expect(named.size).toBeGreaterThan(50)
  const missing = []
  for (const name of named) {
    const [folder] = name.split('/')
    const file = existsSync(`tests/extended/${name}.e2e.ts`)
      ? `tests/extended/${name}.e2e.ts`
      : folder === 'e2e'
        ? `tests/${name}.e2e.ts`
        : `${['tests', 'server', 'scripts'].includes(folder!) ? '' : 'app/'}${name}.test.ts`
    if (
      !(await access(file).then(
        () => true,
        () => false,
      ))
    )
      missing.push(file)
  }
  expect(missing).toEqual([])
})

test('a requirement that holds names a test, except where it cannot be tested', () => {
  const alone = page.match(/^- V[\d.]+ [^\n]*?: holds\.[^`\n]*$(?!\n {2})/gm) ?? []
  expect(alone.length).toBeLessThanOrEqual(20)
})
