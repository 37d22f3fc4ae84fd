import { expect, type SmokeTest } from '../smoke-test.ts'
import { setRegistrationsOpen, tryEntries } from './entries.ts'
import { openMachines } from './machines.ts'
import { tryOrganisers } from './organisers.ts'
import { Visitor } from './visitor.ts'
import { tryVoting } from './voting.ts'

/** Scripts and styles that a page of the site asks for. */
const assetsOf = (page: string) => [...new Set(page.match(/\/assets\/[\w./-]+\.(?:js|css)/g))]

/**
 * Checks an upgrade halfway: one process of the version before, two of this one, over one database. Both packages are opened
 * folders.
 */
export async function tryVersions(smokeTest: SmokeTest, [before, now]: [string, string], from: number): Promise<void> {
  console.log('Dos versiones lado a lado:')
  const place = await openMachines(now, { firstPort: from })
  const [oldProcess, ...newOnes] = place.processes
  try {
    await smokeTest.holds('la nueva arranca y migra mientras la de antes sirve, y la de antes sigue', async () => {
      await oldProcess!.start(before)
      await setRegistrationsOpen(place)
      await Promise.all(newOnes.map((runningProcess) => runningProcess.start()))
      expect(await oldProcess!.isServing(), 'la de antes ya no sirve')
    })
    await smokeTest.holds('la página de cada una encuentra sus archivos, conteste quien conteste', async () => {
      const who = new Visitor(place)
      const builds = new Set<string>()
      for (const { name } of place.processes) {
        const assets = assetsOf((await who.request('/registro', { processName: name })).text)
        expect(assets.length > 3, `${name}: ${assets.length} archivos`)
        builds.add(assets.sort().join())
        for (let turn = 0; turn < place.processes.length; turn++)
          for (const path of assets) {
            const { status } = await who.request(path)
            expect(status === 200, `${path} de ${name}: ${status}`)
          }
      }
      if (builds.size === 1)
        smokeTest.untried.push('archivos de dos construcciones: las dos versiones tienen los mismos')
    })
    await tryEntries(smokeTest, place)
    await tryOrganisers(smokeTest, place)
    await tryVoting(smokeTest, place)
  } finally {
    await place.stop()
  }
}
