import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/**
 * Columns that tables.ts leaves out: the migrations' own table, columns that only better-auth uses, and the forms' fields,
 * which app/entries/definitions/both-forms.db.test.ts compares with their descriptors.
 */
const NOT_OURS = new RegExp(
  [
    String.raw`^(migraciones|verifications)\.`,
    String.raw`^accounts\.((access|refresh|id)_token|scope$)`,
    String.raw`^sessions\.(ip_address|user_agent|updated_at)$`,
    String.raw`^(registros|trajes_tipicos)\.(?!(id|inscripcion_id|carpeta|metadata_path|created_at)$)`,
  ].join('|'),
)

/** Columns whose values only the site limits: the database does not check them. */
const UNCHECKED = new Set(['cambios.de', 'cambios.a', 'solicitudes.clase', 'solicitudes.lado'])

interface Column {
  name: string
  type: string
  nullable: boolean
  /** Whether an INSERT must give a value. */
  required: boolean
  /** The values that a CHECK constraint allows. */
  values: string[] | undefined
}

async function columnsOfDatabase(): Promise<Column[]> {
  const { rows } = await database.pool.query(`
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as required,
      (select pg_get_constraintdef(k.oid) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
          and pg_get_constraintdef(k.oid) ~ 'ANY \\(\\(?ARRAY\\[' limit 1) as one_of
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    order by 1`)
  return rows
    .filter(({ name }) => !NOT_OURS.test(name))
    .map(({ one_of, ...column }) => ({
      ...column,
      values: one_of
        ?.match(/ARRAY\[(.*?)\]/)[1]
        .split(', ')
        .map((value: string) => value.replace(/^'|'::.*$/g, '')),
    }))
}

/** The compiler's reading of `Tables`: every column's type when selected, and whether an INSERT must give it. */
function columnsOfCode(): Map<string, { read: string[]; required: boolean }> {
  const file = 'app/core/db/tables.probe.ts'
  const source = `import type { Insertable, Selectable } from 'kysely'
    import type { Tables } from './tables.ts'
    export type Read = { [T in keyof Tables]: Selectable<Tables[T]> }
    export type Written = { [T in keyof Tables]: Insertable<Tables[T]> }`
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.ESNext) : getSourceFile(path, ...rest)
  const program = ts.createProgram([file], options, host)
  const checker = program.getTypeChecker()
  const [read, written] = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
    .map((symbol) => checker.getDeclaredTypeOfSymbol(symbol))
  const columns = new Map<string, { read: string[]; required: boolean }>()
  for (const table of checker.getPropertiesOfType(read!)) {
    const inserted = checker.getTypeOfSymbol(written!.getProperty(table.name)!)
    for (const column of checker.getPropertiesOfType(checker.getTypeOfSymbol(table))) {
      const type = checker.getTypeOfSymbol(column)
      const parts = type.isUnion() ? type.types : [type]
      const insertion = inserted.getProperty(column.name)
      columns.set(`${table.name}.${column.name}`, {
        read: parts.map((part) => (part.isStringLiteral() ? part.value : checker.typeToString(part))),
        required: insertion !== undefined && !(insertion.flags & ts.SymbolFlags.Optional),
      })
    }
  }
  return columns
}

const TYPES: Record<string, string> = {
  'timestamp with time zone': 'Date',
  text: 'string',
  'text[]': 'string[]',
  uuid: 'string',
  tsvector: 'string',
  bytea: 'Buffer',
  boolean: 'boolean',
  integer: 'number',
  smallint: 'number',
  bigint: 'number',
  numeric: 'number',
}

test('tables.ts agrees with the migrations: every column, its type, its values, whether an INSERT needs it', async () => {
  const code = columnsOfCode()
  const columns = await columnsOfDatabase()
  expect([...code.keys()].sort()).toEqual(columns.map(({ name }) => name).sort())
  const faults: string[] = []
  for (const { name, type, nullable, required, values } of columns) {
    const said = code.get(name)!
    if (required && !said.required) faults.push(`${name} can be left out, and has no default`)
    // The shape of a JSON column belongs to the code that writes it.
    if (type === 'jsonb' || type === 'json') continue
    const asRead = said.read.map((part) =>
      /^Buffer/.test(part) ? 'Buffer' : part.replace(/^(true|false)$/, 'boolean'),
    )
    const base = TYPES[type] ?? `unknown type ${type}`
    const expected = [...(values ?? [base]), ...(nullable ? ['null'] : [])]
    const isNarrower = UNCHECKED.has(name) && base === 'string'
    const found = [...new Set(isNarrower ? asRead.map((part) => (part === 'null' ? part : base)) : asRead)]
    if (found.sort().join(' | ') !== expected.sort().join(' | '))
      faults.push(`${name} is ${found.join(' | ')}, in the database ${expected.join(' | ')}`)
  }
  expect(faults).toEqual([])
})
