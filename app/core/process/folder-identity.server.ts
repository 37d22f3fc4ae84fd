import { stat } from 'node:fs/promises'

/**
 * Returns an identity that a folder keeps when it is renamed or mounted into a container. A copy of the folder has another
 * identity.
 * @throws ENOENT when there is no such folder
 */
export async function folderIdentityOf(folder: string): Promise<string> {
  const { birthtimeNs, ino } = await stat(folder, { bigint: true })
  // The creation time is preferred, since inode numbers repeat on other disks. Some file systems do not store it.
  return birthtimeNs > 0n ? `nacida ${birthtimeNs}` : `nodo ${ino}`
}
