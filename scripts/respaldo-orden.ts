// What npm run respaldo does, loaded by respaldo.ts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readSettings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { assertDestino } from '#app/core/storage/open-store.server.ts'
import { destinoDe } from '#app/ops/backup/identity.server.ts'
import { hacerCopia } from '#app/ops/backup/mutations.server.ts'
import { REGLA, type Regla } from '#app/ops/backup/rotation.ts'
import { avisoDeDisco } from '#app/ops/backup/same-disk-notice.server.ts'
import { bytesEnPalabras } from '#app/ops/backup/schema.ts'
import { undoAll } from '../server/undo.ts'
import { desdeAqui } from './ejecutar.ts'
import { leerOpciones, orden } from './orden.ts'
import { root } from './prepare.mjs'
import { openSitio, secretoDe } from './sitio-abierto.ts'

const USO = `Uso: npm run respaldo -- --a CARPETA|s3://cubeta?endpoint=… [--conservar 14] [--repasar] [--json]
Sin --a va a BACKUP_URL. Sin --conservar quedan ahí las de 7 días, 4 semanas y 12 meses; en otro lugar, además, las 14 últimas.
--repasar lee entero todo lo que ya había, y repone lo dañado. Con BACKUP_KEY (20 caracteres o más) se cifra, y entonces lleva también el secreto del sitio,
sin el que después no se pueden comprobar los votos ni leer los segundos pasos.`

const leidas = () =>
  leerOpciones(USO, () => {
    const { values } = parseArgs({
      options: {
        a: { type: 'string' },
        conservar: { type: 'string' },
        repasar: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    if (!/^[1-9]\d{0,3}$/.test(values.conservar ?? '14')) throw new StartError(USO)
    return values
  })

await orden({ json: process.argv.includes('--json') }, async (dice, undo) => {
  const { a, conservar, repasar } = leidas()
  const settings = readSettings(process.env)
  if (a !== undefined) assertDestino(a)
  const destino = a === undefined ? settings.backupUrl : desdeAqui(a)
  if (destino === undefined) throw new StartError(`Falta a dónde: --a, o BACKUP_URL.\n${USO}`)
  try {
    const { pool, storage } = await openSitio(settings, undo)
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const secreto = await secretoDe(settings)
    const sitio = { pool, storage, dataDir: settings.dataDir, publicUrl: settings.publicUrl, secreto, version }
    const disco = await avisoDeDisco(destino, settings.dataDir)
    if (disco !== undefined) dice(disco)
    const isOwn = settings.backupUrl !== undefined && destinoDe(destino) === destinoDe(settings.backupUrl)
    const regla: Regla = isOwn ? REGLA : { alguna: [REGLA, { cuantas: 14 }] }
    const hecha = await hacerCopia(
      sitio,
      { destino, clave: settings.backupKey },
      {
        conservar: conservar === undefined ? regla : { cuantas: Number(conservar) },
        ...(repasar && { repasar }),
        dice,
      },
    )
    if (!hecha.cifrada)
      dice(
        'Sin cifrar: quien tenga esa carpeta puede leer los documentos. El secreto del sitio (session-secret) no va en ella: guárdalo aparte, o pon BACKUP_KEY.',
      )
    const { cuentas, perdidos, escritos, bytes } = hecha
    const said = `${cuentas.entradas} inscripciones, ${hecha.objetos} archivos, ${cuentas.votos} votos; ${bytesEnPalabras(bytes)}, ${bytesEnPalabras(escritos)} nuevos${hecha.repuestos > 0 ? `; ${hecha.repuestos} archivos dañados se repusieron` : ''}`
    const avisos = hecha.avisos.map((aviso) => ` ${aviso}`).join('')
    return perdidos.length === 0
      ? {
          ok: true,
          linea: `Respaldo hecho y comprobado en ${hecha.destino}: ${hecha.id} (${said}).${avisos}`,
          datos: { ...hecha },
        }
      : {
          ok: false,
          linea: `Respaldo ${hecha.id} hecho en ${hecha.destino}, pero al sitio le faltan ${perdidos.length} archivos que su base de datos nombra o ya no son los que se recibieron: ${perdidos.slice(0, 3).join(', ')}. Búscalos en un respaldo anterior.${avisos}`,
          datos: { ...hecha },
        }
  } finally {
    await undoAll(undo)
  }
})
