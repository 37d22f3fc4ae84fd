import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { versionBefore } from '#tests/support/site/version-before.ts'
import { createSmokeTest, expect } from '../smoke-test.ts'
import { tryCommands } from './commands.ts'
import { tryCrashes } from './crashes.ts'
import { setRegistrationsOpen, tryEntries } from './entries.ts'
import { openMachines } from './machines.ts'
import { tryOrganisers } from './organisers.ts'
import { openPackage, openPackageOfCommit } from './packages.ts'
import { figures } from './throughput.ts'
import { tryVersions } from './two-versions.ts'
import { tryVoting } from './voting.ts'

const { values: options } = parseArgs({
  options: {
    puerto: { type: 'string', default: '18581' },
    solo: { type: 'string' },
    vueltas: { type: 'string', default: '1' },
    cifras: { type: 'boolean', default: false },
    anterior: { type: 'string' },
    'paquete-anterior': { type: 'string' },
    paquete: { type: 'string' },
  },
})
const from = Number(options.puerto)
const wants = (part: string) => options.solo === undefined || options.solo.split(',').includes(part)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const smokeTest = createSmokeTest()
const work = await mkdtemp(join(tmpdir(), 'certamen-varios-'))
try {
  const packagePath = options.paquete ?? (await openPackage(work))
  const place = await openMachines(packagePath, { firstPort: from })
  try {
    console.log('Arranque:')
    await smokeTest.holds(
      'los tres a la vez sobre una base de datos vacía: migran, y hay un solo administrador',
      async () => {
        await Promise.all(place.processes.map((runningProcess) => runningProcess.start()))
        const { rows } = await place.pool.query(`select email from profiles where role = 'admin'`)
        const files = place.processes.filter(({ dataDir }) => existsSync(join(dataDir, 'primer-administrador.txt')))
        expect(rows.length === 1 && files.length === 1, `${rows.length} cuentas, ${files.length} archivos con su clave`)
      },
    )
    await setRegistrationsOpen(place)
    if (wants('inscripciones')) await tryEntries(smokeTest, place)
    if (wants('organizacion')) await tryOrganisers(smokeTest, place)
    if (wants('votacion')) await tryVoting(smokeTest, place)
    if (wants('ordenes')) await tryCommands(smokeTest, place, packagePath)
    if (wants('caidas')) await tryCrashes(smokeTest, place, Number(options.vueltas))
    if (options.cifras) await figures(place)
  } finally {
    await place.stop()
  }
  if (wants('versiones')) {
    const previousPackage =
      options['paquete-anterior'] ?? (await openPackageOfCommit(work, options.anterior ?? (await versionBefore())))
    if (previousPackage) await tryVersions(smokeTest, [previousPackage, packagePath], from)
    else smokeTest.untried.push('dos versiones lado a lado: aquí no está la historia de git')
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
smokeTest.end()
