import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** Migrations after this date may run beside two versions of the site; older ones have run everywhere. */
const SINCE = '20260310'
/** Contracting changes, which break the previous version while it still runs beside the new one. */
const CONTRACTS: { que: string; sql: RegExp }[] = [
  { que: 'takes a table or a column away', sql: /\bdrop (table|column|view|type|function|sequence)\b/i },
  { que: 'gives something another name', sql: /\brename\b/i },
  { que: 'changes what a column holds', sql: /\balter (column )?(\w+|"[^"]+") (set data )?type\b/i },
  { que: 'asks for a value that the version before does not write', sql: /\bset not null\b/i },
  {
    que: 'adds a column that the version before does not fill',
    sql: /\badd column (if not exists )?(\w+|"[^"]+") (?![^,;]*\b(default|generated)\b)[^,;]*\bnot null\b/i,
  },
  {
    que: 'checks rows that the version before may still write otherwise',
    sql: /\badd constraint (\w+|"[^"]+") (check|unique|foreign key)\b(?![^;]*\bnot valid\b)/i,
  },
]
/** The advice for a migration that contracts without saying so. */
const MEND =
  'A constraint is added with «not valid» at its end. Anything else of these waits for the version after the one that stops needing it, and its first line says so: «-- Contrae, desde que nadie lo usa: why».'
/** First line of a migration that contracts. It lands one version after the code stopped needing the removed part. */
const SAID = /^-- Contrae, desde que nadie lo usa: .{20,}/

const withoutComments = (sql: string) => sql.replace(/--.*$/gm, '')

test.each(CONTRACTS)('a migration that $que comes one version later, and says so in its first line', async ({
  sql,
}) => {
  const names = (await readdir('db/migrations')).filter((name) => name > SINCE)
  const texts = await Promise.all(names.map((name) => readFile(`db/migrations/${name}`, 'utf8')))
  const unsaid = names.filter((_, at) => sql.test(withoutComments(texts[at]!)) && !SAID.test(texts[at]!))
  expect(unsaid, MEND).toEqual([])
})

test('every contracting change is recognised, and no other', () => {
  const seen = (text: string) => CONTRACTS.filter(({ sql }) => sql.test(text)).length
  for (const contracts of [
    'drop table correos',
    'alter table a drop column b',
    'alter table a rename b to c',
    'alter table a alter column b type text',
    'alter table a alter b set not null',
    'alter table a add column b text not null',
    'alter table a add constraint c check (b > 0)',
    'alter table a alter column "bB" type text',
    'alter table a add column "bB" text not null',
    'alter table a add constraint "cC" check (b > 0)',
  ])
    expect(seen(contracts), contracts).toBe(1)
  for (const expands of [
    'create table a (b text not null)',
    'alter table a add column b text',
    "alter table a add column b text not null default ''",
    'alter table a add constraint c check (b > 0) not valid',
  ])
    expect(seen(expands), expands).toBe(0)
})
