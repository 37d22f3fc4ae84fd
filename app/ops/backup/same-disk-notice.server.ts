import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { folderOf, isS3 } from '#app/core/storage/open-store.server.ts'

/** Returns a Spanish notice if the backups are on the same disk as the data, with which they would be lost. */
export async function sameDiskNotice(destination: string, dataDir: string): Promise<string | undefined> {
  if (isS3(destination)) return undefined
  const [destinationDevice, dataDevice] = await Promise.all([
    deviceOf(folderOf(destination)),
    deviceOf(resolve(dataDir)),
  ])
  return destinationDevice === dataDevice
    ? 'Ese lugar está en el mismo disco que los datos: el día que muera, se van los dos. Lleva una copia a otro disco o a una cubeta.'
    : undefined
}

/** Returns the device number of the nearest folder that exists. */
async function deviceOf(folder: string): Promise<number> {
  for (let current = folder; ; current = dirname(current)) {
    const stats = await stat(current).catch(() => undefined)
    if (stats || dirname(current) === current) return stats?.dev ?? 0
  }
}
