import { existsSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/**
 * Requirements of level 1 or 2 by section of OWASP ASVS 5.0.0: the last number, and numbers `apart`, which are of level
 * 3.
 * @source OWASP ASVS 5.0.0, docs_en, flat CSV
 */
const SECTIONS: Record<string, { last: number; apart?: number[] }> = {
  '1.1': { last: 2 },
  '1.2': { last: 9 },
  '1.3': { last: 11 },
  '1.4': { last: 3 },
  '1.5': { last: 2 },
  '2.1': { last: 3 },
  '2.2': { last: 3 },
  '2.3': { last: 4 },
  '2.4': { last: 1 },
  '3.2': { last: 2 },
  '3.3': { last: 4 },
  '3.4': { last: 6 },
  '3.5': { last: 5 },
  '3.7': { last: 2 },
  '4.1': { last: 3 },
  '4.2': { last: 1 },
  '4.3': { last: 2 },
  '4.4': { last: 4 },
  '5.1': { last: 1 },
  '5.2': { last: 3 },
  '5.3': { last: 2 },
  '5.4': { last: 3 },
  '6.1': { last: 3 },
  '6.2': { last: 12 },
  '6.3': { last: 4 },
  '6.4': { last: 4 },
  '6.5': { last: 5 },
  '6.6': { last: 3 },
  '6.8': { last: 4 },
  '7.1': { last: 3 },
  '7.2': { last: 4 },
  '7.3': { last: 2 },
  '7.4': { last: 5 },
  '7.5': { last: 2 },
  '7.6': { last: 2 },
  '8.1': { last: 2 },
  '8.2': { last: 3 },
  '8.3': { last: 1 },
  '8.4': { last: 1 },
  '9.1': { last: 3 },
  '9.2': { last: 4 },
  '10.1': { last: 2 },
  '10.2': { last: 2 },
  '10.3': { last: 4 },
  '10.4': { last: 11 },
  '10.5': { last: 5 },
  '10.6': { last: 2 },
  '10.7': { last: 3 },
  '11.1': { last: 2 },
  '11.2': { last: 3 },
  '11.3': { last: 3 },
  '11.4': { last: 4 },
  '11.5': { last: 1 },
  '11.6': { last: 1 },
  '12.1': { last: 3 },
  '12.2': { last: 2 },
  '12.3': { last: 4 },
  '13.1': { last: 1 },
  '13.2': { last: 5 },
  '13.3': { last: 2 },
  '13.4': { last: 5 },
  '14.1': { last: 2 },
  '14.2': { last: 4 },
  '14.3': { last: 3 },
  '15.1': { last: 3 },
  '15.2': { last: 3 },
  '15.3': { last: 7 },
  '16.1': { last: 1 },
  '16.2': { last: 5 },
  '16.3': { last: 4 },
  '16.4': { last: 3 },
  '16.5': { last: 3 },
  '17.1': { last: 1 },
  '17.2': { last: 4 },
  '17.3': { last: 2 },
}

const page = await readFile('docs/seguridad.md', 'utf8')

test('every requirement of ASVS 5.0.0 at levels 1 and 2 has one line, with its status', () => {
  const asked = Object.entries(SECTIONS).flatMap(([section, { last, apart = [] }]) =>
    Array.from({ length: last }, (_, at) => at + 1)
      .filter((number) => !apart.includes(number))
      .map((number) => `V${section}.${number}`),
  )
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
