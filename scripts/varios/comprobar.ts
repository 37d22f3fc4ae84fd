import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { versionBefore } from '../../tests/version-before.ts'
import { createPaseo, expect } from '../paseo.ts'
import { tryCrashes } from './caidas.ts'
import { figures } from './cifras.ts'
import { setRegistrationsOpen, tryEntries } from './inscripciones.ts'
import { openMachines } from './lugar.ts'
import { tryCommands } from './ordenes.ts'
import { tryOrganisers } from './organizacion.ts'
import { openPackage, openPackageOfCommit } from './paquetes.ts'
import { tryVersions } from './versiones.ts'
import { tryVoting } from './votacion.ts'

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

const paseo = createPaseo()
const work = await mkdtemp(join(tmpdir(), 'certamen-varios-'))
try {
  const packagePath = options.paquete ?? (await openPackage(work))
  const place = await openMachines(packagePath, { desde: from })
  try {
    console.log('Arranque:')
    await paseo.holds(
      'los tres a la vez sobre una base de datos vacía: migran, y hay un solo administrador',
      async () => {
        await Promise.all(place.procesos.map((runningProcess) => runningProcess.start()))
        const { rows } = await place.pool.query(`select email from profiles where role = 'admin'`)
        const files = place.procesos.filter(({ dataDir }) => existsSync(join(dataDir, 'primer-administrador.txt')))
        expect(rows.length === 1 && files.length === 1, `${rows.length} cuentas, ${files.length} archivos con su clave`)
      },
    )
    await setRegistrationsOpen(place)
    if (wants('inscripciones')) await tryEntries(paseo, place)
    if (wants('organizacion')) await tryOrganisers(paseo, place)
    if (wants('votacion')) await tryVoting(paseo, place)
    if (wants('ordenes')) await tryCommands(paseo, place, packagePath)
    if (wants('caidas')) await tryCrashes(paseo, place, Number(options.vueltas))
    if (options.cifras) await figures(place)
  } finally {
    await place.stop()
  }
  if (wants('versiones')) {
    const anterior =
      options['paquete-anterior'] ?? (await openPackageOfCommit(work, options.anterior ?? (await versionBefore())))
    if (anterior) await tryVersions(paseo, [anterior, packagePath], from)
    else paseo.untried.push('dos versiones lado a lado: aquí no está la historia de git')
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
paseo.end()
