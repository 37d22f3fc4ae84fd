import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, Site, test } from './site.ts'

/** `npm run cuentas -- …` over a data folder. */
async function run(dataDir: string, args: string[], input = '') {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/cuentas.ts', ...args], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '', LOG_LEVEL: 'error', FORCE_COLOR: undefined },
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

test('accounts are made, listed, changed and withdrawn while the site runs', async () => {
  test.setTimeout(180_000)
  // Of its own: elsewhere there may be more organisers.
  const site = await Site.start()
  try {
    const cuentas = (...args: string[]) => run(site.dataDir, args)
    const correo = 'redaccion@elheraldo.example'

    const made = await cuentas('crear', '--rol', 'prensa', '--correo', correo.toUpperCase(), '--medio', 'El Heraldo')
    expect(made.said).toMatch(/^Correo: {5}REDACCION@.*\nContraseña: (\w{5}-){3}\w{5}\n/)
    expect(made.code).toBe(0)
    expect(await cuentas('crear', '--rol', 'prensa', '--correo', correo)).toEqual({
      code: 1,
      said: 'No se hizo: ya hay una cuenta con ese correo.\n',
    })
    expect((await cuentas('listar')).said).toContain(`prensa  ${correo}  El Heraldo\n`)

    expect((await cuentas('rol', '--correo', correo, '--rol', 'admin')).said).toBe('Hecho.\n')
    expect((await cuentas('listar')).said).toContain(`admin   ${correo}`)
    const weak = await run(site.dataDir, ['clave', '--correo', correo, '--clave-stdin'], 'contraseña2025\n')
    expect(weak).toEqual({ code: 1, said: expect.stringContaining('se adivina') })
    const set = await run(site.dataDir, ['clave', '--correo', correo, '--clave-stdin'], 'guayaba-29-trenza\n')
    expect(set).toEqual({ code: 0, said: 'Hecho.\n' })

    expect((await cuentas('baja', '--correo', correo)).said).toBe('Hecho.\n')
    expect((await cuentas('listar')).said).toMatch(/redaccion@elheraldo\.example .*de baja desde \d{4}-/)
    expect((await cuentas('baja', '--correo', correo)).code).toBe(1)
    const again = ['crear', '--rol', 'prensa', '--correo', correo, '--clave-stdin']
    expect(await run(site.dataDir, again, 'jacarandas-en-marzo-71\n')).toEqual({ code: 0, said: 'Hecho.\n' })
    const last = await cuentas('baja', '--correo', 'organizacion@certamen.local')
    expect(last.said).toContain('es la única cuenta de administración')

    const log = await site.sql<{ que: string; desde: string }>(
      `select que, desde from bitacora where desde = 'terminal' order by id`,
    )
    expect(log.map(({ que }) => que)).toEqual([
      'cuenta.creada.prensa',
      'cuenta.rol.admin',
      'cuenta.clave',
      'cuenta.baja',
      'cuenta.creada.prensa',
    ])
  } finally {
    await site.stop()
  }
})

test('and while it does not run; what is typed wrong is told before anything is opened', async () => {
  test.setTimeout(90_000)
  const dataDir = await mkdtemp(join(tmpdir(), 'cuentas-'))
  for (const args of [
    [],
    ['borrar'],
    ['crear', '--rol', 'jefe', '--correo', 'a@b.example'],
    ['baja'],
    ['listar', '--todo'],
  ])
    expect(await run(dataDir, args)).toEqual({ code: 2, said: expect.stringContaining('Uso:') })
  const made = await run(dataDir, ['crear', '--rol', 'admin', '--correo', 'ana@comite.example'])
  expect(made.said).toContain('Primer administrador: organizacion@certamen.local')
  expect(made.said).toMatch(/Contraseña: (\w{5}-){3}\w{5}\n/)
  const listed = await run(dataDir, ['listar'])
  expect(listed).toEqual({ code: 0, said: 'admin   ana@comite.example\nadmin   organizacion@certamen.local\n' })
  await rm(dataDir, { recursive: true, force: true })
})
