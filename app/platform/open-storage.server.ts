import { isAbsolute, resolve } from 'node:path'
import type { Settings } from './env.server.ts'
import type { ObjectStorage } from './storage.server.ts'

/** The storage that the settings name: STORAGE_URL's, or the data folder. */
export async function openStorage(settings: Pick<Settings, 'dataDir' | 'storageUrl'>): Promise<ObjectStorage> {
  if (settings.storageUrl === undefined) {
    const { openFolderStorage } = await import('./storage-folder.server.ts')
    return openFolderStorage(settings.dataDir)
  }
  // The S3 client is by far the largest dependency of the server, so it is loaded only where it is used.
  const { openS3Storage } = await import('./storage-s3.server.ts')
  return openS3Storage(settings.storageUrl)
}

/** The storage of a place that is named by one word: a folder, or `s3://bucket[/prefix]?endpoint=…`. */
export const openPlace = (place: string): Promise<ObjectStorage> =>
  isS3(place)
    ? openStorage({ dataDir: '', storageUrl: place })
    : openStorage({ dataDir: folderOf(place), storageUrl: undefined })

export const isS3 = (place: string): boolean => place.startsWith('s3:')

/** Absolute path of a place that is a folder. */
export const folderOf = (place: string): string => (isAbsolute(place) ? place : resolve(place))
