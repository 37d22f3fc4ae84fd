import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** A table in a query of either kind, Kysely's or SQL. */
function inQuery(tables: string): RegExp {
  return new RegExp(`(From|Into|Table|[jJ]oin)\\('(${tables})\\b|\\b(from|into|update|join) (${tables})\\b`)
}

/** Things that exist once: the file that has them, and what a second of their kind would look like. */
const DEFINED_ONCE: { what: string; where: string; another: RegExp }[] = [
  {
    what: 'dates as people read them',
    where: 'app/core/time/mexico-dates.ts',
    another:
      /Intl\.(DateTime|RelativeTime)Format|\.toLocale(Date|Time)String\(|\.(get|set)(Timezone\w+|FullYear|Month|Date|Day|Hours|Minutes)\(/,
  },
  { what: 'the pattern of a UUID', where: 'app/core/text/uuid.ts', another: /\[0-9a-f\]\{8\}/ },
  {
    what: 'a maker of codes',
    where: 'app/core/text/random-codes.ts',
    another: /randomInt\([\w.]*\.length\)|\[byte % |getRandomValues\([^)]*\)[^\n]*%/,
  },
  {
    what: 'removal of invisible characters',
    where: 'app/core/text/typed-text.ts',
    another: /Default_Ignorable|\\u202a-/i,
  },
  { what: 'the check of an address', where: 'app/core/text/email-address.ts', another: /\[a-z0-9!#\$%&'\*\+/ },
  {
    what: 'queries of the tables of entries',
    where: 'app/entries/',
    another: inQuery('inscripciones|cambios|solicitudes|documentos|borrados|registros|trajes_tipicos'),
  },
  {
    what: 'writes of an entry’s state, version and history',
    where: 'app/entries/states/transition.server.ts',
    another: /updateTable\('inscripciones'\)|insertInto\('cambios'\)|\bupdate inscripciones\b|\binto cambios\b/,
  },
  {
    what: 'queries of the audit log',
    where: 'app/audit/',
    another: inQuery('bitacora'),
  },
]

/** The bench and the checks of several machines and of the guide have a database to themselves, and prepare and count its data. */
const PREPARES = /^scripts\/(bench|rigs)\//

async function sources(): Promise<{ path: string; text: string }[]> {
  const found = await Promise.all(
    ['app', 'server', 'scripts'].map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  )
  const paths = found
    .flat()
    .filter((entry) => entry.isFile() && /\.(tsx?|m?js)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
    .filter((path) => !PREPARES.test(path))
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
}

test.each(DEFINED_ONCE)('there is one file for $what', async ({ where, another }) => {
  const all = await sources()
  expect(all.filter(({ path, text }) => path.startsWith(where) && another.test(text))).not.toEqual([])
  const others = all.filter(({ path, text }) => !path.startsWith(where) && another.test(text)).map(({ path }) => path)
  expect(others).toEqual([])
})

test('no device is asked for a zone but UTC: what it knows of Mexico may be from before the law of 2022', async () => {
  const asked = (await sources()).filter(({ text }) => /\btimeZone\b(?!: 'UTC'|'>)|America\//.test(text))
  expect(asked.map(({ path }) => path)).toEqual([])
})

test('no lock of the database outlives its transaction: a pooler would hand it to somebody else', async () => {
  const lasting = /\bpg_(try_)?advisory_lock(_shared)?\b/
  expect((await sources()).filter(({ text }) => lasting.test(text)).map(({ path }) => path)).toEqual([])
})
