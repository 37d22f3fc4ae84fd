import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killEverything } from '../support/site/site-processes.ts'
import { layOut, versionBefore } from '../support/site/version-before.ts'
import { checkConsistency, makeVoters } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { ask, withFaultSite } from './site.ts'

test.each([
  'in order',
  'by kill -9, with uploads and votes under way',
])('the data folder that a version of before leaves, ended %s, is taken over whole', async (how) => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-antes-'))
  try {
    const commit = await versionBefore()
    // A shallow clone does not have it: git fetch --unshallow.
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
        // Those who were in the middle go on with the version that they find.
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
