import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Matches a query of one of the tables, in Kysely or in SQL. */
function inQuery(tables: string): RegExp {
  return new RegExp(`(From|Into|Table|[jJ]oin)\\('(${tables})\\b|\\b(from|into|update|join) (${tables})\\b`)
}

/** Definitions that exist once: the place that has each, and the pattern of a second one. */
const DEFINED_ONCE: { que: string; en: string; otro: RegExp }[] = [
  {
    que: 'dates as people read them',
    en: 'app/core/time/mexico-dates.ts',
    otro: /Intl\.(DateTime|RelativeTime)Format|\.toLocale(Date|Time)String\(|\.(get|set)(Timezone\w+|FullYear|Month|Date|Day|Hours|Minutes)\(/,
  },
  { que: 'the pattern of a UUID', en: 'app/core/text/uuid.ts', otro: /\[0-9a-f\]\{8\}/ },
  {
    que: 'a maker of codes',
    en: 'app/core/text/random-codes.ts',
    otro: /randomInt\([\w.]*\.length\)|\[byte % |getRandomValues\([^)]*\)[^\n]*%/,
  },
  {
    que: 'invisible characters in typed text',
    en: 'app/core/text/typed-text.ts',
    otro: /Default_Ignorable|\\u202a-/i,
  },
  { que: 'the check of an address', en: 'app/core/text/email-address.ts', otro: /\[a-z0-9!#\$%&'\*\+/ },
  {
    que: 'queries of the tables of the entry',
    en: 'app/entries/',
    otro: inQuery('inscripciones|cambios|solicitudes|documentos|borrados|registros|trajes_tipicos'),
  },
  {
    que: 'writes of the state, the version and the history of an entry',
    en: 'app/entries/states/transition.server.ts',
    otro: /updateTable\('inscripciones'\)|insertInto\('cambios'\)|\bupdate inscripciones\b|\binto cambios\b/,
  },
  {
    que: 'queries of the audit log',
    en: 'app/audit/',
    otro: inQuery('bitacora'),
  },
]

/** The bench and the checks of several machines and of the guide prepare and count data in their own databases. */
const PREPARES = /^scripts\/((bench|varios)\/|despliegue\/guia\.ts$)/

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

test.each(DEFINED_ONCE)('there is one file for $que', async ({ en, otro }) => {
  const all = await sources()
  expect(all.filter(({ path, text }) => path.startsWith(en) && otro.test(text))).not.toEqual([])
  const others = all.filter(({ path, text }) => !path.startsWith(en) && otro.test(text)).map(({ path }) => path)
  expect(others).toEqual([])
})

test('no device is asked for a zone but UTC: its data on Mexico may be older than the law of 2022', async () => {
  const asked = (await sources()).filter(({ text }) => /\btimeZone\b(?!: 'UTC'|'>)|America\//.test(text))
  expect(asked.map(({ path }) => path)).toEqual([])
})

test('no advisory lock outlives its transaction: a pooler would hand it to another client', async () => {
  const lasting = /\bpg_(try_)?advisory_lock(_shared)?\b/
  expect((await sources()).filter(({ text }) => lasting.test(text)).map(({ path }) => path)).toEqual([])
})
