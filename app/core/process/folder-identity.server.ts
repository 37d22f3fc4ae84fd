import { stat } from 'node:fs/promises'

/**
 * Tells a folder from its copies: the identity stays when the folder is renamed or seen from a container; a copy has another.
 * @throws ENOENT when there is no such folder
 */
export async function identityOf(folder: string): Promise<string> {
  const { birthtimeNs, ino } = await stat(folder, { bigint: true })
  // Inode numbers may repeat on another disk, so the time of birth is better; some file systems keep none.
  return birthtimeNs > 0n ? `nacida ${birthtimeNs}` : `nodo ${ino}`
}
