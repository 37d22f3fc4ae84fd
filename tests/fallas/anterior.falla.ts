import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killEverything } from '../procesos.ts'
import { startMultitud } from './multitud.ts'
import { revisa, votantesEn } from './revision.ts'
import { conSitio, pide } from './sitio.ts'

/** The last commit from before backups, upgrades and watching. */
const ANTES = '60793a9'

test.each([
  'in order',
  'by kill -9, with uploads and votes under way',
])('the data folder that a version of before leaves, ended %s, is taken over whole', async (how) => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-antes-'))
  try {
    // The history is needed: a shallow clone has none (git fetch --unshallow).
    execFileSync('sh', ['-c', `git archive ${ANTES} | tar -x -C ${folder}`])
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    await mkdir(join(folder, '.cache'))
    for (const part of ['images', 'fonts'])
      await cp(join('.cache', part), join(folder, '.cache', part), { recursive: true })
    await conSitio(
      {},
      async (sitio) => {
        const { dataDir, url } = sitio
        const multitud = startMultitud({ url, votantes: await votantesEn(dataDir, 4_000), votan: 8, registran: 3 })
        await multitud.avanza(60, 5)
        if (how === 'in order') await sitio.stop()
        else await killEverything(sitio.running)
        await sitio.start({}, process.cwd())
        for (const path of ['/', '/misspopularidad', '/registro', '/readyz'])
          expect([path, (await pide(url + path)).status]).toEqual([path, 200])
        // Those who were in the middle go on with the version that they find.
        await multitud.avanza(40, 5)
        await multitud.acaba()
        expect(await revisa(dataDir, multitud)).toEqual([])
      },
      folder,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
