import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENTRY_STATES } from '#app/entries/schema.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { FORMS } from './both-forms.ts'
import { DOCUMENT_KINDS, kindOf } from './document-kinds.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const OF_EVERY_FORM = ['id', 'inscripcion_id', 'carpeta', 'metadata_path', 'created_at']

/** Definition of the check constraints on one column. */
async function checkOf(table: string, column: string): Promise<string> {
  const { rows } = await database.pool.query(
    `select pg_get_constraintdef(c.oid) as said from pg_constraint c
     join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
     where c.conrelid = $1::regclass and c.contype = 'c' and a.attname = $2`,
    [table, column],
  )
  return rows.map(({ said }) => said).join(' ')
}

describe.each(Object.values(FORMS))('the form of $entrantsText', ({ table, fields }) => {
  test('has a column for each of its fields, and its table no other', async () => {
    const { rows } = await database.pool.query(
      `select column_name as name, is_nullable = 'YES' as nullable from information_schema.columns where table_name = $1`,
      [table],
    )
    const own = rows.filter(({ name }) => !OF_EVERY_FORM.includes(name))
    expect(own.map(({ name }) => name).sort()).toEqual(fields.map(({ name }) => name).sort())
    expect(own.filter(({ nullable }) => nullable).map(({ name }) => name)).toEqual(
      fields.filter(({ isOptional }) => isOptional).map(({ name }) => name),
    )
  })

  test('lets nothing pass that the database would refuse for its length', async () => {
    for (const field of fields) {
      const most = Number(/char_length\(.*?<= (\d+)/.exec(await checkOf(table, field.name))?.[1] ?? Number.NaN)
      if (Number.isNaN(most)) continue
      const tooLong = 'a'.repeat(most + 1)
      const value = field.parse(tooLong)
      const isRefused = value === undefined || field.checks.some((check) => check.fails(value))
      expect(isRefused, `${field.name}, ${most + 1} characters`).toBe(true)
    }
  })
})

test('the database allows the document kinds and states of the code, and no others', async () => {
  const quoted = (said: string) => [...said.matchAll(/'([^']+)'::text/g)].map(([, one]) => one).sort()
  expect(quoted((await checkOf('documentos', 'clase')).split(' CHECK')[0]!)).toEqual([...DOCUMENT_KINDS].sort())
  expect(quoted(await checkOf('inscripciones', 'estado'))).toEqual([...ENTRY_STATES].sort())
})

test('an entry is whole with as many documents as its form asks for', async () => {
  const { rows } = await database.pool.query(`select prosrc from pg_proc where proname = 'inscripcion_completa'`)
  const files = (type: keyof typeof FORMS) => FORMS[type].kinds.reduce((sum, kind) => sum + kindOf(kind).fileCount, 0)
  expect(rows[0].prosrc).toContain(`when 'candidata' then ${files('candidata')} else ${files('traje')} end`)
})
