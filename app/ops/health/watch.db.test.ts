// Longer than 350 lines: the watch and the findings of its checks, over one site.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confirmClock } from '#app/core/db/clock-guard.server.ts'
import { startJob } from '#app/core/process/recurring-job.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { announceDeletions } from '#app/entries/retention/schedule.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { type CheckContext, type HealthCheck, runChecks, warning } from './check.server.ts'
import { countFaults, listDiagnoses } from './data.server.ts'
import { clockFinding, EXTERNAL_CHECKS, estimateSecretBits } from './external-checks.server.ts'
import { INTERNAL_CHECKS } from './internal-checks.server.ts'
import { readMetrics } from './metrics.server.ts'
import { outsideUrls, readClockOffset } from './outside-time.server.ts'
import type { Diagnosis } from './schema.ts'
import { createHealthWatch, mailDiskSpaceNotice, notifyPlannedDeletions, saveDiagnoses } from './watch.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('every organiser is told by mail that the disk is nearly full, once a day', async () => {
  const { pool } = site.database
  await pool.query(`insert into profiles (id, name, email, role, baja_at) values
    ('a', 'Ana', 'ana@feria.example', 'admin', null), ('b', 'Eva', 'eva@feria.example', 'admin', null),
    ('c', 'Ida', 'ida@feria.example', 'admin', now()), ('d', 'Uma', 'uma@diario.example', 'prensa', null),
    ('e', 'Zoe', 'zoe@correo.mx', null, null)`)
  const full = {
    ...site.services,
    settings: { ...site.services.settings, diskReserve: { bytes: Number.MAX_SAFE_INTEGER } },
  }
  const day = new Date('2025-09-20T12:00:00-06:00')
  expect(
    await mailDiskSpaceNotice({ ...site.services, settings: { ...full.settings, diskReserve: { bytes: 0 } } }, day),
  ).toBe(0)
  expect(await mailDiskSpaceNotice(full, day)).toBe(2)
  expect(await mailDiskSpaceNotice(full, new Date('2025-09-20T23:00:00-06:00'))).toBe(0)
  expect(await mailDiskSpaceNotice(full, new Date('2025-09-21T00:30:00-06:00'))).toBe(2)
  const { rows } = await pool.query(`select distinct recipient from correos where kind = 'espacio' order by 1`)
  expect(rows.map(({ recipient }) => recipient)).toEqual(['ana@feria.example', 'eva@feria.example'])
})

const brokenCheck = (de: string): Diagnosis => ({
  de,
  titulo: 'Respaldos',
  nivel: 'falla',
  dice: 'No hay.',
  remedio: 'Haz uno.',
})

test('a new fault is mailed once, and once more when it is resolved', async () => {
  const { services, database } = site
  const at = (minute: number) => new Date(Date.parse('2025-09-22T12:00:00Z') + minute * 60_000)
  const well: Diagnosis = { de: 'copias', titulo: 'Respaldos', nivel: 'ok', dice: 'Hay uno de anoche.' }
  expect(await saveDiagnoses(services, [well], at(0))).toBe(0)
  expect(await saveDiagnoses(services, [brokenCheck('copias')], at(1))).toBe(2)
  // A process that ends before it stores the diagnosis leaves the mail in the queue; the next process adds none.
  await services.db
    .updateTable('diagnosticos')
    .set({ nivel: 'ok', desde: at(0) })
    .execute()
  expect(await saveDiagnoses(services, [brokenCheck('copias')], at(1))).toBe(0)
  expect(await saveDiagnoses(services, [brokenCheck('copias')], at(2))).toBe(0)
  expect(await listDiagnoses(services.db)).toMatchObject([
    { de: 'copias', nivel: 'falla', remedio: 'Haz uno.', desde: at(1), seenAt: at(2) },
  ])
  expect(await countFaults(services.db)).toBe(1)
  expect(await saveDiagnoses(services, [well], at(3))).toBe(2)
  expect(await saveDiagnoses(services, [well], at(4))).toBe(0)
  // A fault after a recovery is a new one.
  expect(await saveDiagnoses(services, [brokenCheck('copias')], at(5))).toBe(2)
  // The disk has a separate message.
  expect(await saveDiagnoses(services, [brokenCheck('espacio')], at(6))).toBe(0)
  const { rows } = await database.pool.query(
    `select kind, count(*) from correos where kind <> 'espacio' group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { kind: 'compuesto', count: 2 },
    { kind: 'falla', count: 4 },
  ])
})

test('an announced deletion is mailed to every organiser once', async () => {
  const { services } = site
  await seedEntry(services, { createdAt: new Date('2025-08-01') })
  const later = { ...services, clock: createClock('2026-03-01') }
  expect(await notifyPlannedDeletions(services)).toBe(0)
  await announceDeletions(later, new Date('2026-03-01'))
  expect(await notifyPlannedDeletions(services)).toBe(2)
  expect(await notifyPlannedDeletions(services)).toBe(0)
  await services.db.deleteFrom('borrados_anunciados').execute()
})

test('one of several processes pings AVISO_URL while all is well; an external fault counts once it persists', async () => {
  let calls = 0
  const waits = createServer((_request, response) => {
    calls++
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(waits, 'listening')
  let level: 'ok' | 'falla' = 'ok'
  const checks: HealthCheck[] = [
    {
      de: 'prueba',
      titulo: 'Prueba',
      isExternal: true,
      run: async () => ({ nivel: level, dice: 'Eso.', remedio: 'Esto.' }),
    },
  ]
  const settings = {
    ...site.services.settings,
    diskReserve: { bytes: 0 },
    heartbeatUrl: `http://127.0.0.1:${(waits.address() as AddressInfo).port}/`,
  }
  const proof = async () => (await listDiagnoses(site.services.db)).find(({ de }) => de === 'prueba')?.nivel
  await site.services.db.deleteFrom('diagnosticos').execute()
  const startWatch = () => {
    const run = createHealthWatch({ ...site.services, settings }, { root: process.cwd(), checks })
    return startJob(site.services.log, { name: 'watch', everyMs: 20, run })
  }
  const stop = startWatch()
  await expect.poll(() => calls).toBeGreaterThan(2)
  // The second process leaves the watch to the first.
  const { rows } = await site.database.pool.query('select quien from guardia')
  const stopOther = startWatch()
  level = 'falla'
  await expect.poll(proof).toBe('falla')
  const silent = calls
  await stopOther()
  expect((await site.database.pool.query('select quien from guardia')).rows).toEqual(rows)
  level = 'ok'
  await expect.poll(proof).toBe('ok')
  await expect.poll(() => calls).toBeGreaterThan(silent)
  await stop()
  waits.close()
})

test('a restart during an external fault neither resolves it nor mails about it again', async () => {
  const { db, settings } = site.services
  await db.deleteFrom('diagnosticos').execute()
  await db.deleteFrom('correos').execute()
  const checks: HealthCheck[] = [
    {
      de: 'certificado',
      titulo: 'Certificado',
      isExternal: true,
      run: async () => ({ nivel: 'falla', dice: 'Ya venció.', remedio: 'Renuévalo.' }),
    },
  ]
  const startProcess = async () => {
    await db.deleteFrom('guardia').execute()
    const withSpace = { ...site.services, settings: { ...settings, diskReserve: { bytes: 0 } } }
    const runTurn = createHealthWatch(withSpace, { root: process.cwd(), checks })
    return () => runTurn(new AbortController().signal)
  }
  const firstTurn = await startProcess()
  await firstTurn()
  await firstTurn()
  const [found] = await listDiagnoses(db)
  expect(found).toMatchObject({ nivel: 'falla' })
  const turnAfterRestart = await startProcess()
  await turnAfterRestart()
  expect(await listDiagnoses(db)).toMatchObject([{ nivel: 'falla', desde: found!.desde }])
  const letters = await db.selectFrom('correos').select('kind').execute()
  expect(letters.map(({ kind }) => kind)).toEqual(['falla', 'falla'])
})

test('the checks report each fault with its remedy', async () => {
  const { services } = site
  const checkContext = {
    settings: services.settings,
    db: services.db,
    root: process.cwd(),
    isRunning: true,
    now: new Date(),
  }
  const of = async (change: Partial<CheckContext>) =>
    new Map((await runChecks([...INTERNAL_CHECKS], { ...checkContext, ...change })).map((one) => [one.de, one]))
  await confirmClock(services.db)
  const now = await of({})
  expect([...now.values()].filter(({ nivel }) => nivel === 'falla').map(({ de }) => de)).toEqual([])
  for (const one of now.values()) expect(one.nivel === 'ok' || one.remedio !== undefined, one.de).toBe(true)
  const inAYear = await of({ now: new Date(Date.now() + 365 * 86_400_000) })
  expect(inAYear.get('freno')).toMatchObject({ nivel: 'falla' })
  const away = await of({ db: undefined, isRunning: false })
  expect(away.get('base')).toMatchObject({ nivel: 'aviso' })
  // A site that is stopped, or that does not answer, is a fault; the named version is the running one.
  expect(away.get('version')).toMatchObject({ nivel: 'falla', remedio: expect.stringContaining('systemctl start') })
  expect((await of({ unwellReason: '/ contesta 500', runningVersion: '1.0.9 (abc)' })).get('version')).toMatchObject({
    nivel: 'falla',
    dice: expect.stringMatching(/^Versión 1\.0\.9 \(abc\),.*no contesta bien: \/ contesta 500\.$/),
  })
  await services.db
    .insertInto('copias')
    .values({
      copia: 'c1',
      destino: 'x',
      empezada_at: new Date(),
      hecha_at: new Date(),
      bytes: 1,
      objetos: 0,
      falla: null,
      ensayada_at: null,
      ensayo_falla: null,
    })
    .execute()
  expect((await of({})).get('copias')!.dice).toContain('Ninguno se ha restaurado de prueba')
  // A backup at another destination does not count; a backup dated next year, or without documents, is a fault.
  const backupUrl = { settings: { ...services.settings, backupUrl: '/otro/disco' } }
  expect((await of(backupUrl)).get('copias')).toMatchObject({ nivel: 'falla', dice: 'Todavía no hay ningún respaldo.' })
  const row = { destino: 'x', empezada_at: new Date(), hecha_at: new Date() }
  await services.db
    .insertInto('copias')
    .values({ ...row, copia: 'c2', falla: 'Faltan 3 archivos.' })
    .execute()
  expect((await of({})).get('copias')).toMatchObject({ nivel: 'falla', dice: expect.stringContaining('incompleto') })
  const nextYear = new Date(Date.now() + 365 * 86_400_000)
  await services.db
    .insertInto('copias')
    .values({ ...row, copia: 'c3', empezada_at: nextYear, hecha_at: nextYear })
    .execute()
  expect((await of({})).get('copias')).toMatchObject({ nivel: 'falla', dice: expect.stringContaining('fecha futura') })
  expect((await readMetrics(services.db, undefined)).copia_s).toBeGreaterThanOrEqual(0)
  await services.db.deleteFrom('copias').where('copia', 'in', ['c2', 'c3']).execute()
  expect((await of({})).get('a-medias')).toMatchObject({ nivel: 'ok' })
  await site.database.pool.query(`insert into borrados (inscripcion_id, acuse, bucket, carpeta, motivo, at)
    select n, 'B-' || n, 'registro', 'x', 'solicitud', now() - case n when 1 then interval '3 minutes' else '0' end
    from generate_series(1, 100) n`)
  expect((await of({})).get('a-medias')).toMatchObject({
    nivel: 'falla',
    dice: expect.stringMatching(/^100 inscripciones/),
  })
  await site.database.pool.query('delete from borrados')
  await site.database.pool.query(`insert into migraciones (nombre) values ('29990101000000_futuro.sql')`)
  expect((await of({})).get('migraciones')).toMatchObject({ nivel: 'falla' })
  await site.database.pool.query(`delete from migraciones where nombre ~ '^2999'`)
})

test('the clock is compared with another machine’s, and SITE_CLOCK is named', async () => {
  const lastYear = new Date(Date.now() - 365 * 86_400_000)
  const other = createServer((_request, response) => response.setHeader('date', lastYear.toUTCString()).end())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const address = new URL(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
  const offset = await readClockOffset([new URL('http://127.0.0.1:9'), address])
  other.close()
  expect(clockFinding(offset!)).toMatchObject({
    nivel: 'falla',
    dice: expect.stringMatching(/^Va 5256\d\d minutos adel/),
  })
  expect(clockFinding({ host: 'hc.example', aheadMs: -20_000 })).toMatchObject({
    nivel: 'aviso',
    dice: 'Va 20 segundos atrasado respecto de hc.example.',
  })
  expect(clockFinding({ host: 'hc.example', aheadMs: 900 })).toMatchObject({ nivel: 'ok' })
  const addresses = outsideUrls({
    heartbeatUrl: 'https://hc.example/ping/secreto',
    backupUrl: 's3://LLAVE:SECRETO@cubeta?endpoint=https://s3.example',
    storageUrl: 's3://cubeta?endpoint=http://127.0.0.1:9000',
  })
  expect(addresses.map(String)).toEqual(['https://hc.example/', 'https://s3.example/'])
  const settings = { ...site.services.settings, siteClock: '2025-09-20T12:00-06:00' }
  const checkContext = { settings, db: undefined, root: '.', isRunning: true, now: new Date() }
  const reading = EXTERNAL_CHECKS.filter(({ de }) => de === 'reloj')
  expect(await runChecks(reading, checkContext)).toMatchObject([
    { nivel: 'aviso', remedio: expect.stringContaining('SITE_CLOCK') },
  ])
})

test('in an installed package a remedy names the commands that a package has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paquete-'))
  const check: HealthCheck = {
    de: 'copias',
    titulo: 'Respaldos',
    run: async () => warning('Falta uno.', 'Corre npm run respaldo -- --a CARPETA, y luego npm start.'),
  }
  await writeFile(join(folder, 'paquete.json'), '{}')
  const { settings } = site.services
  const checkContext = { settings, db: undefined, root: folder, isRunning: true, now: new Date() }
  expect((await runChecks([check], checkContext))[0]?.remedio).toBe(
    'Corre certamen respaldo --a CARPETA, y luego certamen.',
  )
  await rm(folder, { recursive: true })
})

test('bitsOf estimates how hard a secret is to guess', () => {
  expect(estimateSecretBits('a'.repeat(40))).toBe(0)
  expect(estimateSecretBits('abababababababababababababababababab')).toBeLessThan(64)
  expect(estimateSecretBits('k3JmZpQ0sV9xT1bYcD7eLwNuRaGhFi8o2M5q')).toBeGreaterThan(96)
})

test('mail that waits while the server refuses it is not well, and is once a message goes out', async () => {
  const { pool } = site.database
  const checkContext = { settings: site.services.settings, db: site.services.db, root: process.cwd(), isRunning: true }
  const seen = async (minutes: number) =>
    (await runChecks([...INTERNAL_CHECKS], { ...checkContext, now: new Date(Date.now() + minutes * 60_000) })).find(
      ({ de }) => de === 'correo',
    )
  await pool.query('delete from correos')
  await pool.query(
    `insert into correos (idempotency_key, kind, priority, recipient, cifrado, expires_at)
     values ('espera', 'invitacion', 1, 'ana@correo.mx', 'x', now() + interval '5 days')`,
  )
  expect((await seen(1))?.nivel).toBe('ok')
  await pool.query(`update correos set last_error = 'EAUTH 535'`)
  expect(await seen(1)).toMatchObject({ nivel: 'aviso', dice: expect.stringContaining('no los recibe') })
  expect((await seen(6))?.nivel).toBe('falla')
  await pool.query(
    `insert into correos (idempotency_key, kind, priority, recipient, expires_at, sent_at)
     values ('sale', 'invitacion', 1, 'eva@correo.mx', now() + interval '5 days', now())`,
  )
  expect((await seen(6))?.nivel).toBe('ok')
  await pool.query('delete from correos')
})

/** Runs the checks as a running site does. @returns the finding of one of them */
async function findingOf(id: string) {
  const checkContext = { settings: site.services.settings, db: site.services.db, root: process.cwd(), isRunning: true }
  return (await runChecks([...INTERNAL_CHECKS], { ...checkContext, now: new Date() })).find(({ de }) => de === id)
}

test('a mail server that accepts every code and delivers none is noticed by the missing sign-ins', async () => {
  const { pool } = site.database
  const seen = () => findingOf('codigos')
  const sent = (from: number, to: number) =>
    pool.query(
      `insert into correos (idempotency_key, kind, priority, pasajero, recipient, expires_at, created_at, sent_at)
       select 'c' || n, 'codigo', 0, true, 'Espera' || n || '@correo.mx', now(), now() - interval '31 minutes', now() - interval '30 minutes'
       from generate_series($1::int, $2::int) n`,
      [from, to],
    )
  expect(await seen()).toMatchObject({ nivel: 'ok', dice: 'En la última hora no salió ninguno.' })
  await sent(1, 7)
  expect((await seen())?.nivel).toBe('ok')
  await sent(8, 19)
  expect((await seen())?.nivel).toBe('aviso')
  await sent(20, 24)
  expect(await seen()).toMatchObject({
    nivel: 'falla',
    dice: 'En la última hora se enviaron a 24 personas, y nadie entró con el suyo.',
  })
  // One sign-in shows that codes arrive.
  await pool.query(`insert into profiles (id, name, email) values ('espera', '', 'espera3@correo.mx')`)
  await pool.query(
    `insert into sessions (id, token, user_id, expires_at, vence_at, created_at)
     values ('espera', 'espera', 'espera', now() + interval '1 day', now() + interval '1 day', now())`,
  )
  expect(await seen()).toMatchObject({
    nivel: 'ok',
    dice: 'En la última hora se enviaron a 24 personas, y entraron 1.',
  })
  await pool.query(`delete from correos where kind = 'codigo'`)
})

test('codes that the mail server refuses for several people are noticed, and one for a mistyped address is not', async () => {
  const { pool } = site.database
  const seen = () => findingOf('codigos')
  const refused = (from: number, to: number) =>
    pool.query(
      `insert into correos (idempotency_key, kind, priority, pasajero, recipient, expires_at, failed_at, last_error)
       select 'r' || n, 'codigo', 0, true, 'rechazo' || n || '@correo.mx', now(), now(), '550 RCPT TO'
       from generate_series($1::int, $2::int) n`,
      [from, to],
    )
  await refused(1, 2)
  expect((await seen())?.nivel).toBe('ok')
  await refused(3, 9)
  expect(await seen()).toMatchObject({
    nivel: 'aviso',
    dice: 'En la última hora el servidor de correo no aceptó el código de 9 personas.',
  })
  await pool.query(`delete from correos where kind = 'codigo'`)
})
