import { stat } from 'node:fs/promises'

/**
 * Returns an identity that tells a folder from its copies: it stays when the folder is renamed or seen from a container.
 * @throws ENOENT when there is no such folder
 */
export async function identityOf(folder: string): Promise<string> {
  const { birthtimeNs, ino } = await stat(folder, { bigint: true })
  // Inode numbers may repeat on another disk, so the time of birth is better; some file systems keep no time of birth.
  return birthtimeNs > 0n ? `nacida ${birthtimeNs}` : `nodo ${ino}`
}
