import { stat } from 'node:fs/promises'

/**
 * Returns an identity that a folder keeps when it is renamed or seen from a container, but that its copies do not have.
 * @throws ENOENT when there is no such folder
 */
export async function folderIdentityOf(folder: string): Promise<string> {
  const { birthtimeNs, ino } = await stat(folder, { bigint: true })
  // Another disk may have the same inode number, so the creation time is better; some file systems do not store it.
  return birthtimeNs > 0n ? `nacida ${birthtimeNs}` : `nodo ${ino}`
}
