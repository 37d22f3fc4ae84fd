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
