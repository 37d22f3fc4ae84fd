import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from './object-store.server.ts'

/** Opens the storage at STORAGE_URL or, without it, in the data folder. */
export async function openStorage(settings: Pick<Settings, 'dataDir' | 'storageUrl'>): Promise<ObjectStorage> {
  if (settings.storageUrl === undefined) {
    const { openFolderStorage } = await import('./folder-adapter.server.ts')
    return openFolderStorage(settings.dataDir)
  }
  // The S3 client, a large dependency, is loaded only if it is used.
  const { openS3Storage } = await import('./s3-adapter.server.ts')
  return openS3Storage(settings.storageUrl)
}

/** Opens a storage by its place: a folder, or `s3://bucket[/prefix]?endpoint=…`. */
export const openDestination = (destination: string): Promise<ObjectStorage> =>
  isS3(destination)
    ? openStorage({ dataDir: '', storageUrl: destination })
    : openStorage({ dataDir: folderOf(destination), storageUrl: undefined })

export const isS3 = (destination: string): boolean => destination.startsWith('s3:')

/** Opens a place for reading, so that a folder may be read-only. @throws StartError for a folder in which nothing is stored */
export async function openDestinationToRead(destination: string): Promise<ObjectStorage> {
  if (isS3(destination)) return openDestination(destination)
  const folderStat = await stat(join(folderOf(destination), 'objects')).catch(() => undefined)
  if (!folderStat?.isDirectory())
    throw new StartError(`En ${folderOf(destination)} no hay ningún respaldo. Revisa el nombre de la carpeta.`)
  const { openFolderStorage } = await import('./folder-adapter.server.ts')
  return openFolderStorage(folderOf(destination), { isReadOnly: true })
}

/**
 * Asserts that a text names a folder or a bucket. Text that looks like a place on another machine is no folder name, since a
 * local folder of that name would be created.
 * @throws StartError whose message shows an accepted form
 */
export function assertDestination(destination: string): void {
  const isDrive = /^[A-Za-z]:[\\/]/.test(destination)
  if (destination.trim() === '' || (!isDrive && !isS3(destination) && /^[^/\\]*:/.test(destination)))
    throw new StartError(
      `«${destination}» no es una carpeta ni una cubeta. Da una carpeta de esta máquina (un disco montado también lo es), o s3://cubeta?endpoint=https://servidor.`,
    )
  if (isS3(destination) && !URL.parse(destination)?.hostname)
    throw new StartError('El destino debe nombrar la cubeta, como s3://cubeta?endpoint=https://servidor.')
}

/** Returns the absolute path of a place that is a folder. */
export const folderOf = (destination: string): string => (isAbsolute(destination) ? destination : resolve(destination))

/**
 * Checks the storage at the start, before any request needs it.
 * @throws StartError if STORAGE_URL names no usable storage; the system's error for a data folder that cannot be written to
 */
export async function checkStorage(
  storage: ObjectStorage,
  { storageUrl }: Pick<Settings, 'storageUrl'>,
): Promise<void> {
  if (storageUrl === undefined) return storage.check()
  await storage.check().catch((error: Error & { $metadata?: { httpStatusCode?: number } }) => {
    throw new StartError(storageFaultMessage(error, new URL(storageUrl).hostname), { cause: error })
  })
}

function storageFaultMessage(error: Error & { $metadata?: { httpStatusCode?: number } }, bucket: string): string {
  const status = error.$metadata?.httpStatusCode
  if (status === 404) return `La cubeta ${bucket} de STORAGE_URL no existe. Créala, o revisa su nombre en STORAGE_URL.`
  if (status === 401 || status === 403 || error.name === 'CredentialsProviderError')
    return `El almacenamiento de STORAGE_URL no deja usar la cubeta ${bucket} con estas credenciales (${status ?? 'no hay ningunas'}). Revisa AWS_ACCESS_KEY_ID y AWS_SECRET_ACCESS_KEY.`
  const errorText = error.message?.trim() || error.name
  return `El almacenamiento de STORAGE_URL no responde (${status ?? errorText}). Revisa la dirección y que el servidor esté en marcha.`
}
