import { errorCode } from '#app/core/process/durable-files.server.ts'
import { folderOf, isS3 } from '#app/core/storage/open-store.server.ts'
import { BackupFault } from './fault.server.ts'
import { destinationName } from './identity.server.ts'

/**
 * Explains an error of a backup's destination in Spanish, with the remedy. Every error counts as the bucket's if the destination is
 * a bucket.
 * @returns undefined for an error that does not concern the destination's folder, or for which no remedy is known
 */
export function destinationFault(error: unknown, destination: string): BackupFault | undefined {
  const name = destinationName(destination)
  return isS3(destination) ? bucketFault(error, name) : folderFault(error, name, folderOf(destination))
}

export const isDestinationFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')

function folderFault(error: unknown, name: string, folder: string): BackupFault | undefined {
  const { path } = Object(error) as { path?: unknown }
  // A failed write names no path, and a backup writes only at the destination. Errors with other paths concern the site's own
  // files.
  if (isDestinationFull(error) && (path === undefined || concernsFolder(folder, path)))
    return new BackupFault(
      `En ${name} no queda espacio. Usa otro disco, o borra a mano las carpetas más viejas de ${name}/objects/copias y repite con --conservar 3.`,
      'Donde se guarda no queda espacio.',
    )
  if (!concernsFolder(folder, path)) return undefined
  const code = errorCode(error) ?? ''
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return new BackupFault(
      `En ${name} no se puede escribir: es de otra cuenta o está protegido. Como root: chown certamen ${name} (si no es /var/backups/certamen, además ReadWritePaths: «Copiar» en docs/operacion.md).`,
      'Donde se guarda no se puede escribir.',
    )
  if (['ENOENT', 'ENOTDIR', 'EEXIST', 'ENODEV', 'EIO', 'ESTALE'].includes(code))
    return new BackupFault(
      `${name} no se puede abrir como carpeta (${code}). Revisa su nombre, y que su disco esté puesto.`,
      'El lugar donde se guarda no se puede abrir.',
    )
  return undefined
}

/** Returns whether a path is the folder, lies in it, or leads to it. */
const concernsFolder = (folder: string, path: unknown): boolean =>
  typeof path === 'string' && (path === folder || path.startsWith(`${folder}/`) || folder.startsWith(`${path}/`))

function bucketFault(error: unknown, name: string): BackupFault | undefined {
  const { name: kind, $metadata } = Object(error) as { name?: unknown; $metadata?: unknown }
  const status = (Object($metadata) as { httpStatusCode?: unknown }).httpStatusCode
  if (kind === 'CredentialsProviderError' || status === 401 || status === 403)
    return new BackupFault(
      `${name} no acepta estas credenciales. Ponlas en la dirección: s3://LLAVE:SECRETO@cubeta?endpoint=https://servidor.`,
      'La cubeta donde se guarda no acepta estas credenciales.',
    )
  if (status === 404)
    return new BackupFault(
      `La cubeta ${name} no existe. Créala, o revisa su nombre.`,
      'La cubeta donde se guarda no existe.',
    )
  const code = status ?? errorCode(error) ?? kind
  return new BackupFault(
    `${name} no contesta (${String(code)}). Revisa la dirección, y que su servidor esté en marcha.`,
    `La cubeta donde se guarda no contesta (${String(code)}).`,
  )
}
