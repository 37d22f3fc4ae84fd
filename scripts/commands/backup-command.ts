// npm run respaldo, loaded by respaldo.ts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '#app/core/db/database.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { assertDestination } from '#app/core/storage/open-store.server.ts'
import { normalizedDestination } from '#app/ops/backup/identity.server.ts'
import { runBackup } from '#app/ops/backup/mutations.server.ts'
import { backupPassphrase } from '#app/ops/backup/own-key.server.ts'
import { ROTATION_RULE, type RotationRule } from '#app/ops/backup/rotation.ts'
import { sameDiskNotice } from '#app/ops/backup/same-disk-notice.server.ts'
import { bytesInWords } from '#app/ops/backup/schema.ts'
import { root } from '../prepare.mjs'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite, readSecret } from './open-site.ts'
import { parseOptions, runCommand } from './run-command.ts'

const USAGE = `Uso: npm run respaldo -- --a CARPETA|s3://cubeta?endpoint=… [--conservar 14] [--repasar] [--json]
Sin --a va a BACKUP_URL. Sin --conservar quedan ahí las de 48 horas (una por hora), 7 días, 4 semanas y 12 meses; en otro lugar, además, las 14 últimas.
--repasar lee entero todo lo que ya había, y repone lo dañado. Se cifra con BACKUP_KEY (20 caracteres o más), o con la clave que hizo el sitio (panel, «Estado»),
y entonces lleva también el secreto del sitio, sin el que después no se pueden comprobar los votos ni leer los segundos pasos.`

const parseArguments = () =>
  parseOptions(USAGE, () => {
    const { values } = parseArgs({
      options: {
        a: { type: 'string' },
        conservar: { type: 'string' },
        repasar: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    if (!/^[1-9]\d{0,3}$/.test(values.conservar ?? '14')) throw new StartError(USAGE)
    return values
  })

await runCommand({ isJson: process.argv.includes('--json') }, async (onProgress, undo) => {
  const { a, conservar, repasar } = parseArguments()
  const settings = readSettings(process.env)
  if (a !== undefined) assertDestination(a)
  const destination = a === undefined ? settings.backupUrl : resolveFromCaller(a)
  if (destination === undefined) throw new StartError(`Falta a dónde: --a, o BACKUP_URL.\n${USAGE}`)
  const { pool, storage } = await openCommandSite(settings, undo)
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const secret = await readSecret(settings)
  const passphrase = await backupPassphrase(openDatabase(pool), settings, secret ? createKeyDeriver(secret) : undefined)
  const site = { pool, storage, dataDir: settings.dataDir, publicUrl: settings.publicUrl, secret, version }
  const diskNotice = await sameDiskNotice(destination, settings.dataDir)
  if (diskNotice !== undefined) onProgress(diskNotice)
  const isOwn =
    settings.backupUrl !== undefined && normalizedDestination(destination) === normalizedDestination(settings.backupUrl)
  const rule: RotationRule = isOwn ? ROTATION_RULE : { anyOf: [ROTATION_RULE, { count: 14 }] }
  const completedBackup = await runBackup(
    site,
    { destination, passphrase },
    {
      rotation: conservar === undefined ? rule : { count: Number(conservar) },
      ...(repasar && { isFullCheck: repasar }),
      onProgress,
    },
  )
  if (!completedBackup.cifrada)
    onProgress(
      'Sin cifrar: quien tenga esa carpeta puede leer los documentos. El secreto del sitio (session-secret) no va en ella: guárdalo aparte, o pon BACKUP_KEY.',
    )
  else if (settings.backupKey === undefined)
    onProgress(
      'Cifrado con la clave del sitio, que está en el panel, en «Estado»: sin ella no se abre en otra máquina.',
    )
  const { cuentas, perdidos, escritos, bytes } = completedBackup
  const summary = `${cuentas.entradas} inscripciones, ${completedBackup.objetos} archivos, ${cuentas.votos} votos; ${bytesInWords(bytes)}, ${bytesInWords(escritos)} nuevos${completedBackup.repuestos > 0 ? `; ${completedBackup.repuestos} archivos dañados se repusieron` : ''}`
  const notices = completedBackup.avisos.map((notice) => ` ${notice}`).join('')
  return perdidos.length === 0
    ? {
        ok: true,
        line: `Respaldo hecho y comprobado en ${completedBackup.destino}: ${completedBackup.id} (${summary}).${notices}`,
        data: { ...completedBackup },
      }
    : {
        ok: false,
        line: `Respaldo ${completedBackup.id} hecho en ${completedBackup.destino}, pero al sitio le faltan ${perdidos.length} archivos que su base de datos nombra o ya no son los que se recibieron: ${perdidos.slice(0, 3).join(', ')}. Búscalos en un respaldo anterior.${notices}`,
        data: { ...completedBackup },
      }
})
