import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { freePort, startSite } from '../support/site/running-site.ts'
import { killEverything } from '../support/site/site-processes.ts'
import { exportCommit, findPreviousCommit } from '../support/site/version-before.ts'
import { cookieOf } from '../support/voting/voters.ts'
import { CLOSED } from '../support/voting/votes.ts'
import { about, checkConsistency, makeVoters, ownConnection } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { ask, withFaultSite } from './site.ts'

const run = promisify(execFile)
/** Folder with the previous version of the site. */
let previousFolder: string

beforeAll(async () => {
  previousFolder = await mkdtemp(join(tmpdir(), 'certamen-antes-'))
  const commit = await findPreviousCommit()
  // A shallow clone lacks the commit; git fetch --unshallow brings it.
  if (commit === undefined) throw new Error('The commit of .ci/base is not here.')
  await exportCommit(commit, previousFolder)
}, 120_000)
afterAll(() => rm(previousFolder, { recursive: true, force: true }))

test.each([
  'in order',
  'by kill -9, with uploads and votes under way',
])('the data folder that a version of before leaves, ended %s, is taken over whole', (ending) =>
  withFaultSite(
    {},
    async (site) => {
      const { dataDir, url } = site
      const crowd = startCrowd({
        url,
        voterCookies: await makeVoters(dataDir, 4_000),
        votersAtOnce: 8,
        registrantsAtOnce: 3,
      })
      await crowd.advance(60, 5)
      if (ending === 'in order') await site.stop()
      else await killEverything(site.running)
      await site.start({}, process.cwd())
      for (const path of ['/', '/misspopularidad', '/registro', '/readyz'])
        expect([path, (await ask(url + path)).status]).toEqual([path, 200])
      // Votes and registrations that were under way go on with the version that serves now.
      await crowd.advance(40, 5)
      await crowd.finish()
      expect(await checkConsistency(dataDir, crowd)).toEqual([])
    },
    previousFolder,
  ))

test('a copy that a version of before made, of a vote that it closed, is restored, and its act recounted', async () => {
  const tempFolder = await mkdtemp(join(tmpdir(), 'certamen-copia-'))
  const restoredDataDir = join(tempFolder, 'sitio')
  const recordFile = join(tempFolder, 'acta.json')
  const runScript = (folder: string, script: string, args: string[], dataDir: string) =>
    run(process.execPath, ['--disable-warning=ExperimentalWarning', `scripts/${script}.ts`, ...args], {
      cwd: folder,
      env: { ...process.env, LOG_LEVEL: 'silent', DATA_DIR: dataDir, BACKUP_KEY: 'una frase de más de veinte letras' },
    })
  try {
    await withFaultSite(
      {},
      async (site) => {
        const { dataDir, url } = site
        const crowd = startCrowd({
          url,
          voterCookies: await makeVoters(dataDir, 400),
          votersAtOnce: 8,
          registrantsAtOnce: 2,
        })
        await crowd.advance(60, 4)
        await crowd.finish()
        await site.stop()
        await site.start({ SITE_CLOCK: CLOSED.toISOString() })
        await about(ownConnection(dataDir), async (pool) => {
          await pool.query(`update profiles set role = 'admin' where id = 'medida-1'`)
          await pool.query(
            `insert into sessions (id, token, user_id, expires_at, vence_at) values ('cierra', 'cierra', 'medida-1', now() + '1 day', '2100-01-01')`,
          )
        })
        const closing = await ask(`${url}/misspopularidad-resultados`, {
          method: 'POST',
          headers: { cookie: cookieOf(createKeyDeriver(await readOrCreateSecret(dataDir)), 'cierra') },
          body: new URLSearchParams({ hacer: 'cerrar', seguro: 'si' }),
        })
        expect([closing.status, closing.text.includes('quedó sellada y publicada')]).toEqual([200, true])
        const record = await ask(`${url}/misspopularidad/acta.json`)
        await writeFile(recordFile, record.text)
        await runScript(previousFolder, 'respaldo', ['--a', join(tempFolder, 'copia')], dataDir)
        await site.stop()

        expect((await runScript('.', 'escrutinio', [recordFile], dataDir)).stdout).toContain(
          'El archivo coincide consigo mismo',
        )
        await runScript('.', 'restaurar', [join(tempFolder, 'copia'), '--en', restoredDataDir], dataDir)
        const restoredSite = await startSite({
          DATA_DIR: restoredDataDir,
          PORT: String(await freePort()),
          LOG_LEVEL: 'silent',
          SITE_CLOCK: CLOSED.toISOString(),
        })
        try {
          expect((await ask(`${restoredSite.url}/misspopularidad/acta.json`)).text === record.text).toBe(true)
          expect(await checkConsistency(restoredDataDir, crowd)).toEqual([])
        } finally {
          await killEverything(restoredSite).catch(() => {})
        }
      },
      previousFolder,
    )
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
})
