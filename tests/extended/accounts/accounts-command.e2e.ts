import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, Site, test } from '../../e2e/site.ts'

/** Runs `npm run cuentas -- …` over a data folder. */
async function run(dataDir: string, args: string[], input = '', databaseUrl = '') {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/cuentas.ts', ...args], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', FORCE_COLOR: undefined },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, said }
}

// scripts/commands/accounts-verbs.db.test.ts tests each command and its output.
test('accounts are made and listed while the site runs', async () => {
  // A separate site, since the site of other tests may have more organisers.
  const site = await Site.start()
  try {
    const made = await run(
      site.dataDir,
      ['crear', '--rol', 'prensa', '--correo', 'redaccion@elheraldo.example', '--clave-stdin'],
      'jacarandas-en-marzo-71\n',
    )
    expect(made).toEqual({ code: 0, said: 'Hecho.\n' })
    const last = await run(site.dataDir, ['baja', '--correo', 'organizacion@certamen.local'])
    expect(last).toEqual({ code: 1, said: expect.stringContaining('es la única cuenta de administración') })
    const log = await site.sql<{ que: string }>(`select que from bitacora where desde = 'terminal'`)
    expect(log).toEqual([{ que: 'cuenta.creada.prensa' }])
  } finally {
    await site.stop()
  }
})

test('accounts are made without a running site; a wrong command is refused before any data is opened', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuentas-'))
  expect(await run(dataDir, ['borrar'])).toEqual({ code: 2, said: expect.stringContaining('Uso:') })
  // A judge enters by a link, never by a password.
  expect(await run(dataDir, ['crear', '--rol', 'jurado', '--correo', 'juez@comite.example'])).toEqual({
    code: 2,
    said: expect.stringContaining('Falta --rol'),
  })
  expect(await run(dataDir, ['listar'], '', 'postgres://nadie@127.0.0.1:1/x')).toEqual({
    code: 1,
    said: expect.stringMatching(/^La base de datos de DATABASE_URL no responde .*\n$/),
  })
  const made = await run(dataDir, ['crear', '--rol', 'admin', '--correo', 'ana@comite.example'])
  expect(made.said).toContain('Primer administrador: organizacion@certamen.local')
  expect(made.said).toMatch(/Contraseña: (\w{5}-){3}\w{5}\n/)
  const listed = await run(dataDir, ['listar'])
  expect(listed).toEqual({ code: 0, said: 'admin   ana@comite.example\nadmin   organizacion@certamen.local\n' })
  await rm(dataDir, { recursive: true, force: true })
})
