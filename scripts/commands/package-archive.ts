// Unpacks a package's archive for npm run actualizar.
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
 * Unpacks an archive into a private folder if its checksum matches. tar refuses names that lead outside, and does not write through
 * links that it has unpacked; `findEntryOutside` finds other entries that lead outside, before any file of the archive is read.
 * @param tempFolder an empty folder that only this account may enter
 * @returns the only folder of the archive
 * @throws StartError when the checksum does not match, tar refuses the archive, or an entry leads outside
 */
export async function unpackPackage(packagePath: string, checksum: string, tempFolder: string): Promise<string> {
  // A copy is checked and unpacked, since the original could be replaced in between (TOCTOU).
  const archive = join(tempFolder, 'paquete.tar.gz')
  await copyFile(packagePath, archive)
  const hash = createHash('sha256')
  await pipeline(createReadStream(archive), hash)
  if (hash.digest('hex') !== checksum.toLowerCase())
    throw new StartError(
      `${packagePath} no es el paquete de esa suma, y no se abrió. Cópialo otra vez y revisa la suma con quien lo hizo.`,
    )
  const unpackedFolder = join(tempFolder, 'abierto')
  await mkdir(unpackedFolder)
  await run('tar', ['-xzf', archive, '-C', unpackedFolder]).catch((error: { stderr?: string }) => {
    throw new StartError(
      `${packagePath} no se pudo abrir. Cópialo otra vez y repite la orden. ${error.stderr?.trim() ?? ''}`,
    )
  })
  const outsideEntry = await findEntryOutside(unpackedFolder)
  if (outsideEntry !== undefined)
    throw new StartError(
      `${packagePath} no se abrió: «${outsideEntry}» saldría de su carpeta. No es de npm run empaquetar.`,
    )
  return join(unpackedFolder, (await readdir(unpackedFolder))[0]!)
}

/**
 * Finds the first entry that is beside the only folder of the archive, leads out of it, or is not a file, folder or link.
 * @returns the entry's path; '' for an empty archive; undefined for a safe one
 */
async function findEntryOutside(unpackedFolder: string): Promise<string | undefined> {
  const [top, ...others] = await readdir(unpackedFolder, { withFileTypes: true })
  if (!top?.isDirectory() || others.length > 0) return others[0]?.name ?? top?.name ?? ''
  const folder = await realpath(join(unpackedFolder, top.name))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isInside = entry.isSymbolicLink()
      ? `${await realpath(path).catch(() => '')}/`.startsWith(`${folder}/`)
      : entry.isFile() || entry.isDirectory()
    if (!isInside) return join(top.name, relative(folder, path))
  }
  return undefined
}
