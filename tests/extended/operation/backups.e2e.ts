import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { recountAllChains } from '#app/voting/chain/recount.server.ts'
import { servicesOn } from '../../e2e/accounts.ts'
import { castOn } from '../../e2e/cast-votes.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'
import { freePort, startSite } from '../../support/site/running-site.ts'

const PASSWORD = 'una frase larga que nadie adivina'

interface CommandOutput {
  code: number
  stdout: string
  stderr: string
}

async function npmRun(command: string, args: string[], env: Record<string, string>): Promise<CommandOutput> {
  const child = spawn('npm', ['run', '--silent', command, '--', ...args], { env: { ...process.env, ...env } })
  const said: CommandOutput = { code: -1, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk
  })
  ;[said.code] = await once(child, 'close')
  return said
}

const last = ({ stdout }: CommandOutput) => stdout.trim().split('\n').at(-1)

test.describe('backups', () => {
  let folder: string
  test.beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certamen-copias-'))
  })
  test.afterEach(() => rm(folder, { recursive: true, force: true }))

  test('a site is copied while votes come in, its machine goes, and from the copy alone it stands again', async () => {
    const site = await Site.start()
    const [backup, another] = [join(folder, 'copia'), join(folder, 'otra')]
    const env = { DATA_DIR: site.dataDir, BACKUP_KEY: PASSWORD }
    await sow(site, [{ titular: 'Ana Lirio' }, { titular: 'Eva Nardo' }])
    const [{ folio }] = (await site.sql<{ folio: string }>(
      `select folio from inscripciones where titular = 'Eva Nardo'`,
    )) as [{ folio: string }]
    const before = await castOn(site, [20, 10])
    const [done] = await Promise.all([npmRun('respaldo', ['--a', backup], env), castOn(site, [15, 15])])
    expect(done.code, done.stderr).toBe(0)
    expect(last(done)).toMatch(/^Respaldo hecho y comprobado en .*2 inscripciones, \d+ archivos, \d+ votos/)
    // The same report in JSON, for machines.
    const again = await npmRun('respaldo', ['--a', backup, '--json'], env)
    expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, cifrada: true, cuentas: { votos: 60 } })
    const finishedBackups = await site.sql<{ n: number }>(
      'select count(*)::int as n from copias where hecha_at is not null',
    )
    expect(finishedBackups).toEqual([{ n: 2 }])

    const checked = await npmRun('restaurar', [backup, '--comprobar'], env)
    expect(checked.code, checked.stderr).toBe(0)
    expect(await site.sql('select count(ensayada_at)::int as n from copias')).toEqual([{ n: 1 }])
    // She asks for her deletion after the copies were made.
    const removed = await servicesOn(site, async (services) => {
      const { deleteEntry } = await import('#app/entries/retention/deletion.server.ts')
      const [{ id }] = (await site.sql<{ id: number }>(
        `select id::int from inscripciones where titular = 'Ana Lirio'`,
      )) as [{ id: number }]
      return deleteEntry(services, id, 'solicitud', { quien: null, desde: 'prueba' })
    })
    expect(removed.ok).toBe(true)
    const third = await npmRun('respaldo', ['--a', backup, '--conservar', '3'], env)
    expect(third.code, third.stderr).toBe(0)
    await site.stop()
    expect(await stat(site.dataDir).catch(() => undefined)).toBeUndefined()

    const [first] = (await readdir(join(backup, 'objects/copias'))).sort()
    const back = await npmRun('restaurar', [backup, '--copia', first!, '--en', another], {
      DATA_DIR: another,
      BACKUP_KEY: PASSWORD,
    })
    expect(back.code, back.stdout + back.stderr).toBe(0)
    expect(back.stdout).toMatch(/entradas\s+2\s+1\n/)
    expect(last(back)).toContain('todo coincide, salvo 1 inscripciones que pidieron irse')
    const onto = await npmRun('restaurar', [backup, '--en', another], { DATA_DIR: another, BACKUP_KEY: PASSWORD })
    expect([onto.code, last(onto)]).toEqual([1, expect.stringContaining('no está vacía')])

    const stands = Site.of(await startSite({ DATA_DIR: another }))
    const rows = await stands.sql<{ titular: string; folio: string }>('select titular, folio from inscripciones')
    expect(rows).toEqual([{ titular: 'Eva Nardo', folio }])
    const [{ votos }] = (await stands.sql<{ votos: number }>(
      'select count(*)::int as votos from banda_digital_votes',
    )) as [{ votos: number }]
    expect(votos).toBeGreaterThanOrEqual(before.length)
    for (const receipt of before)
      expect(await stands.sql('select 1 from banda_digital_votes where recibo = $1', [receipt])).toHaveLength(1)
    expect(await servicesOn(stands, ({ db, keyed }) => recountAllChains(db, keyed))).toEqual([])
    for (const { path } of await stands.sql<{ path: string }>('select path from documentos'))
      expect((await stat(join(another, 'objects/registro', path))).size).toBeGreaterThan(100)
    await stands.stop()
  })

  test('a site moves to a server and another storage, and back, and a move never writes over a site', async ({
    site,
  }) => {
    const [newOne, objects, wayBack] = ['nueva', 'objetos', 'vuelta'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const old = Site.of(await startSite({ DATA_DIR: newOne }))
    await sow(old, [{ titular: 'Sol Mimosa' }])
    const refused = await npmRun('mudanza', ['--objetos', objects], { DATA_DIR: newOne })
    expect([refused.code, last(refused)]).toEqual([1, expect.stringContaining('El sitio está en marcha')])
    await keepStopping(old, newOne)

    // The other server is that of these tests' site.
    const server = { host: join(site.dataDir, 'postgres.sockets'), port: 5432, user: 'postgres', database: 'postgres' }
    const admin = new pg.Client(server)
    await admin.connect()
    await admin.query('create database mudada owner certamen')
    const url = `postgres://certamen@localhost/mudada?host=${encodeURIComponent(server.host)}`
    const env = { DATA_DIR: newOne }
    const file = join(folder, 'destino')
    await writeFile(file, `${url}\n`, { mode: 0o600 })
    const moved = await npmRun('mudanza', ['--a-archivo', file, '--objetos', objects, '--json'], env)
    expect(moved.code, moved.stdout + moved.stderr).toBe(0)
    expect(JSON.parse(moved.stdout)).toMatchObject({ ok: true, ahora: { entradas: 1, documentos: 6 }, fallas: [] })
    // A forgotten setting starts no site in the old place.
    expect(await startRefused(newOne)).toMatch(/^Esta base de datos se mudó a .*\/mudada el /)
    expect(await startRefused(newOne, url)).toMatch(/^Los archivos de este lugar se mudaron a .*objetos el /)
    const twice = await npmRun('mudanza', ['--a', url, '--objetos', objects], env)
    expect([twice.code, last(twice)]).toEqual([1, expect.stringContaining('no está vacía')])

    // The way back, into a new folder; the files of the data folder go along.
    const stays = await npmRun('mudanza', ['--quedarse'], { DATA_DIR: newOne, DATABASE_URL: url })
    expect(stays.code, stays.stdout + stays.stderr).toBe(0)
    const again = await npmRun('mudanza', ['--a', wayBack], { DATA_DIR: newOne, DATABASE_URL: url })
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(last(again)).toMatch(
      /^Mudanza hecha y comprobada\. \d+ archivos\. Arranca con DATA_DIR='.*vuelta', sin DATABASE_URL;/,
    )
    expect(await readFile(join(wayBack, 'session-secret'), 'utf8')).toBe(
      await readFile(join(newOne, 'session-secret'), 'utf8'),
    )
    const stands = Site.of(await startSite({ DATA_DIR: wayBack }))
    expect(await stands.sql('select titular from inscripciones')).toEqual([{ titular: 'Sol Mimosa' }])
    for (const { path } of await stands.sql<{ path: string }>('select path from documentos'))
      expect((await stat(join(wayBack, 'objects/registro', path))).size).toBeGreaterThan(100)
    await stands.stop()
    await admin.query('drop database mudada with (force)')
    await admin.end()
  })
})

/** Starts a site that must refuse. @returns the one line that it says */
async function startRefused(dataDir: string, databaseUrl?: string): Promise<string> {
  const env = { PORT: String(await freePort()), DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
  const child = spawn(process.execPath, ['scripts/serve.ts'], {
    env: { ...process.env, NODE_NO_WARNINGS: '1', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  return said.trim()
}

/** Stops a site, and keeps its data. */
async function keepStopping(site: Site, dataDir: string): Promise<void> {
  const { pid } = JSON.parse(await readFile(join(dataDir, 'sitio.pid'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGTERM')
  await expect
    .poll(
      () =>
        stat(join(dataDir, 'sitio.pid')).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(false)
  expect(site.url).toContain('http')
}
