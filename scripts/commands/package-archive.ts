// This module unpacks a package's archive for npm run actualizar.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { StartError } from '#app/core/process/start-error.server.ts'

const run = promisify(execFile)

/**
 * Unpacks an archive, in a private folder, after its sum has matched. tar refuses names outside and writes through no link that it
 * unpacks; the rest is found afterwards, while nothing has read a file of the archive.
 * @param draft an empty folder that only this account may enter
 * @returns the archive's one folder
 * @throws StartError when the sum is another, tar refuses the archive, or an entry leads outside
 */
export async function unpackPackage(given: string, sum: string, draft: string): Promise<string> {
  // The copy is summed and unpacked, against TOCTOU.
  const archive = join(draft, 'paquete.tar.gz')
  await copyFile(given, archive)
  const hash = createHash('sha256')
  await pipeline(createReadStream(archive), hash)
  if (hash.digest('hex') !== sum.toLowerCase())
    throw new StartError(
      `${given} no es el paquete de esa suma, y no se abrió. Cópialo otra vez y revisa la suma con quien lo hizo.`,
    )
  const unpacked = join(draft, 'abierto')
  await mkdir(unpacked)
  await run('tar', ['-xzf', archive, '-C', unpacked]).catch((error: { stderr?: string }) => {
    throw new StartError(`${given} no se pudo abrir. Cópialo otra vez y repite la orden. ${error.stderr?.trim() ?? ''}`)
  })
  const outside = await findEntryOutside(unpacked)
  if (outside !== undefined)
    throw new StartError(`${given} no se abrió: «${outside}» saldría de su carpeta. No es de npm run empaquetar.`)
  return join(unpacked, (await readdir(unpacked))[0]!)
}

/**
 * Finds the first entry that is beside the archive's one folder, or leads out of that folder, or is no file, folder or link.
 * @returns the entry's path; '' for an empty archive; undefined for a safe one
 */
async function findEntryOutside(unpacked: string): Promise<string | undefined> {
  const [top, ...others] = await readdir(unpacked, { withFileTypes: true })
  if (!top?.isDirectory() || others.length > 0) return others[0]?.name ?? top?.name ?? ''
  const folder = await realpath(join(unpacked, top.name))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isInside = entry.isSymbolicLink()
      ? `${await realpath(path).catch(() => '')}/`.startsWith(`${folder}/`)
      : entry.isFile() || entry.isDirectory()
    if (!isInside) return join(top.name, relative(folder, path))
  }
  return undefined
}
