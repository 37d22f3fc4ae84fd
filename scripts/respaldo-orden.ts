// What npm run respaldo does, loaded by respaldo.ts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openAlmacen } from '#app/copias/almacen.server.ts'
import { hacerCopia } from '#app/copias/mutations.server.ts'
import { bytesEnPalabras } from '#app/copias/schema.ts'
import { readSettings } from '#app/platform/env.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { type Undo, undoAll } from '../server/undo.ts'
import { desdeAqui } from './ejecutar.ts'
import { leerOpciones, orden } from './orden.ts'
import { root } from './prepare.mjs'
import { openSitio, secretoDe } from './sitio-abierto.ts'

const USO = `Uso: npm run respaldo -- --a CARPETA|s3://cubeta?endpoint=… [--conservar 14] [--json]
Sin --a va a BACKUP_URL. Con BACKUP_KEY (20 caracteres o más) se cifra, y entonces lleva también el secreto del sitio,
sin el que después no se pueden comprobar los votos ni leer los segundos pasos.`

const leidas = () =>
  leerOpciones(USO, () => {
    const { values } = parseArgs({
      options: { a: { type: 'string' }, conservar: { type: 'string', default: '14' }, json: { type: 'boolean' } },
    })
    if (!/^[1-9]\d{0,3}$/.test(values.conservar)) throw new StartError(USO)
    return { a: values.a, conservar: Number(values.conservar) }
  })

await orden({ json: process.argv.includes('--json') }, async (dice) => {
  const { a, conservar } = leidas()
  const settings = readSettings(process.env)
  const destino = a === undefined ? settings.backupUrl : desdeAqui(a)
  if (destino === undefined) throw new StartError(`Falta a dónde: --a, o BACKUP_URL.\n${USO}`)
  const undo: Undo = []
  try {
    const { pool, storage } = await openSitio(settings, undo)
    const almacen = await openAlmacen(destino, settings.backupKey)
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const secreto = await secretoDe(settings)
    const sitio = { pool, storage, dataDir: settings.dataDir, publicUrl: settings.publicUrl, secreto, version }
    const hecha = await hacerCopia(sitio, almacen, { conservar: { cuantas: conservar }, dice })
    if (!hecha.cifrada)
      dice(
        'Sin cifrar: quien tenga esa carpeta puede leer los documentos. El secreto del sitio (session-secret) no va en ella: guárdalo aparte, o pon BACKUP_KEY.',
      )
    const { cuentas, perdidos, escritos, bytes } = hecha
    const said = `${cuentas.entradas} inscripciones, ${hecha.objetos} archivos, ${cuentas.votos} votos; ${bytesEnPalabras(bytes)}, ${bytesEnPalabras(escritos)} nuevos`
    return perdidos.length === 0
      ? {
          ok: true,
          linea: `Respaldo hecho y comprobado en ${almacen.nombre}: ${hecha.id} (${said}).`,
          datos: { ...hecha, destino: almacen.nombre },
        }
      : {
          ok: false,
          linea: `Respaldo ${hecha.id} hecho en ${almacen.nombre}, pero al sitio le faltan ${perdidos.length} archivos que su base de datos nombra o ya no son los que se recibieron: ${perdidos.slice(0, 3).join(', ')}. Búscalos en un respaldo anterior.`,
          datos: { ...hecha, destino: almacen.nombre },
        }
  } finally {
    await undoAll(undo)
  }
})
