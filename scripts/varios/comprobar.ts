import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { versionBefore } from '../../tests/version-before.ts'
import { createPaseo, expect } from '../paseo.ts'
import { tryCaidas } from './caidas.ts'
import { cifras } from './cifras.ts'
import { abrirRegistros, tryInscripciones } from './inscripciones.ts'
import { openLugar } from './lugar.ts'
import { tryOrdenes } from './ordenes.ts'
import { tryOrganizacion } from './organizacion.ts'
import { openPaquete, openPaqueteDe } from './paquetes.ts'
import { tryVersiones } from './versiones.ts'
import { tryVotacion } from './votacion.ts'

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
const desde = Number(options.puerto)
const wants = (part: string) => options.solo === undefined || options.solo.split(',').includes(part)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const paseo = createPaseo()
const work = await mkdtemp(join(tmpdir(), 'certamen-varios-'))
try {
  const paquete = options.paquete ?? (await openPaquete(work))
  const lugar = await openLugar(paquete, { desde })
  try {
    console.log('Arranque:')
    await paseo.holds(
      'los tres a la vez sobre una base de datos vacía: migran, y hay un solo administrador',
      async () => {
        await Promise.all(lugar.procesos.map((proceso) => proceso.start()))
        const { rows } = await lugar.pool.query(`select email from profiles where role = 'admin'`)
        const files = lugar.procesos.filter(({ dataDir }) => existsSync(join(dataDir, 'primer-administrador.txt')))
        expect(rows.length === 1 && files.length === 1, `${rows.length} cuentas, ${files.length} archivos con su clave`)
      },
    )
    await abrirRegistros(lugar)
    if (wants('inscripciones')) await tryInscripciones(paseo, lugar)
    if (wants('organizacion')) await tryOrganizacion(paseo, lugar)
    if (wants('votacion')) await tryVotacion(paseo, lugar)
    if (wants('ordenes')) await tryOrdenes(paseo, lugar, paquete)
    if (wants('caidas')) await tryCaidas(paseo, lugar, Number(options.vueltas))
    if (options.cifras) await cifras(lugar)
  } finally {
    await lugar.stop()
  }
  if (wants('versiones')) {
    const anterior =
      options['paquete-anterior'] ?? (await openPaqueteDe(work, options.anterior ?? (await versionBefore())))
    if (anterior) await tryVersiones(paseo, [anterior, paquete], desde)
    else paseo.untried.push('dos versiones lado a lado: aquí no está la historia de git')
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
paseo.end()
