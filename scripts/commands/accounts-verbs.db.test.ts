import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { accounts } from './accounts-verbs.ts'

let database: TestDatabase
let dataDir: string
beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'cuentas-'))
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** Runs the command. @returns its exit code and its output */
async function run(args: string[], typed = '', env: NodeJS.ProcessEnv = {}) {
  const { host, port, user, database: name } = database.connection
  const DATABASE_URL = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(String(host))}&port=${port}`
  const said: string[] = []
  const code = await accounts(
    args,
    { DATA_DIR: dataDir, DATABASE_URL, ...env },
    { read: async () => typed, say: (line) => said.push(line), complain: (line) => said.push(line) },
  )
  return { code, said: said.join('\n') }
}

test('accounts are made, listed, changed and withdrawn', async () => {
  const email = 'redaccion@elheraldo.example'
  const made = await run(['crear', '--rol', 'prensa', '--correo', email.toUpperCase(), '--medio', 'El Heraldo'])
  expect(made.said).toMatch(/^Correo: {5}REDACCION@.*\nContraseña: (\w{5}-){3}\w{5}\n/)
  expect(made.code).toBe(0)
  expect(await run(['crear', '--rol', 'prensa', '--correo', email])).toEqual({
    code: 1,
    said: 'No se hizo: ya hay una cuenta con ese correo.',
  })
  expect((await run(['listar'])).said).toBe(`prensa  ${email}  El Heraldo`)

  expect((await run(['rol', '--correo', email, '--rol', 'admin'])).said).toBe('Hecho.')
  expect((await run(['listar'])).said).toContain(`admin   ${email}`)
  const weak = await run(['clave', '--correo', email, '--clave-stdin'], 'contraseña2025\n')
  expect(weak).toEqual({ code: 1, said: expect.stringContaining('se adivina') })
  const set = await run(['clave', '--correo', email, '--clave-stdin'], 'guayaba-29-trenza\n')
  expect(set).toEqual({ code: 0, said: 'Hecho.' })

  expect((await run(['baja', '--correo', email])).said).toContain('es la única cuenta de administración')
  await run(['crear', '--rol', 'admin', '--correo', 'organizacion@certamen.local'])
  expect((await run(['baja', '--correo', email])).said).toBe('Hecho.')
  expect((await run(['listar'])).said).toMatch(/redaccion@elheraldo\.example .*de baja desde \d{4}-/)
  expect((await run(['baja', '--correo', email])).code).toBe(1)
  const again = ['crear', '--rol', 'prensa', '--correo', email, '--clave-stdin']
  expect(await run(again, 'jacarandas-en-marzo-71\n')).toEqual({ code: 0, said: 'Hecho.' })

  const log = await sql<{ que: string }>`select que from bitacora where desde = 'terminal' order by id`.execute(
    database.db,
  )
  expect(log.rows.map(({ que }) => que)).toEqual([
    'cuenta.creada.prensa',
    'cuenta.rol.admin',
    'cuenta.clave',
    'cuenta.creada.admin',
    'cuenta.baja',
    'cuenta.creada.prensa',
  ])
})

test('wrong arguments are refused before the database is opened', async () => {
  const nowhere = { DATABASE_URL: 'postgres://nadie@127.0.0.1:1/nada' }
  for (const args of [
    [],
    ['borrar'],
    ['crear', '--rol', 'jefe', '--correo', 'a@b.example'],
    ['baja'],
    ['listar', '--todo'],
    ['listar', 'todo'],
  ])
    expect(await run(args, '', nowhere)).toEqual({ code: 2, said: expect.stringContaining('Uso:') })
})
