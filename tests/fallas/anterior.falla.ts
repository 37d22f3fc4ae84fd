import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killEverything } from '../procesos.ts'
import { layOut, versionBefore } from '../version-before.ts'
import { startCrowd } from './multitud.ts'
import { checkConsistency, makeVoters } from './revision.ts'
import { ask, withFaultSite } from './sitio.ts'

test.each([
  'in order',
  'by kill -9, with uploads and votes under way',
])('the data folder of an earlier version, ended %s, is taken over whole', async (how) => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-antes-'))
  try {
    const commit = await versionBefore()
    // A shallow clone lacks the commit: git fetch --unshallow.
    if (commit === undefined) throw new Error('The commit of .ci/base is not here.')
    await layOut(commit, folder)
    await withFaultSite(
      {},
      async (site) => {
        const { dataDir, url } = site
        const crowd = startCrowd({ url, votantes: await makeVoters(dataDir, 4_000), votan: 8, registran: 3 })
        await crowd.avanza(60, 5)
        if (how === 'in order') await site.stop()
        else await killEverything(site.running)
        await site.start({}, process.cwd())
        for (const path of ['/', '/misspopularidad', '/registro', '/readyz'])
          expect([path, (await ask(url + path)).status]).toEqual([path, 200])
        // Visitors in the middle of a form or a vote go on with the new version.
        await crowd.avanza(40, 5)
        await crowd.acaba()
        expect(await checkConsistency(dataDir, crowd)).toEqual([])
      },
      folder,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
