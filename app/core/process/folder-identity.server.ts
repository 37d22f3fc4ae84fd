import { stat } from 'node:fs/promises'

/**
 * Tells a folder from a copy of it: it stays as it is where the folder is renamed, or seen from a container, and is
 * another one where its content was copied.
 * @throws ENOENT when there is no such folder
 */
export async function identityOf(folder: string): Promise<string> {
  const { birthtimeNs, ino } = await stat(folder, { bigint: true })
  // Some file systems keep no moment of birth. Numbers alone may meet again on another disk.
  return birthtimeNs > 0n ? `nacida ${birthtimeNs}` : `nodo ${ino}`
}
